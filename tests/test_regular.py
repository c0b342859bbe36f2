"""Regular expressions as automata: what is said of one is checked against `re` itself and a backtracking matcher."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolect._regular.ambiguity import MAX_WAYS, Attack, Growth, Undecided, ambiguity
from toolect._regular.extent import longest_of
from toolect._regular.ranges import holds, joined, others, shared
from toolect._regular.sample import sample
from toolect._regular.shared_words import common
from toolect._regular.syntax import Atomic, Border, Chain, Chars, Either, Look, Node, NotRegularError, Repetition, read

SETS = ["a", "b", "[ab]", "[^a]", r"\w", r"\s", r"\d", ".", r"[^\s<>]", "[a-c-]", "(?i:k)", r"(?a:\w)", "é"]


def longest(regex: str) -> int | None:
    """The characters of the longest member."""
    return longest_of(read(regex))


def expressions() -> st.SearchStrategy[str]:
    """Small expressions of every kind that is analysed."""

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        several = st.lists(inner, min_size=1, max_size=3)
        looped = st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,3}", "{2,}"]))
        return st.one_of(
            several.map("".join),
            several.map(lambda parts: f"(?:{'|'.join(parts)})"),
            looped.map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        )

    return st.recursive(st.sampled_from(SETS), larger, max_leaves=6)


@given(expressions(), st.integers(0, 99))
@settings(max_examples=150, deadline=None)
def test_samples_are_members(regex: str, seed: int) -> None:
    assert re.fullmatch(regex, sample(regex, Random(seed)))


@given(expressions(), expressions(), st.integers(0, 9))
@settings(max_examples=150, deadline=None)
def test_a_common_word_is_a_word_of_both(a: str, b: str, seed: int) -> None:
    word = common(a, b)
    if word is None:
        drawn = sample(a, Random(seed))
        assert not (drawn and re.fullmatch(b, drawn))
    else:
        assert re.fullmatch(a, word) and re.fullmatch(b, word)


@given(expressions(), st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_no_member_is_longer_than_the_longest(regex: str, seed: int) -> None:
    most = longest(regex)
    assert most is None or len(sample(regex, Random(seed))) <= most


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 9)).map(lambda t: (t[0], t[0] + t[1]))))
def test_sets_of_characters(pairs: list[tuple[int, int]]) -> None:
    ranges = joined(pairs)
    inside = {code for low, high in pairs for code in range(low, high + 1)}
    assert inside == {code for code in range(400) if holds(ranges, code)}
    assert others(others(ranges)) == ranges and shared(ranges, others(ranges)) == ()


FACTS = {
    ("[a-z]+", "foo"): "foo",
    (r"[^\s<]+", "</x>"): None,
    ("[a-z]+", "[0-9]+"): None,
    (r"(?!(?:await|for)\b)[a-z]+", "await"): None,
    (r"(?!(?:await|for)\b)[a-z]+", "await|forest"): "forest",
    ("(?i:K)", "\N{KELVIN SIGN}"): "\N{KELVIN SIGN}",
}


@pytest.mark.parametrize(("pair", "word"), FACTS.items())
def test_common_words(pair: tuple[str, str], word: str | None) -> None:
    assert common(*pair) == word


def test_lengths() -> None:
    assert [longest(r) for r in ("ab?", "a{2,5}|b", "(?=x*)a", "a*", "(?:){0,9}", "(?:a{3}){4}")] == [
        2,
        5,
        1,
        None,
        0,
        12,
    ]
    assert longest("a+") is None and longest("a{1,999}") == 999


# Backtracking, by a matcher that counts its steps


class _TooManyError(Exception):
    pass


def steps(regex: str, text: str, limit: int = 20_000) -> int:
    """The characters that a plain backtracking matcher compares before it gives up on all of `text`, or on `limit`."""
    count = 0

    def run(node: Node, at: int) -> Iterator[int]:
        nonlocal count
        match node:
            case Chars(ranges):
                count += 1
                if count > limit:
                    raise _TooManyError
                if at < len(text) and holds(ranges, ord(text[at])):
                    yield at + 1
            case Chain(parts):
                yield from chain(parts, at)
            case Either(parts):
                for part in parts:
                    yield from run(part, at)
            case Repetition(item, least, most):
                if most is None or most > 0:
                    rest = Repetition(item, max(least - 1, 0), most and most - 1)
                    for end in run(item, at):
                        if end > at:
                            yield from run(rest, end)
                if least == 0:
                    yield at
            case Atomic() | Look() | Border():
                raise AssertionError("not among the expressions tested")

    def chain(parts: tuple[Node, ...], at: int) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in run(parts[0], at):
            yield from chain(parts[1:], end)

    with suppress(_TooManyError):
        assert len(text) not in run(read(regex), 0), "the attack must not match"
    return count


EXPONENTIAL = [
    "(a+)+b",
    "(a|a)*b",
    "(a*)*b",
    "(a?b?)*c",
    r"(\w+\.?)+",
    "(x+x+)+y",
    "(a|aa)+",
    "(a|b|ab)*c",
    "([a-z]+)*=",
]
POLYNOMIAL = ["a*a*b", r"\s*\s*x", r"\d+\d+", "(a|b)*a(a|b)*", ".*.*=", "(.*a){4}"]
LINEAR = [
    "a+b",
    r"[A-Za-z_][\w.]*",
    r"(.|\n|a)*",
    "(?:a|ab)(?:bc|c)*",
    r"\s{0,64}x",
    r"\w+(?:\.\w+)*",
    r"[a-z]{1,64}(?:_[a-z]{1,8}){0,8}",
    "(?:ab|cd)+",
    "^a*b*$",
]


@pytest.mark.parametrize("regex", EXPONENTIAL)
def test_exponential_backtracking(regex: str) -> None:
    attack = ambiguity(regex)
    assert isinstance(attack, Attack) and attack.growth is Growth.EXPONENTIAL
    few, many = (attack.text(size // len(attack.pump)) for size in (8, 18))
    assert steps(regex, many) > 6 * steps(regex, few)


@pytest.mark.parametrize("regex", POLYNOMIAL)
def test_polynomial_backtracking(regex: str) -> None:
    attack = ambiguity(regex)
    assert isinstance(attack, Attack) and attack.growth is Growth.POLYNOMIAL
    few, many = (attack.text(size // len(attack.pump)) for size in (12, 36))
    assert steps(regex, many) > 4.5 * steps(regex, few)


@pytest.mark.parametrize("regex", [r"(\w{1,20}){1,20}!", "(a?){30}a{30}", "(a|a){30}b", "((a{0,5}){0,5}){0,5}b"])
def test_counted_repetitions_may_have_many_ways(regex: str) -> None:
    attack = ambiguity(regex)
    assert isinstance(attack, Attack) and attack.growth is Growth.BOUNDED
    assert not attack.pump
    if "?" not in regex and "{0," not in regex:  # the matcher here takes nothing only once
        assert steps(regex, attack.text(1)) > MAX_WAYS


@pytest.mark.parametrize("regex", LINEAR)
def test_linear_expressions_are_not_reported(regex: str) -> None:
    assert ambiguity(regex) is None


@given(expressions())
@settings(max_examples=100, deadline=None)
def test_attacks_attack(regex: str) -> None:
    attack = ambiguity(regex)
    if not isinstance(attack, Attack) or attack.growth is Growth.BOUNDED:
        return
    size = max(len(attack.pump), 1)
    few, many = attack.text(-(-16 // size)), attack.text(-(-48 // size))
    assert steps(regex, many) > min(4.5 * steps(regex, few), 20_000)


# What is not analysed is said


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        (r"(a)\1", "it refers back to a group"),
        (r"(a)?(?(1)b|c)", "it refers back to a group"),
        ("(", "rejects it"),
        ("(?:" * 2000 + ")" * 2000, "nests too deeply"),
        ("a" * 30_000, "more than 20000 characters"),
        ("(?:a{99}){99}", "more than 1000 states"),
        ("(?!x)(a+)+b", "it has a look-ahead"),
        ("a*+a*b", "it has a possessive repetition"),
        ("(?:(?:a|b|c|d){0,40}x){0,40}", "more than"),
        ("(?:(?=a*b)[ab])+", "it looks ahead or behind without an end inside of a repetition"),
    ],
)
def test_what_is_not_analysed(regex: str, reason: str) -> None:
    found = ambiguity(regex)
    assert isinstance(found, Undecided) and reason in found.reason


@pytest.mark.parametrize("ask", [partial(sample, random=Random(0)), longest, partial(common, "a")])
def test_a_back_reference_is_refused(ask: partial[object]) -> None:
    with pytest.raises(NotRegularError, match="refers back"):
        ask(r"(a)\1")
