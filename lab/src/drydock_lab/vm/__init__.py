"""Machines with a firmware, disks and a kernel of their own, emulated by QEMU."""
