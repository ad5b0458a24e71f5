"""Installs a host anew through its BMC: Update jobs of topic host/Reimage."""
