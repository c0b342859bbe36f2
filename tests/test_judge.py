"""The judge finds what is wrong with a reader: readers with one fault each, on texts that it draws."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from toolect import registry
from toolect._authoring.laws import same
from toolect._message import Call, Content, Message, Status
from tools.judge import drawn_texts, judge, reading_process
from tools.judge.drawn_texts import LOSSLESS, LOSSY, Meant, Text
from tools.judge.judged_readers import Checkout
from tools.judge.verdicts import proven, verdict
from tools.peers.environments import ROOT

NAMES = ("hermes", "qwen3-coder", "pythonic", "harmony")
Change = Callable[[Message, str], Message]


class Faulty:
    """A dialect's reader, whose messages are changed."""

    def __init__(self, name: str, change: Change, streamed: Change = lambda message, _: message) -> None:
        self.spec, self._name, self._change, self._streamed = registry.spec(name), name, change, streamed

    def parse(self, text: str, **options: Any) -> Message:
        """The message, changed."""
        return self._change(registry.dialect(self._name).parse(text, **options), text)

    def stream(self, **options: Any) -> Faulty:
        """A stream of one text."""
        self._text, self._stream, self.message = "", registry.dialect(self._name).stream(**options), Message()
        return self

    def feed(self, chunk: str) -> Any:
        """The events of a chunk."""
        self._text += chunk
        return self._stream.feed(chunk)

    def close(self) -> Any:
        """The last events."""
        events = self._stream.close()
        self.message = self._streamed(self._stream.message, self._text)
        return events

    def work(self, texts: list[str], size: int, **_: Any) -> list[float]:
        """As much as the square of the text, where it comes in pieces."""
        return [len(text) ** (2 if size else 1) * 10 for text in texts[: 5 if size else 3]]


def nothing(_: Message, __: str) -> Message:
    """Reads no call, and says nothing of it."""
    return Message()


def another(message: Message, _: str) -> Message:
    """Reads other arguments, and calls them good."""
    return Message([Call(call.name, {"none": True}) for call in message.calls])


def pretended(message: Message, _: str) -> Message:
    """Reads other arguments, and spells them as they stand in the text."""
    return Message([Call(c.name, dict.fromkeys(c.arguments, "x"), None, c.arguments_text) for c in message.calls])


def twice(message: Message, _: str) -> Message:
    """Runs every call once more."""
    return Message([*message.segments, *message.calls])


def labelled(message: Message, _: str) -> Message:
    """Reads every call as a broken one."""
    return Message([Call(call.name, {}, status=Status.MALFORMED) for call in message.calls])


def cut(message: Message, _: str) -> Message:
    """Reads every call as one that is cut off."""
    return Message([Call(call.name, {}, status=Status.TRUNCATED) for call in message.calls])


def raising(_: Message, __: str) -> Message:
    """Raises."""
    raise KeyError("x")


def alike(message: Message, _: str) -> Message:
    """Changes nothing."""
    return message


def drawn(draw: Any, size: int = 20) -> list[Text]:
    """Texts of four dialects."""
    return list(draw(size, Random(3), NAMES))


def words(draw: Any, change: Change, streamed: Change = alike) -> Counter[str]:
    """What becomes of the texts that a faulty reader reads."""
    return Counter(verdict(text, Faulty(text.dialect, change, streamed)).word for text in drawn(draw))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (alike, "right"), (nothing, "unlabelled"), (another, "wrong, unlabelled"), (pretended, "wrong, unlabelled"),
        (twice, "wrong, unlabelled"), (labelled, "lost"), (cut, "lost"), (raising, "raised"),
    ],
)  # fmt: skip
def test_the_fault_of_a_reader_is_found(change: Change, word: str) -> None:
    """Of texts that are as they are written, the verdict on each is the fault."""
    assert words(drawn_texts.undamaged, change) == {word: 20}


def test_damaged_texts_are_mostly_read() -> None:
    """What the reader of this checkout is good at; what reads nothing is right nowhere, and never wrong."""
    assert words(drawn_texts.lossless, alike)["right"] >= 15
    assert words(drawn_texts.lossless, nothing) == {"unlabelled": 20}
    assert words(drawn_texts.lossy, another)["wrong, unlabelled"] >= 10


def test_what_begins_a_longer_text_may_be_cut_off() -> None:
    """A text that lacks its end is read right as a call that is cut off, where more arguments could have come."""
    (one,) = drawn_texts.lossless(1, Random(1), ["hermes"])
    begun = one._replace(about=Meant(one.about.calls, True))
    assert [verdict(text, Faulty("hermes", cut)).word for text in (one, begun)] == ["lost", "right"]  # type: ignore[arg-type]


def test_another_good_text_is_proved_by_writing_it() -> None:
    """A message is what a text says, if the dialect writes the text for it."""
    dialect, tools = registry.dialect("hermes"), [{"name": "f"}]
    message = Message([Call("f", {"a": 1})])
    text = str(dialect.render(message, tools))
    assert proven("hermes", text, dialect.parse(text, tools), tools)
    assert proven("hermes", text.replace(" ", ""), message, tools)
    assert not proven("hermes", text, Message([Call("f", {"a": 2}, None, '{"a": 1}')]), tools)
    assert not proven("hermes", text.replace("a", "ab"), message, tools)


@pytest.mark.parametrize("draw", [drawn_texts.in_prose, drawn_texts.in_value, drawn_texts.in_fence, drawn_texts.prose])
def test_a_call_that_is_quoted_does_not_run(draw: Any) -> None:
    """In a page that speaks of it, in a value, in a block of code."""

    def runs(_: Message, __: str) -> Message:
        return Message([drawn_texts.INNER])

    assert words(draw, runs).keys() == {"runs"}
    assert words(draw, nothing).keys() == {"held"}


def test_a_stream_that_differs_is_found() -> None:
    """By its message, in the last detail."""

    def shorter(message: Message, text: str) -> Message:
        return Message([*message.segments[:-1], replace(message.segments[-1], span=(0, 0))]) if text else message

    assert words(drawn_texts.chunks, alike) == {"same": 20}
    assert words(drawn_texts.chunks, alike, shorter)["differs"] >= 19


def test_work_that_grows_too_fast_is_found() -> None:
    """Where it is more than linear; the figure is that of a character."""
    found = {
        (text.about[1] > 0, verdict(text, Faulty(text.dialect, alike)).word) for text in drawn(drawn_texts.hostile)
    }  # type: ignore[arg-type]
    assert found == {(False, "linear"), (True, "superlinear")}


def test_cases_are_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of others, of reports and of the corpus; without the files there are none of the first two."""
    wire = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    calls = [{"name": "f", "arguments": {"a": 1}}]
    other = {"id": "o/1", "dialect": "hermes", "text": wire, "expect": {"calls": calls}}
    report = {**other, "id": "r", "kind": "A", "tools": None, "expect": {"calls": calls, "runnable": True}}
    for name, case in (("cases.jsonl", other), ("reports.json", report)):
        (tmp_path / name).write_text(json.dumps(case), "utf-8")
    draws = drawn_texts.others, drawn_texts.reported, drawn_texts.corpus
    monkeypatch.delenv("TOOLECT_CORPUS", raising=False)
    monkeypatch.delenv("TOOLECT_CASES", raising=False)
    assert [len(drawn(draw)) for draw in draws] == [0, 0, 20]
    monkeypatch.setenv("TOOLECT_CORPUS", str(tmp_path))
    monkeypatch.setenv("TOOLECT_CASES", str(tmp_path / "reports.json"))
    for draw in draws:
        assert words(draw, alike).keys() == {"right"}
        assert words(draw, lambda *_: Message([Content("x")])).keys() == {"wrong"}


def test_damages_are_told_apart() -> None:
    """No damage is both, and each is one of the generator's."""
    assert not {*LOSSLESS} & {*LOSSY}
    assert {*LOSSLESS, *LOSSY} == {*drawn_texts.Corruption}


def test_another_process_reads_alike() -> None:
    """Messages, events and work come back as they are here; what raises there, raises here."""
    checkout = Checkout(ROOT)
    for text in (*drawn(drawn_texts.lossy, 8), *drawn(drawn_texts.chunks, 8)):
        here, there = registry.dialect(text.dialect), checkout.reader(text.dialect)
        assert same(
            there.parse(text.text, **text.options), Message.from_dict(here.parse(text.text, **text.options).to_dict())
        )
        assert verdict(text, there)[:2] == verdict(text, here)[:2]  # type: ignore[arg-type]
    assert checkout.reader("auto").parse("x\u2028\ud83d\ude00").content == "x\u2028\ud83d\ude00"
    with pytest.raises(RuntimeError, match="TypeError"):
        checkout.reader("hermes").parse("x", wrong=1)
    checkout.close()


def test_earlier_commits_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit whose messages and calls have no `to_dict` says the same."""
    text = drawn(drawn_texts.undamaged, 1)[0]
    meant = registry.dialect(text.dialect).parse(text.text)
    monkeypatch.delattr(Message, "to_dict")
    monkeypatch.delattr(Call, "to_dict")
    reading_process.answer(["stream", text.dialect, {}])
    reading_process.answer(["feed", text.text])
    whole = reading_process.answer(["parse", text.dialect, text.text, {}])
    _, streamed = reading_process.answer(["close"])
    for said in map(Message.from_dict, (whole, streamed)):
        assert said.content == meant.content
        assert [(call.name, call.arguments) for call in said.calls] == [(c.name, c.arguments) for c in meant.calls]


def test_the_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Today beside before, for what is asked; the verdicts are kept."""
    kinds = ("quoted in a value", "as written")
    asked = [word for kind in kinds for word in ("--kind", kind)]
    file = tmp_path / "kept.json"
    asked += ["--dialect", "hermes", "--before", str(ROOT), "--differences", "2", "--json", str(file), "--seed", "4"]
    assert judge.main(asked) == 0
    out = capsys.readouterr().out
    assert "| as written: right | 400 | 400 (100%) | 400 (100%) |" in out
    assert "0 texts are read otherwise" in out
    kept = json.loads(file.read_text("utf-8"))
    assert kept["seed"] == 4
    assert kept["today"] == kept["before"]
    assert {id_.startswith(kinds) for id_ in kept["today"]} == {True}


def test_differences_are_shown() -> None:
    """Those first whose verdicts differ: the text, how it is read, and both readings."""

    def read(change: Change) -> dict[str, Any]:
        return {text.id: verdict(text, Faulty(text.dialect, change)) for text in texts}  # type: ignore[arg-type]

    def shown(most: int) -> Iterator[str]:
        return judge.differences(texts, [read(alike), read(nothing)], most)

    texts = drawn(drawn_texts.undamaged)
    first, last = shown(1)
    assert last == "20 texts are read otherwise"
    assert all(part in first for part in (repr(texts[0].text), "meant", "today: right", "before: unlabelled", "call "))
