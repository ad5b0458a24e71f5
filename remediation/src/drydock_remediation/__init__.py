"""The host operator: claims Update and Health jobs, acts on hosts by Ansible, and judges them from facts."""
