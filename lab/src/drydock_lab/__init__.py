"""The fleet lab: real hosts on one machine, with partitions, SSH, reboots, packages, a balancer and live traffic."""
