"""A consumer of hooks, as short as one can be: python3 hook_consumer.py URL TOKEN_FILE NAME...

It says what the hook's parameter ``says`` lists, one word for each call about the same target, the last one again and again:
Done, Wait, Veto or Failed. A pre hook hands over which target it was and how often it was asked. Each call is a line of output.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def send(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """One call of the API; a conflict, such as a job that somebody else took, is an empty answer."""
    headers = {
        "Authorization": f"Bearer {Path(sys.argv[2]).read_text().strip()}",
        "X-RestLi-Protocol-Version": "2.0.0",
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{sys.argv[1]}/api{path}", data, headers, method=method)  # noqa: S310
    try:
        with OPENER.open(request, timeout=10) as answer:
            return dict(json.loads(answer.read() or b"{}"))
    except urllib.error.HTTPError as error:
        if error.code in (404, 409):
            return {}
        raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from error


def work(job: str, calls: dict[tuple[str, str, str], int]) -> None:
    """Takes a job and ends it."""
    taken = send("POST", f"/jobs/{urllib.parse.quote(job, safe='')}?action=claim", {"consumer": "plain"}).get("value")
    if not taken:
        return
    hook = taken["job"]["hook"]
    key = (hook["stage"], hook["name"], hook["target"] if hook["scope"] != "Batch" else ",".join(hook["hosts"]))
    calls[key] = calls.get(key, 0) + 1
    words = hook.get("params", {}).get("says", "Done").split()
    outcome = words[min(calls[key], len(words)) - 1]
    result: dict[str, Any] = {"outcome": outcome, "message": f"asked {calls[key]} times"}
    if outcome == "Wait":
        result["retryAfterSeconds"] = 1
    if hook["stage"].endswith("Undeploy"):
        result["state"] = f"{key[2]} asked {calls[key]}"
    step, told = taken["job"]["step"], hook.get("state", "nothing")
    sys.stdout.write(f"{step} {hook['stage']} {hook['name']} {key[2]} {outcome}, told {told}\n")
    sys.stdout.flush()
    send("POST", f"/jobs/{urllib.parse.quote(job, safe='')}?action=complete", {"claim": taken["claim"], "result": result})


def main() -> None:
    topics = ",".join(urllib.parse.quote(f"hook/{name}", safe="") for name in sys.argv[3:])
    calls: dict[tuple[str, str, str], int] = {}
    while True:
        for job in send("GET", f"/jobs?q=claimable&topics=List({topics})&count=10").get("elements", []):
            work(str(job["id"]), calls)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
