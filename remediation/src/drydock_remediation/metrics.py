"""What Prometheus is told of this consumer; the scheduler adapters use the same names."""

from __future__ import annotations

from prometheus_client import Counter, Histogram, start_http_server

from drydock_remediation.records import Outcome, Step

CLAIMED = Counter("drydock_consumer_jobs_claimed", "Jobs claimed, by step.", ["step"])
ENDED = Counter("drydock_consumer_jobs_ended", "Jobs whose end the board took, by step and outcome.", ["step", "outcome"])
SECONDS = Histogram(
    "drydock_consumer_job_seconds", "From asking for the claim to the end, by step.", ["step"], buckets=(1, 3, 10, 30, 100, 300, 1000, 3000)
)
READINGS = Counter("drydock_consumer_package_readings", "Hosts whose packages were to be read, by result.", ["result"])

for _result in ("read", "unreadable"):
    READINGS.labels(_result)
for _step in Step:  # A metric that was never counted is still there to be looked at.
    CLAIMED.labels(_step)
    SECONDS.labels(_step)
    for _outcome in Outcome:
        ENDED.labels(_step, _outcome)


def serve(host: str, port: int) -> None:
    """`/metrics` in a thread of its own, until the program ends; an OSError when the address cannot be had."""
    start_http_server(port, host)
