"""The independent observer: sees every instance with its own eyes and judges by its own reading of the policies.

It shares no code with Drydock nor with the lab, so that a fault in theirs cannot hide from it.
"""
