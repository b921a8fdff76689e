"""Every kind, reason and state has its words."""

from __future__ import annotations

from skitter.cli.hosts import STANDINGS
from skitter.cli.live import STAGES
from skitter.frontier.host import Stage
from skitter.inspection.standing import WAITS, Standing
from skitter.messages import Failure, Kind, Reason, State
from skitter.words.kinds import KINDS, REASONS, STATES, failure_in_words


def test_the_tables_have_a_row_for_each() -> None:
    assert set(KINDS) == set(Kind)
    assert set(REASONS) == set(Reason)
    assert set(STATES) == set(State)
    assert set(STAGES) == {stage.value for stage in Stage}
    assert set(STANDINGS) == set(WAITS) == set(Standing)


def test_a_failure_says_what_the_server_said() -> None:
    told = failure_in_words(Failure(Kind.SERVER_ERROR, "HTTP 500"))
    assert told == "the server broke while it made the page (HTTP 500)"
    assert failure_in_words(Failure(Kind.RESET)) == "the server cut the connection"
