"""What dialects can carry: every verdict is checked against round trips of its own, every loss against conversions."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import toolect
from toolect import registry
from toolect._cli import main
from toolect._compiled import Dialect
from toolect._conversion import convert
from toolect._corpora.features import FEATURES, Feature, Sense
from toolect._corpora.fidelity import FeatureVerdict, Finding, written
from toolect._corpora.matrix import LossBetween, Matrix, Probe, Standing, measure
from toolect._corpora.matrix_page import matrix_page
from toolect._corpora.matrix_tables import findings, signs
from toolect._corpora.pair import examples
from toolect._message import Call, Message, dumps
from toolect._rendering.roundtrip import tools_of
from toolect._spec.load import load_specs

SAMPLE = ("anthropic-tool-use", "cohere-cmd5", "hermes", "mistral-v11", "qwen3-coder")
NUMBER = {feature.name: number for number, feature in enumerate(FEATURES)}


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    """The matrix of some dialects that are unlike each other."""
    return measure([registry.spec(name) for name in SAMPLE])


def finding(matrix: Matrix, dialect: str, feature: str) -> Finding:
    """What is found out about a dialect and a feature."""
    return matrix.standings[dialect].findings[NUMBER[feature]]


# Verdicts


def without_ids(message: Message) -> Message:
    """The message, whose calls have no ids."""
    return Message([Call(s.name, s.arguments) if isinstance(s, Call) else s for s in message.segments])


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_carried_comes_back(matrix: Matrix, name: str) -> None:
    """Messages of a feature that is carried are read back in either mode; with declared tools if it says so."""
    dialect = toolect.dialect(name)
    standing = matrix.standings[name]
    for feature, verdict in zip(FEATURES, (finding.verdict for finding in standing.findings), strict=True):
        if feature.sense is Sense.STREAM or verdict in (FeatureVerdict.CHANGED, FeatureVerdict.REFUSED):
            continue
        for message in feature.messages:
            tools = tools_of(message) if verdict is FeatureVerdict.WITH_SCHEMA else None
            text = written(dialect, message, tools_of(message))
            for mode in ("strict", "lenient"):
                back = dialect.parse(text, tools, mode=mode)
                assert without_ids(back) == without_ids(message), (feature.name, text)
                if feature.sense is Sense.IDS:
                    assert back == message, (feature.name, text)
                if feature.sense is Sense.ORDER:
                    assert dumps(back.calls[0].arguments) == dumps(message.calls[0].arguments)


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_refused_raises(matrix: Matrix, name: str) -> None:
    """A feature that is refused has a message that is not written, with or without declared tools, and a reason."""
    dialect = toolect.dialect(name)
    for feature, found in zip(FEATURES, matrix.standings[name].findings, strict=True):
        if found.verdict is FeatureVerdict.REFUSED:
            assert found.reason
            if feature.messages and found.carried < found.tried and not feature.holding:
                assert any(not_written(dialect, message) for message in feature.messages), feature.name


def not_written(dialect: Dialect, message: Message) -> bool:
    """True when the dialect refuses the message."""
    try:
        written(dialect, message, tools_of(message))
    except toolect.RenderError:
        return True
    return False


GRAMMAR = """start: (content | call)*
content: TEXT
call: "<run>" NAME "|" argument* "</run>"
argument: "<" KEY ">" TEXT "</>"
NAME: /[a-z_]+/
KEY: /[a-z]+/
%declare TEXT
"""
ENTRY = """planted:
  about: "Raw values between tags"
  map: {content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key,
        argument/TEXT: argument.value}
  values: {argument/TEXT: schema}
  policies: {key-order: sorted}
"""
KNOWN = {
    "one call": FeatureVerdict.CARRIED,
    "parallel calls": FeatureVerdict.CARRIED,
    "text before": FeatureVerdict.CARRIED,
    "nested": FeatureVerdict.CARRIED,
    '"1" is not 1': FeatureVerdict.WITH_SCHEMA,
    "JSON in a string": FeatureVerdict.WITH_SCHEMA,
    "ids": FeatureVerdict.CHANGED,
    "key order": FeatureVerdict.CHANGED,
    "number spelling": FeatureVerdict.CHANGED,
    "reasoning, call": FeatureVerdict.REFUSED,
    "keys with blanks": FeatureVerdict.REFUSED,
    "keys with signs": FeatureVerdict.REFUSED,
    "dotted names": FeatureVerdict.WITH_SCHEMA,
    "markers in strings": FeatureVerdict.CARRIED,
}
REASONS = {
    "keys with blanks": ("argument key: does not match /[a-z]+/", "first name"),
    "ids": ("the id 'call_7f3a' comes back as None", "<run>f|<a>b</></run>"),
    '"1" is not 1': ('without declared types: {"a": "1"} comes back as {"a": 1}', "<run>f|<a>1</></run>"),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Dialect:
    """A dialect of which it is known what it can carry."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "grammars").mkdir()
    (folder / "grammars" / "planted.lark").write_text(GRAMMAR, "utf-8")
    (folder / "mine.yaml").write_text(ENTRY, "utf-8")
    specs, problems = load_specs(folder / "mine.yaml")
    assert not [problem for problem in problems if problem.severity == "error"]
    return Dialect(specs["planted"])


def test_a_dialect_that_is_known_is_judged_rightly(planted: Dialect) -> None:
    """Each verdict on a small dialect is the one that its grammar calls for, with a reason and what shows it."""
    found = measure([planted.spec])
    assert {name: finding(found, "planted", name).verdict for name in KNOWN} == KNOWN
    for name, (reason, witness) in REASONS.items():
        assert (finding(found, "planted", name).reason, finding(found, "planted", name).witness) == (reason, witness)


def test_streaming_is_seen() -> None:
    """Arguments that wait for the end of the call are no streaming; those that need a schema to begin say so."""
    found = measure([registry.spec(name) for name in ("hermes", "qwen3-coder", "yaml-xml")])
    verdicts = {name: finding(found, name, "streamed strings").verdict for name in found.standings}
    assert verdicts == {
        "hermes": FeatureVerdict.CARRIED,
        "qwen3-coder": FeatureVerdict.WITH_SCHEMA,
        "yaml-xml": FeatureVerdict.CHANGED,
    }


def test_features_have_names_and_messages() -> None:
    """No two features have one name, and each has something to try."""
    assert len(NUMBER) == len(FEATURES)
    assert all(feature.messages or feature.holding for feature in FEATURES)
    assert all(feature.meaning and feature.group for feature in FEATURES)


# Losses


def test_nothing_is_lost_on_the_way_to_oneself(matrix: Matrix) -> None:
    """A conversion within a dialect loses nothing."""
    for name in SAMPLE:
        assert matrix.loss(name, name) == LossBetween((), ())
        assert list(examples(matrix, toolect.dialect(name), toolect.dialect(name))) == []


def lost_by_conversion(matrix: Matrix, source: str, target: str) -> set[int]:
    """The features of which some message that the source carries does not come through a real conversion."""
    lost, tried = set(), set()
    gone = {id(probe) for probe in matrix.lost_probes(source, target)}
    for probe in matrix.carried(source):
        if (probe.feature, id(probe) in gone) in tried:
            continue  # one of those that are lost and one of those that are not will do
        tried.add((probe.feature, id(probe) in gone))
        feature, tools = matrix.features[probe.feature], tools_of(probe.message)
        done = convert(written(toolect.dialect(source), probe.message, tools), source, to=target, tools=tools)
        back = toolect.dialect(target).parse(done.text, tools, mode="strict")
        whole = without_ids(back) == without_ids(probe.message)
        match feature.sense:
            case Sense.IDS:
                whole = back == probe.message
            case Sense.ORDER:
                whole = dumps(back.calls[0].arguments) == dumps(probe.message.calls[0].arguments)
            case Sense.SPELLING:
                whole = "".join(back.calls[0].arguments_text.split()) == "".join(
                    probe.message.calls[0].arguments_text.split()
                )
        if not whole:
            lost.add(probe.feature)
        if not whole and feature.sense is Sense.MEANING:
            assert done.losses, (source, target, feature.name)  # what means something else is never said to be whole
    return lost


@pytest.mark.parametrize(
    ("source", "target", "loss"),
    [
        ((1, 1), (1, 1), LossBetween((), ())),
        ((1, 1), (1, 0), LossBetween((), (0,))),
        ((1, 1), (0, 0), LossBetween((0,), ())),
        ((1, 0), (1, 1), LossBetween((), ())),
        ((1, 0), (0, 0), LossBetween((0,), ())),
        ((0, 0), (1, 1), LossBetween((), ())),
    ],
)
def test_a_loss_follows_from_both_ends(source: tuple[int, int], target: tuple[int, int], loss: LossBetween) -> None:
    """Whatever one end carries, with declared tools or without, and the other does not, is lost."""
    feature = FEATURES[NUMBER["one call"]]
    standings = [Standing(name, (), *bits) for name, bits in (("a", source), ("b", target))]
    assert Matrix([feature], [Probe(0, feature.messages[0])], standings).loss("a", "b") == loss


@pytest.mark.parametrize("source", SAMPLE)
def test_a_loss_is_what_conversions_lose(matrix: Matrix, source: str) -> None:
    """What the matrix says is lost between two dialects is what converting the messages loses."""
    for target in SAMPLE:
        assert set(matrix.loss(source, target).lost) == lost_by_conversion(matrix, source, target), target


@settings(max_examples=2)
@given(data=st.data())
def test_losses_of_any_two(data: st.DataObject) -> None:
    """The same for any two of all dialects; every feature that is lost has an example with a reason."""
    names = st.sampled_from(registry.dialects())
    source, target = data.draw(names), data.draw(names)
    found = measure([registry.spec(name) for name in dict.fromkeys((source, target))])
    assert set(found.loss(source, target).lost) == lost_by_conversion(found, source, target)
    shown = list(examples(found, toolect.dialect(source), toolect.dialect(target)))
    assert [NUMBER[example.feature] for example in shown] == list(found.loss(source, target).lost)
    assert all(example.reason and 0 < example.lost <= example.tried for example in shown)


def test_any_number_of_processes_finds_the_same() -> None:
    """Two processes come to what one comes to."""
    specs = [registry.spec(name) for name in ("hermes", "qwen3-coder", "xlam")]
    few = [FEATURES[NUMBER[name]] for name in ("one call", "ids", "markers in strings")]
    alone, together = (measure(specs, few, jobs) for jobs in (1, 2))
    assert alone.standings == together.standings
    assert alone.order() == together.order()


def test_the_order_has_every_dialect_once(matrix: Matrix) -> None:
    """Nothing is left out of the order, and nothing comes twice."""
    assert sorted(matrix.order()) == sorted(SAMPLE)


# Findings


def test_findings_count_what_conversions_lose(matrix: Matrix) -> None:
    """Every dialect with its signs, and how many features a conversion into it loses on average."""
    found = findings(matrix)
    assert {name: found.dialects[name].signs for name in SAMPLE} == {name: signs(matrix, name) for name in SAMPLE}
    loss = found.dialects["hermes"].into * (len(SAMPLE) - 1)
    assert round(loss) == sum(len(matrix.loss(name, "hermes").lost) for name in SAMPLE)


# The page to look at


class Tags(html.parser.HTMLParser):
    """The tags of a page, and those that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # the parser's signature
        self.seen.add(tag)
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_obeys_nothing() -> None:
    """Every dialect and feature is on the page, what is hostile is shown, and there is no script in it."""
    hostile = Feature(
        "<script>alert(1)</script>", '"><b>', "</title>", (Message([Call("f", {"</i><script>": "\ud83d"})]),)
    )
    page = matrix_page(measure([registry.spec(name) for name in SAMPLE], (*FEATURES, hostile)))
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert "script" not in tags.seen
    assert all(name in page for name in SAMPLE)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    page.encode()


# The command


def invoke(*words: str) -> Result:
    """Run `toolect spec features` in this process."""
    return CliRunner().invoke(main, ["spec", "features", "--jobs", "1", *words])


def test_two_dialects_are_compared() -> None:
    """Of two dialects one sees what is lost in either direction, with the texts."""
    result = invoke("hermes", "qwen3-coder")
    assert result.exit_code == 0
    assert "hermes → qwen3-coder" in result.stdout
    assert "qwen3-coder → hermes" in result.stdout
    assert "keys with signs (5 of 8): argument key: does not match" in result.stdout
    assert '"arguments": {"\\"": "b"}' in result.stdout
    assert 'only where tools are declared: "1" is not 1' in result.stdout


def test_one_dialect_is_told_in_full() -> None:
    """Of one dialect one sees every feature."""
    result = invoke("qwen3-coder")
    assert result.exit_code == 0
    assert all(feature.name in result.stdout for feature in FEATURES)
    assert "● one call" in result.stdout
    assert "· keys with signs" in result.stdout


def test_several_dialects_are_a_table() -> None:
    """Of more than two one sees a sign for every feature of each."""
    result = invoke("hermes", "xlam", "glm-4.5")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for name in ("hermes", "xlam", "glm-4.5"):
        (line,) = [line for line in lines if line.startswith(f"  {name} ")]
        assert sum(line.count(sign) for sign in "●◐○·") == len(FEATURES)


def test_the_data_and_the_page_are_written(tmp_path: Path) -> None:
    """`--format json` has findings, losses and examples; `--html` writes the page."""
    result = invoke("hermes", "mistral-v11", "--format", "json", "--html", str(tmp_path / "m.html"))
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["dialects"]["mistral-v11"]["ids"]["verdict"] == "refused"
    assert found["losses"]["hermes"]["hermes"] == {"lost": [], "untyped": []}
    assert "no ids" in found["losses"]["hermes"]["mistral-v11"]["lost"]
    assert {"from", "to", "feature", "reason"} <= set(found["examples"][0])
    assert (tmp_path / "m.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "why"),
    [(["hermse"], "hermes"), (["auto"], "which only reads"), (["--html", "/nowhere/a.html"], "expected to")],
)
def test_misuse_is_a_sentence(words: list[str], why: str) -> None:
    """What cannot be asked for is said in one sentence."""
    result = invoke(*words)
    assert result.exit_code == 2
    assert why in result.stderr
    assert result.stderr.count("\n") == 1
