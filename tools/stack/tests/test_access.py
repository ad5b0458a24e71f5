import json
import stat
from pathlib import Path

from drydock_stack import access


def test_every_principal_has_its_own_token_that_only_the_owner_can_read(tmp_path: Path) -> None:
    access.write(tmp_path)
    principals = json.loads(access.tokens_file(tmp_path).read_text())["principals"]

    assert len({principal["token"] for principal in principals}) == len(principals) == len(access.PRINCIPALS)
    for principal in principals:
        path = access.token_file(tmp_path, principal["name"])
        assert path.read_text().strip() == principal["token"]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(access.tokens_file(tmp_path).stat().st_mode) == 0o600


def test_tokens_stay_when_written_again_and_a_new_principal_is_added(tmp_path: Path) -> None:
    access.write(tmp_path)
    known = json.loads(access.tokens_file(tmp_path).read_text())["principals"]
    access.tokens_file(tmp_path).write_text(json.dumps({"principals": known[1:]}))

    access.write(tmp_path)

    after = {principal["name"]: principal for principal in json.loads(access.tokens_file(tmp_path).read_text())["principals"]}
    assert set(after) == {principal["name"] for principal in known}
    assert all(after[principal["name"]] == principal for principal in known[1:])
    assert access.token_file(tmp_path, known[0]["name"]).read_text().strip() == after[known[0]["name"]]["token"]


def test_a_principal_gets_the_topics_of_a_later_version_and_keeps_its_token(tmp_path: Path) -> None:
    access.write(tmp_path)
    known = json.loads(access.tokens_file(tmp_path).read_text())["principals"]
    own = {"name": "somebody", "team": "sre", "role": "consumer", "topics": ["host/Own"], "token": "t"}
    earlier = [{**one, "topics": one["topics"][:1]} if "topics" in one else one for one in known]
    access.tokens_file(tmp_path).write_text(json.dumps({"principals": [*earlier, own]}))

    access.write(tmp_path)

    assert json.loads(access.tokens_file(tmp_path).read_text())["principals"] == [*known, own]
