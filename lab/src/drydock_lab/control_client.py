"""Talking to a running lab."""

from __future__ import annotations

import http.client
import json
from typing import Any

from drydock_lab.errors import LabError
from drydock_lab.instance import Instance

SECONDS_MAX = 150.0


def call(instance: Instance, method: str, path: str, body: dict[str, Any] | None = None, *, seconds_max: float = SECONDS_MAX) -> Any:
    """One request to the control interface; an answer other than 200 is an error with the lab's own words."""
    connection = http.client.HTTPConnection("127.0.0.1", instance.control_port, timeout=seconds_max)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        response = connection.getresponse()
        document = json.loads(response.read())
    except ConnectionRefusedError:
        raise LabError("the lab is not running: start it with `tools/python -m drydock_lab up`") from None
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise LabError(f"the lab's control interface did not answer {method} {path}: {problem!r}") from problem
    finally:
        connection.close()
    if response.status != 200:
        raise LabError(str(document.get("message", document)))
    return document


def answers(instance: Instance) -> bool:
    """Whether the control interface is there yet."""
    try:
        call(instance, "GET", "/hosts")
    except LabError:
        return False
    return True
