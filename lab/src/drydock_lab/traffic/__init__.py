"""The traffic generator: what the fleet's users would see, with no retry to hide anything."""
