"""The soak of crashes: small rollouts over simulated hosts while every process a batch needs is killed in every phase."""
