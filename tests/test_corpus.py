"""Every case of the corpus, whole and at every split; and the corpus format itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import shares
import shipped_corpus
from shipped_corpus import Case

import toolect

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))


@over_all
def test_says_what_is_expected(name: str, request: pytest.FixtureRequest) -> None:
    """Lenient mode reads every case as expected; its spans tile the text."""
    updating = request.config.getoption("--update")

    def check(case: Case) -> None:
        message = toolect.dialect(name).parse(case.text, **case.options)
        said = shipped_corpus.describe(message)
        if updating and not case.has("error") and said != shipped_corpus.normal(case.expected):
            shipped_corpus.update(case, said)
        else:
            assert said == shipped_corpus.normal(case.expected), f"{case.path}:{case.line}"
        shipped_corpus.check_spans(message, case.text)
        assert message.exact == case.clean
        if case.has("error"):
            assert case.get("error") in [call.status for call in message.calls]

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


@over_all
def test_strict_mode_reads_it_alike(name: str) -> None:
    """A clean case reads the same in strict mode; where lenient mode repairs, strict mode gives no call to run."""

    def check(case: Case) -> None:
        dialect = toolect.dialect(name)
        strict = dialect.parse(case.text, mode="strict", **case.options)
        if case.clean:
            assert shipped_corpus.same(strict, dialect.parse(case.text, **case.options))
        else:
            assert not strict.exact
            assert not any(call.runnable and call.repairs for call in strict.calls)

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


PIECES = 4
"""Pieces of a text that is cut at every place: one place for each piece at a time, so that pieces are as in use."""
WAYS = 8
"""Ways of cutting a long text in pieces that are tried."""


def cuts(text: str) -> Iterator[list[str]]:
    """The text as a whole, in single characters, and in pieces: between any two characters one of these ways cuts."""
    yield [text]
    yield list(text)
    size = max(1, -(-len(text) // PIECES))
    for first in range(1, size + 1):
        yield [text[:first], *(text[at : at + size] for at in range(first, len(text), size))]


@over_all
def test_chunks_do_not_matter(name: str) -> None:
    """A case in pieces gives the message of the whole text, and events that tell it.

    What is strict about strict mode is decided when a call ends, so there two ways of cutting are enough. A text of up
    to `WAYS * PIECES` characters is cut everywhere; of a longer one so many ways are drawn, by the text (`--all`: every
    one). Single characters cut everywhere in any case, and `make fuzz` holds the law against other texts.
    """
    dialect = toolect.dialect(name)

    def check(case: Case) -> None:
        whole, characters, *pieces = cuts(case.text)
        for mode, ways in (("lenient", shares.share(pieces, WAYS, case.text)), ("strict", [])):
            expected = shipped_corpus.plain(dialect.parse(case.text, mode=mode, **case.options))
            for chunks in (whole, characters, *ways):
                streamed, events = shipped_corpus.stream(dialect, chunks, mode=mode, **case.options)
                assert shipped_corpus.plain(streamed) == expected, (mode, chunks)
                shipped_corpus.check_events(events, streamed)

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


@over_all
def test_renders_back(name: str) -> None:
    """Rendering gives a canonical text back byte for byte, and any other one as a text that says the same."""
    dialect = toolect.dialect(name)

    def check(case: Case) -> None:
        message = dialect.parse(case.text, **case.options)
        tools = case.options.get("tools")
        if case.canonical:
            rendered = dialect.render(message, tools=tools)
            whole = case.options.get("prefix", "") + case.text
            assert rendered == case.text or len(rendered) > len(case.text) and whole.endswith(rendered)
        else:
            try:
                rendered = dialect.render(message, tools=tools)
            except toolect.RenderError:
                return
        options = {key: value for key, value in case.options.items() if key != "prefix"}
        assert shipped_corpus.carried(dialect.parse(str(rendered), **options), message, dialect.spec.ids is not None)

    shipped_corpus.each([case for case in shipped_corpus.cases_of(name) if not case.has("error")], check)


@over_all
def test_no_call_without_a_marker(name: str) -> None:
    """Where there is a call, the cheap test for markers has found one."""
    dialect = toolect.dialect(name)

    def check(case: Case) -> None:
        assert dialect.has_marker(case.text) or not dialect.parse(case.text, **case.options).calls

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


def test_prose_has_no_marker() -> None:
    """The cheap test for markers says no to plain prose, in every dialect."""
    assert not [name for name in toolect.dialects() if toolect.dialect(name).has_marker("Two words, a comma; no more.")]


def test_every_dialect_has_cases() -> None:
    """Dialects and corpus files are the same names."""
    assert {path.stem for path in shipped_corpus.ROOT.glob("*.txt")} == set(toolect.dialects())


def test_every_case_says_where_it_is_from() -> None:
    """In another project's texts, in a model's answer, or nowhere: one of these is on each shipped case."""
    assert [str(case) for case in shipped_corpus.all_cases() if not case.provenance] == []


def test_a_failure_names_its_cases() -> None:
    """One failure after another is told, each with the case that it is of."""

    def check(case: Case) -> None:
        assert "a" not in case.title, "it does"

    cases = [Case(Path("d.txt"), 1, title, (), "", "") for title in ("a", "b", "ca")]
    with pytest.raises(ExceptionGroup) as found:
        shipped_corpus.each(cases, check)
    assert [error.__notes__ for error in found.value.exceptions] == [["of d: a"], ["of d: ca"]]
    shipped_corpus.each(cases[1:2], check)


@pytest.mark.parametrize("text", ["", "a", "ab", "abcdefg"])
def test_a_text_is_cut_everywhere(text: str) -> None:
    """Every place of a text is between two pieces, and the pieces are the text."""
    found = list(cuts(text))
    assert all("".join(pieces) == text for pieces in found)
    ends = {len("".join(pieces[:n])) for pieces in found[2:] for n in range(1, len(pieces))}
    assert {*range(1, len(text))} <= ends


# The format


def write_file(tmp_path: Path, source: str) -> Path:
    """A corpus file with this source."""
    path = tmp_path / "some-dialect.txt"
    path.write_bytes(source.encode("utf-8"))
    return path


def test_reads_bytes_exactly(tmp_path: Path) -> None:
    """Blank lines, shorter dash lines and carriage returns belong to the wire text."""
    frame = "===\nTitle\n:parse-only\n:observed some-model, by a user\n===\n"
    source = frame + '\n---\r\n  a\n---\n\n------\ncontent "x"\n\n'
    (case,) = shipped_corpus.read(write_file(tmp_path, source))
    assert (case.title, case.text, case.expected) == ("Title", "\n---\r\n  a\n---\n", 'content "x"')
    assert case.attributes == (("parse-only", ""), ("observed", "some-model, by a user"))
    assert case.dialect == "some-dialect"


RULE = "=" * 18


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "-------", "x\n----------\n", "===\n", f"{RULE}\na\n{RULE}\nb", "é\r\n\x00｜"]
)
def test_write_inverts_read(tmp_path: Path, text: str) -> None:
    """What is written is read back, whatever the wire text."""
    path = tmp_path / "x.txt"
    cases = [Case(path, 1, "One", (("policy", "unknown-tool=content"),), text, 'content "a"')]
    cases.append(Case(path, 0, "Two", (), text, ""))
    path.write_bytes(shipped_corpus.write(cases).encode("utf-8"))
    read = shipped_corpus.read(path)
    assert [(c.title, c.attributes, c.text, c.expected) for c in read] == [
        (c.title, c.attributes, c.text, c.expected) for c in cases
    ]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("hello", ":1: expected a line of = signs"),
        ("===\nT\n===\ntext\n", ":1: expected a line of dashes"),
        ("===\nT\n:wrong\n===\ntext\n---\n", ":3: unknown attribute `:wrong`"),
        ("===\nT\n===\n\n---\n===\nT\n===\n\n---\n", ":6: the title 'T' is taken"),
        ("===\nT\n:source a page\n===\n\n---\n", ":3: expected `:source` with a URL, got `a page`"),
        ("===\nT\n:observed \n===\n\n---\n", ":3: expected `:observed` with a model and where it was seen"),
        ("===\nT\n:invented\n:source https://a.b/c\n===\n\n---\n", ":4: expected one of `:source`, `:observed`"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, source: str, says: str) -> None:
    """A file that does not keep the format is refused with its line."""
    with pytest.raises(shipped_corpus.CorpusError) as error:
        shipped_corpus.read(write_file(tmp_path, source))
    assert says in str(error.value)


def test_update_rewrites_one_expectation(tmp_path: Path) -> None:
    """Updating changes the expectation of one case and nothing else."""
    path = write_file(tmp_path, '===\nA\n===\nx\n---\n\n===\nB\n===\ny\n---\ncontent "y"\n')
    shipped_corpus.update(shipped_corpus.read(path)[0], 'content "x"')
    assert [case.expected for case in shipped_corpus.read(path)] == ['content "x"', 'content "y"']


def test_expectations_compare_values() -> None:
    """JSON in an expectation may be spelled in any way; what it says must be the same."""
    rest = "\n  status repaired\n  repair json\nrepair stray-marker"
    loose = 'content  "\\u00e9"\ncall f {"a":1,"b":[true,null]} id=x y' + rest
    tight = 'content "é"\ncall f {"a": 1, "b": [true, null]} id=x y' + rest
    assert shipped_corpus.normal(loose) == tight
    with pytest.raises(shipped_corpus.CorpusError):
        shipped_corpus.normal('conten "x"')
