"""Repairs that act on a host, one file each; `acts.py` lists them."""
