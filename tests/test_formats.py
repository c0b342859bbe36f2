"""Formats that nobody ships, declared as users would: each is short, clean in lint, and obeys the laws."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import test_laws as laws
from hypothesis import given
from hypothesis import strategies as st

import toolect
from toolect import testing
from toolect._authoring.lint import lint
from toolect._authoring.lint.subject import files
from toolect._compiled import Dialect
from toolect._message import Message
from toolect._spec.grammar_source import read_source
from toolect._spec.load import load_spec, read_names
from toolect._spec.problems import Problems

FORMATS = Path(__file__).parent / "formats" / "formats.yaml"
NAMES = sorted(read_names(FORMATS)[0])
over_all = pytest.mark.parametrize("name", NAMES)
LINES = 30


@functools.cache
def dialect(name: str) -> Dialect:
    """One of the formats."""
    return Dialect(load_spec(FORMATS, name))


@functools.cache
def texts(name: str) -> st.SearchStrategy[str]:
    """Canonical, corrupted and garbage texts of a format."""
    found = dialect(name)
    return st.one_of(testing.wire_texts(found, hostile=True), testing.corrupted(found), testing.garbage(found))


def test_lint_finds_nothing() -> None:
    """Neither mistakes nor what might be one; the cases of the corpora are among what it looks at."""
    report = lint(FORMATS)
    assert not report.diagnostics, "\n".join(map(str, report.diagnostics))
    assert [*report.dialects] == [*read_names(FORMATS)[0]]


@over_all
def test_is_short(name: str) -> None:
    """A format takes at most thirty lines, its own value languages among them."""
    entries = [entry for entry in FORMATS.read_text("utf-8").split("\n\n") if f"\n{name}:" in f"\n{entry}"]
    found = read_source(FORMATS.parent / "grammars" / f"{name}.lark", Problems())
    assert found is not None
    own = [source.text for source in files(found) if source.path.is_relative_to(FORMATS.parent)]
    assert len("\n".join(entries + own).splitlines()) <= LINES


@over_all
@given(data=st.data())
def test_is_read_alike_in_any_pieces(name: str, data: st.DataObject) -> None:
    """Spans tile every text, streams are read as wholes are, and strict mode reads what needs no repair."""
    found, text = dialect(name), data.draw(texts(name))
    message = found.parse(text)
    laws.check_tiles(found, text, message)
    laws.check_is_total(message)
    laws.check_chunks_do_not_matter(found, text, {}, message, data.draw(testing.chunkings(text)))
    laws.check_strict_is_a_part_of_lenient(found, text, {})


@over_all
@given(data=st.data())
def test_is_written_as_it_is_read(name: str, data: st.DataObject) -> None:
    """What is rendered is read back, and rendered again byte for byte."""
    found = dialect(name)
    message: Message = data.draw(testing.messages(found, hostile=data.draw(st.booleans())))
    tools = testing.tools_for(message)
    try:
        text = str(found.render(message, tools=tools))
    except toolect.RenderError:
        return
    back = found.parse(text, tools=tools)
    assert not any(call.repairs or not call.runnable for call in back.calls)
    assert laws.shipped_corpus.carried(back, message, made=found.spec.ids is not None)
    assert str(found.render(back, tools=tools)) == text
