"""Reading YAML into plain nodes that know their place. Nothing is resolved: `no`, `on` and `1_0` stay what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from toolect.diagnostic import Place
from toolect.spec.problems import Problems, near, one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 50


class Text(msgspec.Struct, frozen=True):
    """A scalar: its text, and whether it was written without quotes."""

    text: str
    plain: bool
    place: Place


class Items(msgspec.Struct, frozen=True):
    """A list."""

    items: tuple[Node, ...]
    place: Place


class Table(msgspec.Struct, frozen=True):
    """A mapping, in written order; keys are unique."""

    entries: tuple[tuple[Text, Node], ...]
    place: Place

    def get(self, name: str) -> Node | None:
        """The value of a key."""
        return next((value for key, value in self.entries if key.text == name), None)


Node: TypeAlias = Text | Items | Table


def cut(table: Table, keys: Sequence[str]) -> Table:
    """`table` without what is at `keys`, one for each level; an empty mapping in it is left out too."""
    entries = []
    for key, value in table.entries:
        if key.text == keys[0]:
            if len(keys) == 1 or not isinstance(value, Table):
                continue
            value = cut(value, keys[1:])
            if not value.entries:
                continue
        entries.append((key, value))
    return Table(tuple(entries), table.place)


def describe(node: Node) -> str:
    """What a node is, for messages of the form "expected X, got Y"."""
    match node:
        case Table():
            return "a mapping"
        case Items():
            return "a list"
        case Text(text="", plain=True):
            return "nothing"
        case Text(text=""):
            return "an empty text"
        case Text(text):
            return f"`{text}`"


def choose(node: Node, choices: list[str], what: str, problems: Problems) -> str | None:
    """The node's text when it is one of `choices`."""
    if isinstance(node, Text) and node.text in choices:
        return node.text
    hint = (isinstance(node, Text) and near(node.text, choices)) or ""
    message = f"expected {what}: {one_of(choices)}, got {describe(node)}"
    problems.error("wrong-value", message, node.place, hint=hint)
    return None


def read_text(path: Path, problems: Problems, check: str, at: Place | None = None) -> str | None:
    """The text of a file, with newlines as `\\n`; a problem at `at` when there is none."""
    top = Place(str(path), 1, 1)
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problems.error(check, f"cannot read `{path}`: {reason.lower()}", at or top)
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8", "replace")) + 1
        got = f"the byte 0x{data[error.start]:02x}"
        problems.error("not-utf8", f"expected UTF-8, got {got}", Place(str(path), line, column))
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_document(path: Path, text: str, problems: Problems) -> Table | None:
    """The mapping that a YAML text holds; nothing, and at least one problem, when it holds something else."""
    import yaml  # type: ignore[import-untyped, unused-ignore]  # its annotations are a package apart

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(str(path), text, problems)
    try:
        node = builder.document(yaml.parse(text, Loader=loader))
    except _Stop:
        return None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(str(path), mark.line + 1, mark.column + 1) if mark else Place(str(path), 1, 1)
        message = f"cannot read the YAML: {error.problem or error.context}"
        at = text.split("\n")[place.line - 1 : place.line]
        tab = bool(at) and "\t" in at[0][: at[0].find(at[0].strip()[:1])] + at[0][place.column - 1 : place.column]
        problems.error("yaml-syntax", message, place, hint="indent with spaces, not with tabs" if tab else "")
        return None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        where = re.search(r"[^\t\n -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
        at_char = where.start() if where else 0
        line = text.count("\n", 0, at_char) + 1
        place = Place(str(path), line, at_char - (text.rfind("\n", 0, at_char) + 1) + 1)
        reason = getattr(error, "reason", "") or "a character YAML does not allow"
        problems.error("yaml-syntax", f"cannot read the YAML: {reason}", place)
        return None
    if isinstance(node, Table):
        return node
    if node is None:
        problems.error("empty-spec", "expected a mapping of dialect names to entries, got an empty file", builder.top)
    else:
        message = f"expected a mapping of dialect names to entries, got {describe(node)}"
        problems.error("wrong-type", message, node.place)
    return None


class _Stop(Exception):  # it ends a function, nobody else sees it
    """Reading cannot go on; the reason has been noted."""


class _Builder:
    """Puts parse events together to nodes."""

    def __init__(self, path: str, text: str, problems: Problems) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.problems = problems
        self.top = Place(path, 1, 1)

    # The events have no annotations either, hence `object` and `getattr`.

    def document(self, events: Iterator[object]) -> Node | None:
        root: Node | None = None
        for event in events:
            match type(event).__name__:
                case "StreamStartEvent" | "StreamEndEvent" | "DocumentEndEvent":
                    continue
                case "DocumentStartEvent" if root is None:
                    root = self.node(next(events), events, 0)
                case _:
                    self.stop("expected one YAML document, got another one", event)
        return root if not isinstance(root, Text) or root.text else None

    def node(self, event: object, events: Iterator[object], depth: int) -> Node:
        kind = type(event).__name__
        if depth > MAX_DEPTH:
            self.stop(f"expected at most {MAX_DEPTH} levels of nesting, got more", event)
        if kind == "AliasEvent" or getattr(event, "anchor", None):
            self.stop("expected a value, got an anchor or alias", event, "write the value out at both places")
        if getattr(event, "tag", None) not in (None, "!"):
            tag = str(getattr(event, "tag", "")).replace("tag:yaml.org,2002:", "!!")
            self.stop(f"expected a value, got the tag `{tag}`", event)
        place = self.place(event)
        if kind == "ScalarEvent":
            return Text(getattr(event, "value", ""), getattr(event, "style", None) in (None, ""), place)
        if kind == "SequenceStartEvent":
            items: list[Node] = []
            while type(event := next(events)).__name__ != "SequenceEndEvent":
                items.append(self.node(event, events, depth + 1))
            return Items(tuple(items), place)
        entries: dict[str, tuple[Text, Node]] = {}
        while type(event := next(events)).__name__ != "MappingEndEvent":
            key = self.node(event, events, depth + 1)
            value = self.node(next(events), events, depth + 1)
            if not isinstance(key, Text):
                self.problems.error("wrong-type", f"expected a key, got {describe(key)}", key.place)
            elif key.text in entries:
                first = entries[key.text][0].place
                self.problems.error(
                    "duplicate-key",
                    f"the key `{key.text}` comes twice",
                    key.place,
                    label="again here",
                    related=((first, "first here"),),
                )
            else:
                entries[key.text] = (key, value)
        return Table(tuple(entries.values()), place)

    def place(self, event: object) -> Place:
        start, end = getattr(event, "start_mark"), getattr(event, "end_mark")  # noqa: B009  # unannotated, see above
        line = self.lines[start.line] if start.line < len(self.lines) else ""
        same = end.line == start.line and type(event).__name__ in ("ScalarEvent", "AliasEvent")
        length = end.column - start.column if same else len(line) - start.column if start.line != end.line else 1
        return Place(self.path, start.line + 1, start.column + 1, max(length, 1))

    def stop(self, message: str, event: object, hint: str = "") -> None:
        self.problems.error("yaml-syntax", message, self.place(event), hint=hint)
        raise _Stop
