"""The BMCs of the lab: a Redfish service for each host, all of them in the lab's one process."""
