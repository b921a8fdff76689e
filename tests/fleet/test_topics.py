"""A topic that would lose records is refused in words, before anything is written to it."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from skitter.bus.topics import WHY, check_topics, make_topics, topic_name, wanted
from skitter.errors import MachineError, OperatorError
from skitter.fleet.file import read_fleet
from skitter.fleet.making import drain_nodes, make_fleet
from tests.servers.kafka import Broker

SHARDS = 2
SETTINGS = {"identity.contact": "me@example.org", "dns.allow_private": "true"}
_names = count()


def test_every_setting_that_is_wanted_says_why() -> None:
    for topic in wanted(SHARDS, 3).values():
        assert set(topic.settings) <= set(WHY)
    assert wanted(SHARDS, 3)["log"].settings["min.insync.replicas"] == "2"


LOSING = {
    "old records go": ({"retention.ms": "604800000"}, "retention.ms of topic {}.log = '604800000': must be -1"),
    "many records go": ({"retention.bytes": "1000000"}, "retention.bytes of topic {}.log = '1000000': must be -1"),
    "keys are compacted": ({"cleanup.policy": "compact"}, "cleanup.policy of topic {}.log = 'compact': must be delete"),
    "no large records": ({"max.message.bytes": "1000"}, "max.message.bytes of topic {}.log = '1000': must be 67108864"),
    "a poor leader": (
        {"unclean.leader.election.enable": "true"},
        "unclean.leader.election.enable of topic {}.log = 'true': must be false",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LOSING)
def test_a_setting_that_loses_records_is_refused(case: str, broker: Broker) -> None:
    settings, words = LOSING[case]
    fleet, client = f"topics{next(_names)}", {"bootstrap.servers": broker.bootstrap}
    right = dict(wanted(SHARDS, 1)["log"].settings)
    new = NewTopic(topic_name(fleet, "log"), SHARDS, 1, config=right | settings)
    admin = AdminClient(client)
    for made in admin.create_topics([new]).values():
        made.result(30)
    assert topic_name(fleet, "log") not in make_topics(client, fleet, SHARDS, 1)
    with pytest.raises(OperatorError) as caught:
        check_topics(client, fleet, SHARDS, 1)
    assert words.format(fleet) in str(caught.value)


@pytest.mark.slow
def test_other_partitions_or_too_few_copies_are_refused(broker: Broker) -> None:
    fleet, client = f"topics{next(_names)}", {"bootstrap.servers": broker.bootstrap}
    with pytest.raises(OperatorError, match="is not there: `skitter fleet init` makes it"):
        check_topics(client, fleet, SHARDS, 1)
    make_topics(client, fleet, SHARDS, 1)
    check_topics(client, fleet, SHARDS, 1)
    with pytest.raises(OperatorError, match=rf"partitions of topic {fleet}\.log = 2: must be 3"):
        check_topics(client, fleet, SHARDS + 1, 1)
    with pytest.raises(OperatorError, match=rf"replication of topic {fleet}\.log = 1: must be 2"):
        check_topics(client, fleet, SHARDS, 2)


@pytest.mark.slow
def test_a_fleet_is_made_once_and_given_more_seeds(broker: Broker, tmp_path: Path) -> None:
    name = f"topics{next(_names)}"
    text = f'[fleet]\nname = "{name}"\nshards = {{}}\nreplication = 1\n[kafka]\n"bootstrap.servers" = "{{}}"\n'
    path = tmp_path / "fleet.toml"
    path.write_text(text.format(SHARDS, broker.bootstrap), encoding="utf-8")
    file = read_fleet(path)
    said = list(make_fleet(file, tmp_path, ["http://a.test/"], {}, SETTINGS, 1.0))
    assert said[-2:] == [
        f"made the crawl {name}: {SHARDS} shards",
        "1 seeds posted; start nodes with `skitter fleet node --fleet FILE`",
    ]
    assert len(list(make_fleet(file, tmp_path, ["http://b.test/"], {}, SETTINGS, 2.0))) == 1
    with pytest.raises(OperatorError, match="NODE = 'x': is not one of this fleet's nodes: it has none"):
        list(drain_nodes(file, ["x"], 3.0))
    with pytest.raises(OperatorError, match=r"frontier\.shards = 5: must be fleet\.shards, which is 2"):
        list(make_fleet(file, tmp_path, [], {}, {**SETTINGS, "frontier.shards": "5"}, 2.0))
    path.write_text(text.format(3, broker.bootstrap), encoding="utf-8")
    with pytest.raises(OperatorError, match="must be 3, one for each shard"):
        list(make_fleet(read_fleet(path), tmp_path, [], {}, SETTINGS, 2.0))


@pytest.mark.slow
def test_brokers_that_do_not_answer_are_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skitter.bus.topics.ANSWERS_IN", 0.3)
    with pytest.raises(MachineError, match="Kafka does not answer"):
        make_topics({"bootstrap.servers": "127.0.0.1:9"}, "none", 1, 1)
