"""Explanations: the readings of each place, what they paid, and which one won."""

from __future__ import annotations

from typing import Any

import pytest
import shipped_corpus
from shipped_corpus import Case

import toolect
from toolect._detection.guess import reader as reader_of
from toolect._explanation import Explanation, Place, draw
from toolect._search.answer_search import AnswerSearch
from toolect._search.recorder import MAX_PLACES, MAX_READINGS
from toolect._spec.costs import ROWS
from toolect._values.toolset import tool_schemas

OPEN = "<tool_call>\n<function=f>\n<parameter=a>\n"


def reader(case: Case) -> AnswerSearch:
    """What reads a case of the corpus."""
    options: dict[str, Any] = dict(case.options)
    tools, strict = tool_schemas(options.pop("tools", ())), options.pop("mode", "") == "strict"
    prefix, dialect = options.pop("prefix", ""), toolect.dialect(case.dialect)
    return AnswerSearch(dialect.spec, dialect._graph(options), tools, strict, prefix)


def paid(place: Place) -> list[dict[str, int]]:
    """What the readings of a place paid, by row."""
    return [{one.name: one.cost for one in reading.paid} for reading in place.readings]


def check(explanation: Explanation) -> None:
    """Sums are right, one reading of each place won, and nothing is too long."""
    assert len(explanation.places) <= MAX_PLACES
    for place in explanation.places:
        assert [reading.won for reading in place.readings] == [True] + [False] * (len(place.readings) - 1)
        assert len(place.readings) <= MAX_READINGS
        assert all(reading.cost == sum(one.cost for one in reading.paid) for reading in place.readings)
    assert len(draw(explanation).splitlines()) <= 2 + MAX_PLACES * (MAX_READINGS + 2)


@pytest.mark.parametrize("name", sorted(toolect.dialects()))
def test_every_case_of_the_corpus_explains_itself(name: str) -> None:
    """It is read as ever, its cost is that of the reading, and nearly all of it is paid for rows of the table."""

    def explained(case: Case) -> None:
        plain, recorded = reader(case), reader(case)
        message = plain.read(case.text)
        explanation = recorded.explain(name, case.text)
        check(explanation)
        assert shipped_corpus.plain(recorded.message) == shipped_corpus.plain(message)
        assert explanation.cost == plain._search.live[-1].cost
        others = [row for place in explanation.places for one in paid(place) for row in one if row not in ROWS]
        assert len(others) <= 1

    shipped_corpus.each(shipped_corpus.cases_of(name), explained)


def test_readings_name_rows_of_the_table() -> None:
    """An argument that is not closed: the closer is missing, or the opener is text."""
    [place] = toolect.dialect("qwen3-coder").explain(f"{OPEN}1\n<parameter=b>\n2\n</parameter>\n</function>\n").places
    assert place.got.startswith("<parameter=b>") and place.at == len(OPEN) + 2 and "`</parameter>`" in place.expected
    assert paid(place)[:2] == [{"implied_closer": 2}, {"opener_in_value": 3}]
    assert place.readings[0].paid[0].edge == ROWS["implied_closer"].edge


def test_a_marker_that_is_only_text_says_why() -> None:
    """The call that a sentence names would have cost more."""
    [place] = toolect.dialect("hermes").explain("Use the <tool_call> tag for it.").places
    assert paid(place)[0] == {"marker_in_content": 3}
    assert min(reading.cost for reading in place.readings) == 3


def test_clean_text_is_one_line() -> None:
    """Where there is only one reading, no place is shown."""
    text = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    for name in ("hermes", "auto"):
        assert str(reader_of(name).explain(text)) == f"{name}: nothing else could be meant"


def test_a_call_that_does_not_fit_its_tool_says_so() -> None:
    """A bracket is mended, and the call fails all the same: the cause is not among the costs."""
    text = '<tool_call>\n{"name": "tide", "arguments": {"harbour": "Brest"}\n</tool_call>'
    tools = [{"name": "tide", "parameters": {"type": "object", "properties": {"port": {"type": "string"}}}}]
    for name in ("hermes", "auto"):
        shown = str(reader_of(name).explain(text, tools))
        assert shown.endswith("a call is malformed: expected an argument that the tool has, got `harbour` - at 0")
        assert reader_of(name).explain(text).failed == ()


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "auto"])
@pytest.mark.parametrize("text", ["<tool_call>" * 300, OPEN + "</function> <tool_call>" * 200, '{"' * 300, "\ud800<"])
def test_hostile_texts_are_cut_short(name: str, text: str) -> None:
    """However many places there are, so many are shown."""
    check(reader_of(name).explain(text))


def test_what_is_no_text_is_refused() -> None:
    """As by `parse`."""
    for name in ("hermes", "auto"):
        with pytest.raises(TypeError, match="expected a model's text as str, got bytes"):
            reader_of(name).explain(b"x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mode"):
        toolect.dialect("hermes").explain("x", mode="loose")  # type: ignore[arg-type]
