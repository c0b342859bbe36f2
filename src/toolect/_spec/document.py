"""Reading YAML into plain nodes that know their place. Nothing is resolved: `no`, `on` and `1_0` stay what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from toolect import _files as files
from toolect._diagnostic import Place
from toolect._spec.problems import Problems, near, one_of
from toolect._spec.yaml_slips import advice

MAX_DEPTH = 50
"""Levels of nesting in the YAML file. Beyond it: diagnostic `yaml-syntax`."""


class YamlScalar(msgspec.Struct, frozen=True):
    """A scalar: its text, and whether it was written without quotes."""

    text: str
    plain: bool
    place: Place


class Items(msgspec.Struct, frozen=True):
    """A list."""

    items: tuple[Node, ...]
    place: Place


class YamlTable(msgspec.Struct, frozen=True):
    """A mapping, in written order; keys are unique."""

    entries: tuple[tuple[YamlScalar, Node], ...]
    place: Place

    def get(self, name: str) -> Node | None:
        """The value of a key."""
        return next((value for key, value in self.entries if key.text == name), None)


Node: TypeAlias = YamlScalar | Items | YamlTable


def cut(table: YamlTable, keys: Sequence[str]) -> YamlTable:
    """`table` without what is at `keys`, one for each level; an empty mapping in it is left out too."""
    entries = []
    for key, value in table.entries:
        if key.text == keys[0]:
            if len(keys) == 1 or not isinstance(value, YamlTable):
                continue
            value = cut(value, keys[1:])
            if not value.entries:
                continue
        entries.append((key, value))
    return YamlTable(tuple(entries), table.place)


def describe(node: Node) -> str:
    """Describe a node, for messages of the form "expected X, got Y"."""
    match node:
        case YamlTable():
            return "a mapping"
        case Items():
            return "a list"
        case YamlScalar(text="", plain=True):
            return "nothing"
        case YamlScalar(text=""):
            return "an empty text"
        case YamlScalar(text):
            return f"`{text}`"


def choose(node: Node, choices: list[str], what: str, problems: Problems) -> str | None:
    """The node's text when it is one of `choices`."""
    if isinstance(node, YamlScalar) and node.text in choices:
        return node.text
    hint = (isinstance(node, YamlScalar) and near(node.text, choices)) or ""
    message = f"expected {what}: {one_of(choices)}, got {describe(node)}"
    problems.error("wrong-value", message, node.place, hint=hint)
    return None


def read_text(path: Path, problems: Problems, check: str, at: Place | None = None) -> str | None:
    """The text of a file, with newlines as `\\n`; a problem at `at` when there is none."""
    top = Place(str(path), 1, 1)
    try:
        data = files.read(path)
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


def read_document(path: Path, text: str, problems: Problems) -> YamlTable | None:
    """The mapping that a YAML text holds; nothing, and at least one problem, when it holds something else."""

    try:
        node, keys = _composed(text, str(path))
    except YamlError as wrong:
        problems.error("yaml-syntax", str(wrong), wrong.place, hint=wrong.hint)
        return None
    for key in keys:
        if key.first is None:
            problems.error("wrong-type", str(key), key.place)
        else:
            related = ((key.first, "first here"),)
            problems.error("duplicate-key", str(key), key.place, label="again here", related=related)
    if isinstance(node, YamlTable):
        return node
    if node is None or isinstance(node, YamlScalar) and not node.text:
        top = Place(str(path), 1, 1)
        problems.error("empty-spec", "expected a mapping of dialect names to entries, got an empty file", top)
    else:
        message = f"expected a mapping of dialect names to entries, got {describe(node)}"
        problems.error("wrong-type", message, node.place)
    return None


@lru_cache(maxsize=2)
def _composed(text: str, path: str) -> tuple[Node | None, list[YamlError]]:
    """The node of a text, and the errors of keys in it. The last results are kept: a file is read for each entry."""
    wrong: list[YamlError] = []
    return compose(text, path, MAX_DEPTH, wrong.append), wrong


# Text to nodes


class YamlError(Exception):
    """Error of YAML that cannot be read, or of a mapping's key: it is the same as at `first`, or is no text."""

    def __init__(self, message: str, place: Place, hint: str = "", first: Place | None = None) -> None:
        super().__init__(message)
        self.place, self.hint, self.first = place, hint, first


def compose(text: str, path: str, levels: int, note: Callable[[YamlError], None]) -> Node | None:
    """The one value of a YAML text; None for no document. `note` is called for keys that are wrong, which are left out.

    Raises YamlError for what is no YAML, has anchors, aliases or tags, or more than `levels` mappings and lists inside
    one another. As `yaml.compose` repeats what an alias stands for and forgets anchors, it is not used.
    """
    import yaml  # type: ignore[import-untyped, unused-ignore]  # its annotations are a package apart

    composer = _Composer(yaml, text, path, levels, note)
    try:
        return composer.document(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        if "nesting depth" in (error.problem or "") and (deep := _too_deep(yaml, text, levels)) is not None:
            raise composer.too_deep(deep) from None  # the loader looks further ahead than that
        mark = error.problem_mark or error.context_mark
        place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path, 1, 1)
        why = error.problem or error.context or ""
        hint = advice(composer.lines, place.line, place.column, f"{why} {error.context or ''}")
    except (yaml.YAMLError, UnicodeError) as error:  # a character that YAML does not allow
        where = re.search(r"[^\t\n -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
        at_char = where.start() if where else 0
        line = text.count("\n", 0, at_char) + 1
        place = Place(path, line, at_char - (text.rfind("\n", 0, at_char) + 1) + 1)
        hint, why = "", getattr(error, "reason", "") or "a character YAML does not allow"
    raise YamlError(f"cannot read the YAML: {why}", place, hint)


def _too_deep(yaml: Any, text: str, levels: int) -> Any:
    """The first event inside of more than `levels` mappings and lists; None where something else is wrong before it."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif depth > levels:
                return event
            depth += isinstance(event, yaml.CollectionStartEvent)
    except yaml.YAMLError:
        pass
    return None


class _Composer:
    """Puts parse events, which have no annotations, together to nodes."""

    def __init__(self, yaml: Any, text: str, path: str, levels: int, note: Callable[[YamlError], None]) -> None:
        self.yaml, self.path, self.levels, self.note = yaml, path, levels, note
        self.lines = text.split("\n")

    def document(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        for event in events:
            if isinstance(event, self.yaml.DocumentStartEvent):
                if root is not None:
                    raise YamlError("expected one YAML document, got another one", self.place(event))
                root = self.node(next(events), events, 0)
        return root

    def node(self, event: Any, events: Iterator[Any], level: int) -> Node:
        yaml, place = self.yaml, self.place(event)
        if level > self.levels:
            raise self.too_deep(event)
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            hint = "write the value out at both places"
            raise YamlError("expected a value, got an anchor or alias", place, hint)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise YamlError(f"expected a value, got the tag `{tag}`", place)
        if isinstance(event, yaml.ScalarEvent):
            return YamlScalar(event.value, not event.style, place)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(event := next(events), yaml.SequenceEndEvent):
                items.append(self.node(event, events, level + 1))
            return Items(tuple(items), place)
        entries: dict[str, tuple[YamlScalar, Node]] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self.node(event, events, level + 1)
            value = self.node(next(events), events, level + 1)
            if not isinstance(key, YamlScalar):
                self.note(YamlError(f"expected a key, got {describe(key)}", key.place))
            elif key.text in entries:
                first = entries[key.text][0].place
                self.note(YamlError(f"the key `{key.text}` comes twice", key.place, first=first))
            else:
                entries[key.text] = (key, value)
        return YamlTable(tuple(entries.values()), place)

    def too_deep(self, event: Any) -> YamlError:
        """The error for an event that is nested too deep."""
        return YamlError(f"expected at most {self.levels} levels of nesting, got more", self.place(event))

    def place(self, event: Any) -> Place:
        start, end = event.start_mark, event.end_mark
        line = self.lines[start.line] if start.line < len(self.lines) else ""
        same = end.line == start.line and isinstance(event, self.yaml.ScalarEvent | self.yaml.AliasEvent)
        length = end.column - start.column if same else len(line) - start.column if start.line != end.line else 1
        return Place(self.path, start.line + 1, start.column + 1, max(length, 1))
