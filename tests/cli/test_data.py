import json
from pathlib import Path

from conftest import Command


def test_the_list_shows_every_graph_once_and_where_it_is(pingda: Command) -> None:
    done = pingda("data", "list", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)["sources"]}
    assert rows["cora"]["edges"] == 5278
    assert rows["digits"]["here"] == "built in"
    assert {"wikics", "ogbn-arxiv", "coauthor-physics", "wisconsin"} <= rows.keys()
    table = pingda("data", "list", COLUMNS="80").stdout
    for name in rows:
        assert sum(line.split()[:1] == [name] for line in table.splitlines()) == 1
    for word in ("nodes", "edges", "features", "classes", "origin", "built in"):
        assert word in table


def test_check_says_what_it_understood(pingda: Command, toy_file: Path) -> None:
    facts = json.loads(pingda("data", "check", toy_file, "--json").stdout)
    assert (facts["nodes"], facts["features"], facts["classes"]) == (60, 12, 2)
    assert facts["components"] == 1
    assert facts["evaluation"] == "possible"
    assert "isolated nodes" in pingda("data", "check", toy_file).stdout
