"""Verdicts on how a reader reads a text, by the kind of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, cast

from toolect import registry
from toolect._authoring.corpus import describe, normal
from toolect._authoring.generate.corruption import respaced
from toolect._compiled import Dialect
from toolect._message import Call, Json, Message, Status, same_json
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import write
from tools.conformance.chunked import disagreement, stream
from tools.conformance.running import read
from tools.fuzz.work import CALLS, superlinear
from tools.judge.drawn_texts import INNER, Meant, Text
from tools.judge.judged_readers import RemoteReader


class Verdict(NamedTuple):
    """A word for what became of a text, what was read, and a figure where there is one."""

    word: str
    reading: str = ""
    figure: float = 0


def verdict(text: Text, reader: RemoteReader) -> Verdict:
    """Verdict on a text that a reader reads; `raised` where that raises, whatever the text is."""
    judge = _JUDGES.get(text.kind.partition(" :")[0], _held)
    try:
        return judge(text, reader)
    except Exception as error:
        return Verdict("raised", str(error))


def _meant(text: Text, reader: RemoteReader) -> Verdict:
    """Damage: right when the calls that were meant are runnable and no others, or when what is cut off says so."""
    got, about = reader.parse(text.text, **text.options), text.about
    assert isinstance(about, Meant)
    return Verdict(_word(text, got, about), describe(got))


def _word(text: Text, got: Message, meant: Meant) -> str:
    if len(got.runnable) == len(meant.calls) and all(map(_alike, got.runnable, meant.calls)):
        return "right"
    wrong = any(_times(call, got.runnable) > _times(call, meant.calls) for call in got.runnable)
    if not wrong and meant.begins and got.calls and got.calls[-1].status is Status.TRUNCATED:
        return "right"
    if not got.clean:
        return "wrong" if wrong else "lost"
    fits = len(got.calls) == len(meant.calls) and all(map(_fits, got.calls, meant.calls))
    if fits and proven(text.dialect, text.text, got, text.options["tools"]):
        return "moot"
    return "wrong, unlabelled" if wrong else "unlabelled"


def _times(call: Call, among: Sequence[Call]) -> int:
    return sum(_alike(call, one) for one in among)


def _alike(call: Call, wanted: Call) -> bool:
    return call.name == wanted.name and same_json(call.arguments, wanted.arguments)


def _fits(call: Call, wanted: Call) -> bool:
    """True when the call is of the same tool, and its arguments have the types that are declared."""
    kinds = [(type(value), type(wanted.arguments.get(key, value))) for key, value in call.arguments.items()]
    return call.name == wanted.name and all(one is other for one, other in kinds)


def proven(dialect: str, text: str, got: Message, tools: Json) -> bool:
    """True when the dialect writes this text for this message, up to white space: that proves the reading."""
    said = [Call(one.name, one.arguments, one.id) if isinstance(one, Call) else one for one in got.segments]
    try:
        again = str(write(registry.dialect(dialect), Message(said), tools))
    except (RenderError, ValueError):
        return False
    one, other = ("".join(respaced(wire, separators=(",", ":")).split()) for wire in (again, text))
    return one == other


def _held(text: Text, reader: RemoteReader) -> Verdict:
    """Texts without a call to run: whether one would be run; in a value, only the quoted one counts."""
    got = reader.parse(text.text, **text.options)
    runs = [call for call in got.runnable if text.kind != "quoted in a value" or call.name == INNER.name]
    return Verdict("runs" if runs else "held", describe(got))


def _chunked(text: Text, reader: RemoteReader) -> Verdict:
    """Stream: same when its message and events are those of the whole text."""
    ends = [0, *accumulate(text.about)]
    pieces = [text.text[start:end] for start, end in pairwise(ends) if start < len(text.text)]
    whole = reader.parse(text.text, **text.options)
    differs = disagreement(whole, stream(cast(Dialect, reader), pieces, text.options))
    return Verdict("differs" if differs else "same", f"{differs}\n{describe(whole)}".strip())


def _others(text: Text, reader: RemoteReader) -> Verdict:
    """Case of another project: right when it passes."""
    result = read(text.about, cast(Dialect, reader))
    return Verdict("right" if result.passed else "wrong", "\n".join(result.score.wrong))


def _reported(text: Text, reader: RemoteReader) -> Verdict:
    """Reported case: right when the calls are those that were meant, and run or do not as they should."""
    got = reader.parse(text.text, **text.options)
    return Verdict("wrong" if any(_misread(got, text.about)) else "right", describe(got))


def _misread(got: Message, expect: dict[str, Json]) -> Iterator[bool]:
    wanted = expect["calls"]
    yield len(got.runnable if expect["runnable"] else got.calls) != len(wanted)
    yield bool(got.runnable) is not bool(expect["runnable"])
    for call, want in zip(got.calls, wanted, strict=False):
        yield call.name != want["name"]
        yield want["arguments"] is not None and not same_json(call.arguments, want["arguments"])
    yield any(call.name in expect.get("never_runs", ()) for call in got.runnable)
    yield expect.get("content_contains", "") not in got.content
    yield "content_lacks" in expect and expect["content_lacks"] in got.content
    yield expect.get("reasoning") not in (None, got.reasoning, got.reasoning.strip())


def _expected(text: Text, reader: RemoteReader) -> Verdict:
    """Case of the corpus: right when it is read as it says."""
    said = describe(reader.parse(text.text, **text.options))
    return Verdict("right" if said == normal(text.about) else "wrong", said)


def _work(text: Text, reader: RemoteReader) -> Verdict:
    """Hostile text: superlinear when the work grows faster than the text; the figure is the work for a character."""
    flood, size = text.about
    texts = list(map(flood.text, CALLS.sizes))
    found = reader.work(texts, size, **text.options)
    each = found[-1] / len(texts[len(found) - 1])
    return Verdict("superlinear" if superlinear(found) else "linear", figure=round(each))


_JUDGES: dict[str, Callable[[Text, RemoteReader], Verdict]] = {
    "as written": _meant, "lossless": _meant, "lossy": _meant, "chunks": _chunked, "others' cases": _others,
    "reported cases": _reported, "corpus": _expected, "hostile": _work,
}  # fmt: skip
