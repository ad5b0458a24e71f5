"""Repairs that act on a host, one file each; `repair_actions.py` lists them."""
