"""The corpus: cases of wire text and what each says, read from and written to `<dialect>.txt` in a folder of its own.

    ==================
    One call after text
    :tools weather
    ==================
    the wire text, character for character
    ------
    content "I'll look."
    call search {"q": "a"} id=c1
      status repaired
      repair implied-closer

The longest line of dashes divides, the last one where several are equally long; the newline before it belongs to the
frame. Attributes: `:strict` (the default), `:lenient`, `:parse-only`, `:error <status>`, `:tools <json or file>`,
`:prefix <json string>`, `:policy <name>=<value>`, `:skip <reason>`; and where the text is from, one of `:source <url>`,
`:observed <model and place>` and `:invented`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolect._compiled import check_policies
from toolect._errors import ToolectError
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, Status, dumps
from toolect._shown import cut
from toolect._values.toolset import tool_schemas

PROVENANCE = ("source", "observed", "invented")
"""Attributes for the provenance of a text: from another project, from a model, or invented by the author."""
ATTRIBUTES = {"strict", "lenient", "parse-only", "error", "tools", "prefix", "policy", "skip", *PROVENANCE}

ERRORS = (Status.TRUNCATED.value, Status.MALFORMED.value)
"""Values of `:error`: the statuses of a call that is not runnable."""

_FRAME = re.compile(r"^(={3,})\n((?!=)[^\n]+)\n((?::[^\n]*\n)*)\1\n", re.MULTILINE)
_WIDTH = 18
"""Signs in a line of a frame, at least."""
_RULE = re.compile(r"^={3,}$", re.MULTILINE)
_DIVIDER = re.compile(r"^-{3,}$", re.MULTILINE)
_URL = re.compile(r"https?://[^\s/]\S*")
_CALL = re.compile(r"call (\"(?:[^\"\\]|\\.)*\"|\S+) ")


class CorpusError(ToolectError, ValueError):
    """A corpus file that does not keep the format, with the line that does not."""

    def __init__(self, reason: str, path: Path | None = None, line: int = 0) -> None:
        super().__init__(reason, path, line)
        self.reason, self.path, self.line = reason, path, line

    def __str__(self) -> str:
        return self.reason if self.path is None else f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Case:
    """A wire text and the expectation lines written below it."""

    path: Path
    line: int
    title: str
    attributes: tuple[tuple[str, str], ...]
    text: str
    expected: str
    below: int = 0
    """The line of the file at which the expectations begin."""

    def __str__(self) -> str:
        return f"{self.dialect}: {self.title}"

    @property
    def dialect(self) -> str:
        """The dialect the case belongs to: its file's stem."""
        return self.path.stem

    def has(self, name: str) -> bool:
        """True when the attribute is written on the case."""
        return any(key == name for key, _ in self.attributes)

    def get(self, name: str) -> str:
        """The attribute's text, empty without the attribute."""
        return next((value for key, value in self.attributes if key == name), "")

    @property
    def provenance(self) -> str:
        """The attribute that says where the text is from; empty when none does."""
        return next(filter(self.has, PROVENANCE), "")

    @property
    def clean(self) -> bool:
        """True when strict mode reads the text."""
        return not (self.has("lenient") or self.has("error"))

    @property
    def canonical(self) -> bool:
        """True when rendering the message gives the text back, byte for byte."""
        return self.clean and not self.has("parse-only")

    @cached_property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of `parse` and `stream` for the case, beside text and mode."""
        options: dict[str, Any] = {}
        for line, (key, value) in enumerate(self.attributes, self.line + 2):
            try:
                options |= _option(key, value, self.path.parent / "tools")
            except (OSError, ValueError, TypeError) as error:
                missing = isinstance(error, OSError) and error.strerror
                reason = f"{error.strerror.lower()}: `{error.filename}`" if missing else error  # type: ignore[union-attr]
                raise CorpusError(f"cannot use `:{key} {value}`: {reason}", self.path, line) from None
        return options

    @cached_property
    def expectations(self) -> list[tuple[int, str]]:
        """The expectation lines, spelled as `describe` does, with their numbers in the file."""
        found = []
        for number, line in enumerate(self.expected.split("\n"), self.below):
            try:
                found += [(number, _normal_line(line))] if line.strip() else []
            except ValueError as error:
                reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                raise CorpusError(f"cannot read `{line.strip()}`: {reason}", self.path, number) from None
        return found


def _option(key: str, value: str, folder: Path) -> dict[str, Any]:
    """The argument of `parse` that an attribute stands for, if it stands for one."""
    match key:
        case "tools":
            tools = load_tools(value, folder)
            tool_schemas(tools)  # raises for what are no tools
            return {"tools": tools}
        case "prefix":
            prefix = json.loads(value)
            if not isinstance(prefix, str):
                raise ValueError("expected a text in quotes")
            return {"prefix": prefix}
        case "policy":
            name, _, setting = value.partition("=")
            policy = {name.strip().replace("-", "_"): setting.strip()}
            check_policies(policy)
            return policy
        case _:
            return {}


def load_tools(text: str, folder: Path) -> Json:
    """Tools written inline as JSON, or the name of a JSON file in `folder`."""
    if text.startswith(("[", "{")):
        return json.loads(text)
    return json.loads((folder / f"{text}.json").read_text("utf-8"))


# Reading and writing


def read(path: Path) -> list[Case]:
    """The cases of one file, in order."""
    source = path.read_bytes().decode("utf-8")
    if "\r\n" in source and source.count("\r\n") == source.count("\n"):
        raise CorpusError("expected lines that end with `\\n`, got `\\r\\n` at the end of each: save it so", path, 1)
    frames = [*_frames(source)]
    if source[: frames[0].start() if frames else None].strip():
        raise CorpusError("expected a line of = signs, a title and the same line again", path, 1)
    ends = [frame.start() for frame in frames[1:]] + [len(source)]
    cases = [_case(path, source, frame, end) for frame, end in zip(frames, ends, strict=True)]
    titles: set[str] = set()
    for case in cases:
        if case.title in titles:
            raise CorpusError(f"the title {case.title!r} is taken", path, case.line)
        titles.add(case.title)
    return cases


def _frames(source: str) -> Iterator[re.Match[str]]:
    """The frames: those whose lines are not shorter than the first one's, as texts may have such lines, too."""
    first = _FRAME.search(source)
    return (frame for frame in _FRAME.finditer(source) if first is not None and len(frame[1]) >= len(first[1]))


def _case(path: Path, source: str, frame: re.Match[str], end: int) -> Case:
    line = source.count("\n", 0, frame.start()) + 1
    body = source[frame.end() : end]
    dividers = list(_DIVIDER.finditer(body))
    if not dividers:
        raise CorpusError("expected a line of dashes below the wire text", path, line)
    divider = max(dividers, key=lambda match: (len(match[0]), match.start()))
    attributes: list[tuple[str, str]] = []
    for number, written in enumerate(frame[3].splitlines(), line + 2):
        name, _, value = written[1:].partition(" ")
        if name not in ATTRIBUTES:
            raise CorpusError(
                f"unknown attribute `:{name}`, expected one of {', '.join(sorted(ATTRIBUTES))}", path, number
            )
        if wrong := _misstated(name, value, attributes):
            raise CorpusError(wrong, path, number)
        attributes.append((name, value))
    text = body[: max(divider.start() - 1, 0)]
    below = body[divider.end() + 1 :]
    blank = len(below) - len(below.lstrip("\n"))
    number = source.count("\n", 0, frame.end() + divider.end()) + 2 + blank
    return Case(path, line, frame[2], tuple(attributes), text, below.strip("\n"), number)


def _misstated(name: str, value: str, before: Sequence[tuple[str, str]]) -> str:
    """The error in an attribute that stands after others; empty if there is none."""
    if name == "error" and value not in ERRORS:
        return f"expected `:error` with {' or '.join(ERRORS)}, got `{value}`"
    if name == "source" and not _URL.fullmatch(value):
        return f"expected `:source` with a URL, got `{value}`"
    if name == "observed" and not value.strip():
        return "expected `:observed` with a model and where it was seen, got nothing"
    given = [f"`:{key}`" for key in (*(key for key, _ in before), name) if key in PROVENANCE]
    if name in PROVENANCE and len(given) > 1:
        return f"expected one of {', '.join(f'`:{key}`' for key in PROVENANCE)}, got {' and '.join(given)}"
    return ""


def write(cases: Iterable[Case]) -> str:
    """The cases as the text of a corpus file: what `read` reads back."""
    kept = list(cases)
    taken = (len(match[0]) for case in kept for match in _RULE.finditer(case.text))
    width = max(_WIDTH, max(taken, default=0) + 1)
    return "\n".join(_write_case(case, "=" * width) for case in kept)


def _write_case(case: Case, frame: str) -> str:
    attributes = "".join(f":{name} {value}".rstrip() + "\n" for name, value in case.attributes)
    taken = max((len(match[0]) for match in _DIVIDER.finditer(case.text)), default=0)
    divider = "-" * max(6, taken + 1)
    expected = case.expected and case.expected + "\n"
    return f"{frame}\n{case.title}\n{attributes}{frame}\n{case.text}\n{divider}\n{expected}"


# Expectations


def describe(message: Message) -> str:
    """The message as expectation lines."""
    lines: list[str] = []
    for segment in message.segments:
        if isinstance(segment, Call):
            lines += _describe_call(segment)
        else:
            lines.append(f"{'content' if isinstance(segment, Content) else 'reasoning'} {_json(segment.text)}")
    lines += [f"repair {repair.kind}" for repair in message.repairs]
    return "\n".join(lines)


def outline(message: Message) -> str:
    """A message on one line, as its expectation lines say it."""
    return cut("; ".join(line.strip() for line in describe(message).splitlines()) or "nothing", 160)


def _describe_call(call: Call) -> Iterator[str]:
    name = call.name if re.fullmatch(r"[^\s\"]\S*", call.name) else _json(call.name)
    yield f"call {name} {_json(call.arguments)}" + ("" if call.id is None else f" id={call.id}")
    if call.status is not Status.OK:
        yield f"  status {call.status}"
    if not call.runnable and call.arguments_text != dumps(call.arguments):
        yield f"  text {_json(call.arguments_text)}"
    for repair in call.repairs:
        yield f"  repair {repair.kind}"


def message_of(lines: Iterable[str]) -> Message:
    """The message of expectation lines, without its repairs and statuses: what `describe` was given."""
    segments: list[Segment] = []
    for head, value, rest in map(_parts, lines):
        if head.startswith("call "):
            name = json.loads(head[5:]) if head[5:].startswith('"') else head[5:].rstrip()
            status = Status.OK if isinstance(value, dict) else Status.MALFORMED
            segments.append(Call(name, value, rest.removeprefix(" id=") or None, status=status))
        elif head in ("content ", "reasoning "):
            segments.append((Content if head == "content " else Reasoning)(value))
    return Message(segments)


def _parts(line: str) -> tuple[str, Json, str]:
    """The head of an expectation line, its JSON value, and the rest."""
    line = line.strip()
    head = re.match(r"(content |reasoning |text ) *", line) or _CALL.match(line)
    if head is not None:
        value, end = json.JSONDecoder().raw_decode(line, head.end())
        called = head[0].startswith("call ")
        if called or end == len(line):
            return head[0] if called else head[1], value, line[end:]
    if head is None and re.match(r"(repair|status) .", line):
        return line, None, ""
    raise CorpusError("expected content, reasoning, call, status, text or repair")


def normal(expected: str) -> str:
    """Expectation lines with their JSON respelled as `describe` spells it: a comparison of values, not of spelling."""
    return "\n".join(_normal_line(line) for line in expected.split("\n") if line.strip())


def _normal_line(line: str) -> str:
    head, value, rest = _parts(line)
    if head.startswith(("repair", "status")):
        return line
    return f"{'  ' * (head == 'text ')}{head}{_json(value)}{rest}"


def _json(value: Json) -> str:
    return re.sub("[\ud800-\udfff\x7f-\x9f\u2028\u2029\ufeff]", lambda match: f"\\u{ord(match[0]):04x}", dumps(value))
