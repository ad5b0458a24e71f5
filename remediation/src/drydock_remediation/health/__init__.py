"""What a host and its machine are like, in band and out of band, and whether that is what the release wants of their kind."""
