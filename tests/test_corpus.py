"""Every case of the corpus, whole and at every split; and the corpus format itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import shipped_corpus
from shipped_corpus import Case

import toolect

CASES = shipped_corpus.all_cases()


def parametrize(cases: list[Case]) -> pytest.MarkDecorator:
    """One test per case; a skipped one says why."""

    def mark(case: Case) -> object:
        marks = [pytest.mark.skip(reason=case.get("skip"))] if case.has("skip") else []
        return pytest.param(case, id=str(case), marks=marks)

    return pytest.mark.parametrize("case", list(map(mark, cases)))


@parametrize(CASES)
def test_says_what_is_expected(case: Case, request: pytest.FixtureRequest) -> None:
    """Lenient mode reads the case as expected; its spans tile the text."""
    message = toolect.dialect(case.dialect).parse(case.text, **case.options)
    said = shipped_corpus.describe(message)
    if request.config.getoption("--update") and not case.has("error") and said != shipped_corpus.normal(case.expected):
        shipped_corpus.update(case, said)
    else:
        assert said == shipped_corpus.normal(case.expected), f"{case.path}:{case.line}"
    shipped_corpus.check_spans(message, case.text)
    assert message.clean == case.clean
    if case.has("error"):
        assert case.get("error") in [call.status for call in message.calls]


@parametrize([case for case in CASES if case.clean])
def test_strict_mode_reads_it_alike(case: Case) -> None:
    """A clean case reads the same in strict mode."""
    dialect = toolect.dialect(case.dialect)
    strict = dialect.parse(case.text, mode="strict", **case.options)
    assert shipped_corpus.plain(strict) == shipped_corpus.plain(dialect.parse(case.text, **case.options))


@parametrize(CASES)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_chunks_do_not_matter(case: Case, mode: str) -> None:
    """Any split in two, and single characters, give the message of the whole text and events that tell it.

    What is strict about strict mode is decided when a call ends, so there one way of splitting is enough.
    """
    dialect, text = toolect.dialect(case.dialect), case.text
    message = dialect.parse(text, mode=mode, **case.options)
    expected = shipped_corpus.plain(message)
    halves = [[text[:i], text[i:]] for i in range(1, len(text))] if mode == "lenient" else []
    for chunks in [[text], list(text), *halves]:
        streamed, events = shipped_corpus.stream(dialect, chunks, mode=mode, **case.options)
        assert shipped_corpus.plain(streamed) == expected, chunks
        shipped_corpus.check_events(events, streamed)


@parametrize([case for case in CASES if not case.has("error")])
def test_renders_back(case: Case) -> None:
    """Rendering gives a canonical text back byte for byte, and any other one as a text that says the same."""
    dialect = toolect.dialect(case.dialect)
    message = dialect.parse(case.text, **case.options)
    tools = case.options.get("tools")
    if case.canonical:
        rendered = dialect.render(message, tools=tools)
        whole = case.options.get("prefix", "") + case.text
        assert rendered == case.text or len(rendered) > len(case.text) and whole.endswith(rendered)
    else:
        try:
            rendered = dialect.render(message, tools=tools)
        except toolect.Unrepresentable:
            return
    options = {key: value for key, value in case.options.items() if key != "prefix"}
    assert shipped_corpus.carried(dialect.parse(str(rendered), **options), message, dialect.spec.ids is not None)


@parametrize(CASES)
def test_no_call_without_a_marker(case: Case) -> None:
    """Where there is a call, the cheap test for markers has found one."""
    dialect = toolect.dialect(case.dialect)
    assert dialect.has_marker(case.text) or not dialect.parse(case.text, **case.options).calls


def test_prose_has_no_marker() -> None:
    """The cheap test for markers says no to plain prose, in every dialect."""
    assert not [name for name in toolect.dialects() if toolect.dialect(name).has_marker("Two words, a comma; no more.")]


def test_every_dialect_has_cases() -> None:
    """Dialects and corpus files are the same names."""
    assert {path.stem for path in shipped_corpus.ROOT.glob("*.txt")} == set(toolect.dialects())


@parametrize([case for case in CASES if not case.clean])
def test_strict_mode_repairs_nothing(case: Case) -> None:
    """Where lenient mode repairs, strict mode gives no call that may be run."""
    strict = toolect.dialect(case.dialect).parse(case.text, mode="strict", **case.options)
    assert not strict.clean
    assert not any(call.runnable and call.repairs for call in strict.calls)


# The format


def write_file(tmp_path: Path, source: str) -> Path:
    """A corpus file with this source."""
    path = tmp_path / "some-dialect.txt"
    path.write_bytes(source.encode("utf-8"))
    return path


def test_reads_bytes_exactly(tmp_path: Path) -> None:
    """Blank lines, shorter dash lines and carriage returns belong to the wire text."""
    frame = "===\nTitle\n:parse-only\n:source https://example.org/a b\n===\n"
    source = frame + '\n---\r\n  a\n---\n\n------\ncontent "x"\n\n'
    (case,) = shipped_corpus.read(write_file(tmp_path, source))
    assert (case.title, case.text, case.expected) == ("Title", "\n---\r\n  a\n---\n", 'content "x"')
    assert case.attributes == (("parse-only", ""), ("source", "https://example.org/a b"))
    assert case.dialect == "some-dialect"


@pytest.mark.parametrize("text", ["", "\n", "a", "a\n", "-------", "x\n----------\n", "===\n", "é\r\n\x00｜"])
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
