"""What dialects can carry: every verdict is checked against round trips of its own, every loss against conversions."""

from __future__ import annotations

import json
from collections.abc import Callable

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
from toolect._corpora.fidelity import (
    FeatureVerdict,
    Finding,
    Outcomes,
    find_worst,
    good,
    losses,
    markers,
    outcomes,
    written,
)
from toolect._message import Call, Message, dumps
from toolect._rendering.roundtrip import tools_of
from toolect._spec.load import load_specs

SAMPLE = ("anthropic-tool-use", "cohere-cmd5", "hermes", "mistral-v11", "qwen3-coder")
NUMBER = {feature.name: number for number, feature in enumerate(FEATURES)}


@pytest.fixture(scope="module")
def matrix() -> dict[str, Outcomes]:
    """What some dialects that are unlike each other make of all messages."""
    return tried(*SAMPLE)


def tried(*names: str) -> dict[str, Outcomes]:
    """What dialects make of all messages, the markers of each of them in some."""
    held = sorted({marker for name in names for marker in markers(toolect.dialect(name))})
    return {name: outcomes(FEATURES, held, registry.spec(name)) for name in names}


def finding(found: Outcomes, feature: str) -> Finding:
    """What is found out about a dialect and a feature."""
    return find_worst(found[NUMBER[feature]])


# Verdicts


def without_ids(message: Message) -> Message:
    """The message, whose calls have no ids."""
    return Message([Call(s.name, s.arguments) if isinstance(s, Call) else s for s in message.segments])


@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_carried_comes_back(matrix: dict[str, Outcomes], name: str) -> None:
    """Messages of a feature that is carried are read back in either mode; with declared tools if it says so."""
    dialect = toolect.dialect(name)
    for feature, verdict in zip(FEATURES, (find_worst(of).verdict for of in matrix[name]), strict=True):
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
def test_what_is_refused_raises(matrix: dict[str, Outcomes], name: str) -> None:
    """A feature that is refused has a message that is not written, with or without declared tools, and a reason."""
    dialect = toolect.dialect(name)
    for feature, found in zip(FEATURES, map(find_worst, matrix[name]), strict=True):
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
    found = outcomes(FEATURES, (), planted.spec)
    assert {name: finding(found, name).verdict for name in KNOWN} == KNOWN
    for name, (reason, witness) in REASONS.items():
        assert (finding(found, name).reason, finding(found, name).witness) == (reason, witness)


def test_streaming_is_seen() -> None:
    """Arguments that wait for the end of the call are no streaming; those that need a schema to begin say so."""
    found = tried("hermes", "qwen3-coder", "yaml-xml")
    verdicts = {name: finding(one, "streamed strings").verdict for name, one in found.items()}
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


def lost_by_conversion(found: dict[str, Outcomes], source: str, target: str) -> set[str]:
    """The features of which some message that the source carries does not come through a real conversion."""
    lost, held = set(), sorted({marker for name in found for marker in markers(toolect.dialect(name))})
    for feature, ours in zip(FEATURES, found[source], strict=True):
        for message, outcome in zip((*feature.messages, *feature.with_markers(held)), ours, strict=True):
            if not good(outcome) or feature.sense is Sense.STREAM or feature.name in lost:
                continue
            tools = tools_of(message)
            done = convert(written(toolect.dialect(source), message, tools), source, to=target, tools=tools)
            if not comes_through(feature, message, toolect.dialect(target).parse(done.text, tools, mode="strict")):
                lost.add(feature.name)
                assert done.losses or feature.sense is not Sense.MEANING, (source, target, feature.name)
    return lost


def comes_through(feature: Feature, message: Message, back: Message) -> bool:
    """True when a message comes back, in every respect that the feature asks for."""
    if without_ids(back) != without_ids(message):
        return False
    spelled: Callable[[Message], str] = lambda one: "".join(one.calls[0].arguments_text.split())  # noqa: E731
    match feature.sense:
        case Sense.IDS:
            return back == message
        case Sense.ORDER:
            return dumps(back.calls[0].arguments) == dumps(message.calls[0].arguments)
        case Sense.SPELLING:
            return spelled(back) == spelled(message)
    return True


def test_nothing_is_lost_on_the_way_to_oneself(matrix: dict[str, Outcomes]) -> None:
    """A conversion within a dialect loses nothing."""
    assert not [one for name in SAMPLE for one in losses(FEATURES, matrix[name], matrix[name])]


@pytest.mark.parametrize("source", SAMPLE)
def test_a_loss_is_what_conversions_lose(matrix: dict[str, Outcomes], source: str) -> None:
    """What is said to be lost between two dialects is what converting the messages loses, each with a reason."""
    for target in SAMPLE:
        lost = [*losses(FEATURES, matrix[source], matrix[target])]
        assert {one.feature for one in lost} == lost_by_conversion(matrix, source, target), target
        assert all(one.reason and 0 < one.lost <= one.tried for one in lost)


@settings(max_examples=2)
@given(data=st.data())
def test_losses_of_any_two(data: st.DataObject) -> None:
    """The same for any two of all dialects."""
    names = st.sampled_from(registry.dialects())
    source, target = data.draw(names), data.draw(names)
    found = tried(*dict.fromkeys((source, target)))
    lost = {one.feature for one in losses(FEATURES, found[source], found[target])}
    assert lost == lost_by_conversion(found, source, target)


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


def test_the_data_are_written() -> None:
    """`--format json` has findings, and of two dialects what is lost."""
    result = invoke("hermes", "mistral-v11", "--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["dialects"]["mistral-v11"]["ids"]["verdict"] == "refused"
    there, back = found["losses"]
    assert (there["from"], there["to"], back["from"]) == ("hermes", "mistral-v11", "mistral-v11")
    assert "no ids" in [one["feature"] for one in there["lost"]]
    assert {"feature", "reason", "witness", "lost", "tried"} == set(there["lost"][0])


def test_any_number_of_processes_finds_the_same() -> None:
    """Two processes come to what one comes to."""
    alone, together = (invoke("hermes", "xlam", "--format", "json", "--jobs", jobs).stdout for jobs in ("1", "2"))
    assert alone == together


@pytest.mark.parametrize(
    ("words", "why"),
    [(["hermse"], "hermes"), (["auto"], "which only reads"), (["--html", "a.html"], "such option")],
)
def test_misuse_is_a_sentence(words: list[str], why: str) -> None:
    """What cannot be asked for is said in one sentence."""
    result = invoke(*words)
    assert result.exit_code == 2
    assert why in result.stderr
    assert result.stderr.count("\n") == 1
