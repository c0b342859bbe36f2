"""Holds a dialect against a description of its wire format: canonical examples, and quirks of real models.

strict     `example_single`, `example_parallel` and `completion_full` are read in strict mode with the entry's tools, to
           exactly the expected calls, all of them `ok`, and without repairs. The completion follows the entry's prompt
           tail, the one that the template writes by default, or the tail that opens reasoning where the completion
           holds some; it may hold one call or all of them. Its CONTENT and REASON are the content and the reasoning.
rendered   The message of each renders back byte for byte. Rendering does not write the end token, and does write the
           opener of reasoning that the prompt wrote; both are allowed for.
quirks     Read in lenient mode to the expected calls, in one piece, at every split in two and by character. A call that
           we report but hold for unrunnable is not enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec

import msgspec

from toolect._compiled import Dialect
from toolect._message import Call, Json, Message, Status, dumps
from toolect._rendered import RenderError
from toolect._spec.model import Spec
from tools.conformance.chunked import disagreement, opener, reasoning_prefix, splits, stream
from tools.conformance.scoring import equal

P = ParamSpec("P")


class Wanted(msgspec.Struct):
    """An expected call."""

    name: str
    arguments: Json
    id: str | None = None


class Quirk(msgspec.Struct):
    """Text that a real model writes, and its meaning."""

    note: str
    text: str
    expected: list[Wanted]
    ambiguous: bool = False


class Entry(msgspec.Struct):
    """One wire format."""

    name: str
    example_single: str | None
    example_parallel: str | None
    completion_full: str | None
    arguments_expected: list[Wanted]
    arguments_expected_single: list[Wanted]
    tools: Json = None
    prompt_tail: str | None = None
    prompt_tail_template_default: str | None = None
    quirks: list[Quirk] = []


@dataclass(frozen=True)
class Check:
    """One thing held against the description; `wrong` is empty when it holds."""

    dialect: str
    kind: str
    title: str
    text: str
    wrong: str = ""
    sound: bool = True


def load(path: Path) -> list[Entry]:
    """The entries of a formats file."""
    return msgspec.json.decode(path.read_bytes(), type=list[Entry])


def check(entry: Entry, dialect: Dialect) -> Iterator[Check]:
    """Everything the entry says, checked."""
    one, all_ = entry.arguments_expected_single, entry.arguments_expected
    samples = [
        ("example_single", entry.example_single, [one], [""]),
        ("example_parallel", entry.example_parallel, [all_], [""]),
        ("completion_full", entry.completion_full, [one, all_], _tails(entry, dialect.spec)),
    ]
    for title, text, wanted, tails in samples:
        if text is not None:
            ways = [list(_check_sample(entry, dialect, title, text, wanted, tail)) for tail in tails]
            yield from min(ways, key=lambda checks: sum(bool(check.wrong) for check in checks))
    for quirk in entry.quirks:
        wrong, sound = _guard(_quirk_wrong, entry, dialect, quirk)
        title = f"quirk: {quirk.note}" + (" (ambiguous)" if quirk.ambiguous else "")
        yield Check(entry.name, "quirks", title, quirk.text, wrong, sound)


def _tails(entry: Entry, spec: Spec) -> list[str]:
    """Possible ends of the prompt."""
    opened = reasoning_prefix(spec) if "REASON" in (entry.completion_full or "") else ""
    return list(dict.fromkeys([entry.prompt_tail or "", entry.prompt_tail_template_default or "", opened]))


def _check_sample(
    entry: Entry, dialect: Dialect, title: str, text: str, wanted: list[list[Wanted]], prefix: str
) -> Iterator[Check]:
    wrong, sound = _guard(_strict_wrong, entry, dialect, text, wanted, prefix)
    yield Check(entry.name, "strict", f"{title}, strict", text, wrong, sound)
    wrong, sound = _guard(_render_wrong, entry, dialect, text, prefix)
    yield Check(entry.name, "rendered", f"{title}, rendered", text, wrong, sound)


def _guard(find: Callable[P, str], *args: P.args, **kwargs: P.kwargs) -> tuple[str, bool]:
    try:
        return find(*args, **kwargs), True
    except Exception as error:
        return f"raised {error!r}", False


def _strict_wrong(entry: Entry, dialect: Dialect, text: str, wanted: list[list[Wanted]], prefix: str) -> str:
    message = dialect.parse(text, entry.tools, mode="strict", prefix=prefix)
    if not any(_are(message.calls, calls) for calls in wanted):
        return f"{_show(message)}, expected calls {_show_wanted(wanted[0])}"
    if not message.exact or any(call.status is not Status.OK for call in message.calls):
        return f"not clean: {_show(message)} {list(message.repairs)}"
    for word, got in (("CONTENT", message.content), ("REASON", message.reasoning)):
        if got != (word if word in text else ""):
            return f"{got!r}, expected {word!r}"
    options = {"tools": entry.tools, "mode": "strict", "prefix": prefix}
    return next(filter(None, (disagreement(message, stream(dialect, s, options)) for s in (list(text), [text]))), "")


def _render_wrong(entry: Entry, dialect: Dialect, text: str, prefix: str) -> str:
    message = dialect.parse(text, entry.tools, prefix=prefix)
    try:
        rendered = str(dialect.render(message, tools=entry.tools))
    except RenderError as error:
        return f"refused: {error}"
    tail = opener(dialect.spec, prefix)
    if any(rendered == before + body for before in {"", tail} for body in _bodies(text, dialect.spec.end)):
        return ""
    return f"rendered as {rendered!r}"


def _bodies(text: str, ends: Sequence[str]) -> Iterator[str]:
    """The text, and the text without the end token and what a template writes after it."""
    yield text
    for end in ends:
        for whole in {text, text.rstrip()}:
            if whole.endswith(end):
                yield whole.removesuffix(end)


def _quirk_wrong(entry: Entry, dialect: Dialect, quirk: Quirk) -> str:
    options = {"tools": entry.tools}
    message = dialect.parse(quirk.text, **options)
    if not _are(message.runnable, quirk.expected):
        return f"{_show(message)}, expected calls {_show_wanted(quirk.expected)}"
    for chunks in ([quirk.text], *splits(quirk.text)):
        if wrong := disagreement(message, stream(dialect, chunks, options)):
            return f"{chunks if len(chunks) < 3 else 'by character'}: {wrong}"
    return ""


def _are(calls: Sequence[Call], wanted: Sequence[Wanted]) -> bool:
    return len(calls) == len(wanted) and all(map(_is, calls, wanted))


def _is(call: Call, wanted: Wanted) -> bool:
    return call.name == wanted.name and wanted.id in (None, call.id) and equal(call.arguments, wanted.arguments)


def _show(message: Message) -> str:
    calls = [f"{call.name} {dumps(call.arguments)} {call.status}" for call in message.calls]
    return f"content {message.content!r}, reasoning {message.reasoning!r}, calls {calls}"


def _show_wanted(calls: Sequence[Wanted]) -> str:
    return str([f"{call.name} {dumps(call.arguments)}" for call in calls])
