from __future__ import annotations

import pytest

from skitter.judge.dust import (
    ENOUGH,
    ENOUGH_MARKS,
    RULES,
    Piece,
    Rule,
    after_twin,
    broken,
    holds,
    other_forms,
    reduced,
    refused,
)

HOST = "http://a.org/"
PAIRS = {
    "a parameter": ("a/{n}?ref=home", "a/{n}", Piece.NAME, "ref"),
    "one of two parameters": ("a?id={n}&ref=home", "a?id={n}", Piece.NAME, "ref"),
    "a suffix": ("a/{n}/print", "a/{n}", Piece.END, "print"),
    "a parameter in the path": ("a/{n};s=1", "a/{n}", Piece.INNER, "s"),
    "a folder": ("m/a/{n}", "a/{n}", Piece.FOLDER, "m"),
}


def learnt(long: str, short: str, number: int) -> tuple[Rule, ...]:
    rules: tuple[Rule, ...] = ()
    for n in range(number):
        pair = (HOST + long.format(n=n, token=f"ab{n:012}"), HOST + short.format(n=n, token=f"cd{n:012}"))
        rules = after_twin(rules, *(pair if n % 2 else pair[::-1]))
    return rules


@pytest.mark.parametrize("name", PAIRS)
def test_a_rule_is_learnt_from_pages_that_differ_in_one_piece(name: str) -> None:
    long, short, piece, word = PAIRS[name]
    few, enough = learnt(long, short, ENOUGH - 1), learnt(long, short, ENOUGH)
    assert [(rule.piece, rule.name) for rule in enough] == [(piece, word)]
    assert not any(map(holds, few))
    assert all(map(holds, enough))
    assert reduced(enough, HOST + long.format(n=77)) == HOST + short.format(n=77)
    assert reduced(enough, HOST + short.format(n=77)) == HOST + short.format(n=77)
    assert reduced(few, HOST + long.format(n=77)) == HOST + long.format(n=77)


def test_marks_of_visitors_need_fewer_pages_and_none_without() -> None:
    assert all(map(holds, learnt("a/{n}?visit={token}", "a/{n}?visit={token}", ENOUGH_MARKS)))
    assert learnt("a/{n}?id={n}1", "a/{n}?id={n}2", 50) == (), "other values are no marks"


def test_one_page_that_is_alike_whatever_it_is_given_tells_nothing() -> None:
    assert not any(map(holds, learnt("item?uuid={token}", "item?uuid={token}", 50)))


def test_pages_that_differ_in_more_than_one_piece_tell_nothing() -> None:
    assert learnt("b/{n}?ref=home", "a/{n}", 50) == ()
    assert learnt("a/{n}?x=1&y=2", "a/{n}", 50) == ()


def test_a_broken_rule_never_holds_again() -> None:
    rules = learnt("a/{n}?ref=home", "a/{n}", 20)
    rules = broken(rules, rules[0])
    for n in range(100, 200):
        rules = after_twin(rules, f"{HOST}a/{n}?ref=home", f"{HOST}a/{n}")
    assert not any(map(holds, rules))


def test_the_operator_can_refuse_a_rule_and_allow_it_again() -> None:
    rules = learnt("a/{n}?ref=home", "a/{n}", 20)
    assert not any(map(holds, refused(rules, "ref", is_refused=True)))
    assert refused(refused(rules, "ref", is_refused=True), "ref", is_refused=False) == rules


def test_the_rules_of_a_host_are_bounded_and_broken_ones_are_kept() -> None:
    rules = learnt("a/{n}?ref=home", "a/{n}", 20)
    rules = broken(rules, rules[0])
    for n in range(5 * RULES):
        rules = after_twin(rules, f"{HOST}a/{n}?x{n}=1", f"{HOST}a/{n}")
    assert len(rules) == RULES
    assert rules[0].is_broken


@pytest.mark.parametrize(
    ("href", "forms"),
    [
        ("a/print", ["a"]),
        ("a/AMP?x=1", ["a?x=1"]),
        ("m/a", ["a"]),
        ("printed/a", []),
        ("a?print", []),
    ],
)
def test_other_forms_of_a_page_are_told_by_a_piece_of_their_path(href: str, forms: list[str]) -> None:
    assert other_forms(HOST + href) == [HOST + form for form in forms]
