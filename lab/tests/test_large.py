"""The release with large packages is release 2 with other channels."""

from pathlib import Path

from drydock_lab.artifacts import release_document
from drydock_lab.instance import Instance
from drydock_lab.large import FOLDER, LARGE, SECOND


def test_differs_from_release_2_in_name_and_channels_alone() -> None:
    instance = Instance("abcde", Path("/nowhere"), {}, "10.1.2")
    large, second = release_document(instance, LARGE, FOLDER), release_document(instance, SECOND)
    assert {field for field in second if large[field] != second[field]} == {"name", "channel", "dnfChannel"}
    assert second["channel"] == "http://10.1.2.1:8080/apt/v2"
    assert large["channel"] == "http://10.1.2.1:8080/large/apt/v2-large"
    assert large["dnfChannel"] == "http://10.1.2.1:8080/large/dnf/v2-large"
