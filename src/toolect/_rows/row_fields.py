"""Kinds of rows out of a `rows.yaml`: how a row is known, where its parts stand, and how its turns are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from toolect import _files as files
from toolect._diagnostic import Diagnostic, Severity, SpecError
from toolect._message import Json
from toolect._rows.patterns import (
    ABSENT,
    EMPTY,
    MAX_KEYS,
    Expression,
    Fields,
    Holes,
    Pattern,
    RowHole,
    Some,
    Words,
    compiled,
    fields_of,
    holes_of,
)
from toolect._rows.row_holes import ROW, TURN, take_of_row
from toolect._spec.decode import check_keys, read_struct
from toolect._spec.document import Node, YamlTable, describe, read_document, read_text
from toolect._spec.problems import Problems, near

_ROW_HOLES = msgspec.Meta(extra={"holes": (ABSENT, EMPTY, *(f"${name}" for name in ROW))})
_TURN_HOLES = msgspec.Meta(extra={"holes": (ABSENT, EMPTY, *(f"${name}" for name in TURN))})


class Speaker(StrEnum):
    """Speaker of a turn, or kind of its text: `calls` is for the JSON of calls, `tool` for a result."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    CALLS = "calls"
    REASONING = "reasoning"


class Api(StrEnum):
    """Form to which turns are brought before they are read: messages of an API, or steps of an agent."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    RESPONSES = "responses"
    STEPS = "steps"


class TurnFields(msgspec.Struct, frozen=True, kw_only=True):
    """Description of the turns of a conversation. Without `each` a turn is a message of `api`."""

    about: str
    api: Api = Api.OPENAI
    role: tuple[str, ...] = ()
    """The fields that say who speaks, the first there is."""
    text: tuple[str, ...] = ()
    roles: dict[str, Speaker] = {}
    """Words for who speaks, beside those of all turns."""
    within: dict[str, str] = {}
    """The elements that texts of a speaker, or under a word for one, stand in."""
    results: tuple[str, ...] = ()
    """Beginnings of a user's text that is the result of a call before it: an element, or a heading."""
    result: Annotated[Json, _TURN_HOLES] = ()
    """The patterns of a result in a text of the tool, which may be a JSON list of such."""
    order: tuple[Speaker, ...] = ()
    """Speakers of turns that are texts alone, in rotation."""
    each: Annotated[Json, _TURN_HOLES] = ()
    """Patterns of a turn, the first of which that fits reads it."""
    parts: Annotated[Json, _TURN_HOLES] = ()
    """Patterns of what stands in `$parts`."""
    skip: Annotated[Json, _TURN_HOLES] = ()
    """Patterns of what is no turn."""
    response: Annotated[Json, _TURN_HOLES] = ()
    """The pattern of a server's response, with the turn of the answer in `$message`."""
    ignore: tuple[str, ...] = ()
    """Fields that say nothing."""
    given: dict[str, str] = {}
    """Tools that a text alone is given, with the name of the argument that it is."""


class RowFields(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of rows as its entry has it."""

    about: str
    source: str
    row: Annotated[Json, _ROW_HOLES]
    """A pattern, or several, the first of which that fits."""
    known: Annotated[Json, _ROW_HOLES] = ()
    """Patterns one of which must fit, too."""
    turns: str = "messages"
    line: Annotated[Json, _ROW_HOLES] = ()
    """Patterns of the lines of a file that is one row: its lines are the column `events`."""
    split: dict[str, Speaker] = {}
    """Beginnings of turns in a `$transcript`, with the speaker of each."""
    ends: tuple[str, ...] = ()
    """End tokens of an answer in a `$transcript`."""
    call: str = ""
    """Marker before the JSON of a call in an answer of a `$transcript`."""
    dialect: str = ""
    """The dialect of calls in texts, where nothing else is said."""
    inside: bool = False
    """It is the kind of a row that stands in another one alone, as a request in a log."""
    branches: str = ""
    """The field of a turn in a `$tree` with those that may follow it: each way through is a conversation."""
    join: str = ""
    """The column by which the request is found in another file: without that such a row is refused."""


class TurnShape(msgspec.Struct, frozen=True):
    """A `TurnFields`, compiled."""

    fields: TurnFields
    roles: Mapping[str, Speaker]
    each: tuple[Pattern, ...]
    parts: tuple[Pattern, ...]
    skip: tuple[Pattern, ...]
    response: Pattern | None
    result: tuple[Pattern, ...]


class RowFit(NamedTuple):
    """A pattern that fits a row: values of its holes, the columns that the new row replaces, and the holes' columns."""

    pattern: Fields
    holes: Holes
    columns: frozenset[str]
    names: dict[str, str]


class RowKind(msgspec.Struct, frozen=True):
    """A kind of rows, compiled."""

    name: str
    fields: RowFields
    shape: TurnShape
    rows: tuple[Fields, ...]
    known: tuple[Pattern, ...]
    line: tuple[Pattern, ...]

    def fit(self, row: Mapping[str, Json]) -> RowFit | None:
        """Return the fit of a row of this kind; None for a row of another kind."""
        if self.known and all(one.fit(row, take_of_row) is None for one in self.known):
            return None
        return next((found for pattern in self.rows if (found := _fit(pattern, row)) is not None), None)

    def of_columns(self, columns: tuple[str, ...], plain: frozenset[str]) -> RowKind | None:
        """The kind with the patterns that a row with these columns may fit, those in `plain` lists of plain messages.

        None where no such row is of this kind.
        """
        rows = tuple(pattern for pattern in self.rows if pattern.of_keys(columns) is not None)
        known = tuple(pattern for pattern in self.known if _may_fit(pattern, columns, plain))
        return msgspec.structs.replace(self, rows=rows, known=known) if rows and (known or not self.known) else None

    def is_line(self, row: Json) -> bool:
        """True for a line of a file that is one row of this kind."""
        return any(one.fit(row, take_of_row) is not None for one in self.line)


_TEXT: dict[str, Any] = dict.fromkeys(("content", "reasoning_content", "tool_call_id", "name", "id", "arguments"), "")
_PLAIN = _TEXT | {
    "role": ("system", "developer", "user", "assistant", "tool"),
    "tool_calls": [_TEXT | {"type": ("function",), "function": _TEXT}],
}
"""Values that plain messages may have: texts, some words, lists, objects."""


def _may_fit(pattern: Pattern, columns: tuple[str, ...], plain: frozenset[str]) -> bool:
    """False where no row with these columns fits, those in `plain` being lists of plain messages."""
    if not isinstance(pattern, Fields):
        return True
    if pattern.of_keys(columns) is None:
        return False
    for field in pattern.fields:
        there = {*field.names} & {*columns}
        if there and there <= plain and not field.optional and not _fits_plain(field.value, [_PLAIN]):
            return False
    return True


def _fits_plain(pattern: Pattern, plain: Any) -> bool:
    """False where no value fits that is as `plain` says."""
    match pattern:
        case Some(item, _):
            return isinstance(plain, list) and _fits_plain(item, plain[0])
        case Fields():
            of = plain if isinstance(plain, dict) else {}
            return bool(of) and all(
                any(n in of and _fits_plain(f.value, of[n]) for n in f.names) for f in pattern.needed
            )
        case Words(words):
            return plain == "" or isinstance(plain, tuple) and not {*plain}.isdisjoint(words)
        case Expression():
            return isinstance(plain, str | tuple)
        case RowHole("steps"):
            return False
        case _:
            return True


def _fit(pattern: Fields, row: Mapping[str, Json]) -> RowFit | None:
    """A row's holes; columns of which only something is taken are kept beside the new row, if they may be missing."""
    fields = pattern.of_keys((*row,))
    if fields is None:
        return None
    holes: Holes = {}
    columns, names = set(), {}
    for field in fields:
        name, inside = field.fit(row, take_of_row)
        if name:
            for hole, values in inside.items():
                holes.setdefault(hole, []).extend(values)
                names[hole] = name
            if not (field.optional and isinstance(field.value, Fields)) and name in row:
                columns.add(name)
        elif field.is_lost(row):
            return None
    return RowFit(pattern, holes, frozenset(columns), names)


class RowKinds(msgspec.Struct, frozen=True):
    """The kinds of rows that there are, those of users before those that are shipped."""

    kinds: tuple[RowKind, ...]
    prompts: tuple[str, ...] = ()
    """Texts that stand around the definitions of tools in system texts."""
    telling: frozenset[str] = frozenset()
    """The names of fields that tell of a system or of tools in any kind: they are said where nothing reads them."""
    _of_columns: dict[tuple[tuple[str, ...], frozenset[str]], tuple[RowKind, ...]] = {}

    def of_columns(self, columns: tuple[str, ...], plain: frozenset[str]) -> tuple[RowKind, ...]:
        """The kinds that a row with these columns may be of, those in `plain` lists of plain messages."""
        found = self._of_columns.get((columns, plain))
        if found is None:
            if len(self._of_columns) >= MAX_KEYS:
                self._of_columns.clear()
            found = tuple(one for kind in self.kinds if (one := kind.of_columns(columns, plain)) is not None)
            self._of_columns[columns, plain] = found
        return found

    def __getitem__(self, name: str) -> RowKind:
        return next(kind for kind in self.kinds if kind.name == name)

    def of_lines(self, rows: list[Json]) -> RowKind | None:
        """The kind of a file whose first lines these are, if the whole file is one row."""
        return next((kind for kind in self.kinds if kind.line and rows and all(map(kind.is_line, rows))), None)


def shipped() -> Path:
    """The `rows.yaml` that comes with the package."""
    return files.shipped().with_name("rows.yaml")


@lru_cache(8)
def row_kinds(paths: tuple[str, ...] = ()) -> RowKinds:
    """The kinds of rows in these files, and the shipped ones. Raises SpecError."""
    problems = Problems()
    kinds, prompts = read_kinds((*map(Path, paths), shipped()), problems)
    if any(one.severity is Severity.ERROR for one in problems.found):
        raise SpecError(problems.found)
    telling = (name for kind in kinds for pattern in kind.rows for name in fields_of(pattern, ("system", "tools")))
    return RowKinds(kinds, prompts, frozenset(telling))


def lint_rows(path: Path) -> list[Diagnostic]:
    """Problems of a file of kinds of rows."""
    problems = Problems()
    others = () if path.resolve() == shipped().resolve() else (shipped(),)
    read_kinds((path, *others), problems)
    return [one for one in problems.found if one.place.path == str(path)]


def holds_rows(path: Path) -> bool:
    """True for a file of kinds of rows, by its first keys."""
    problems = Problems()
    text = read_text(path, problems, "missing-spec")
    document = read_document(path, text, problems) if text is not None else None
    return document is not None and any(isinstance(document.get(key), YamlTable) for key in ("rows", "turns"))


_SECTIONS = ("roles", "prompts", "turns", "rows")


def read_kinds(paths: tuple[Path, ...], problems: Problems) -> tuple[tuple[RowKind, ...], tuple[str, ...]]:
    """The kinds in these files, in their order, and their prompts; what is wrong is noted."""
    documents = []
    for path in paths:
        text = read_text(path, problems, "missing-spec")
        document = None if text is None else read_document(path, text, problems)
        if document is not None:
            check_keys(document, _SECTIONS, problems)
            documents.append(document)
    roles: dict[str, Speaker] = {}
    shapes: dict[str, TurnShape] = {}
    prompts: list[str] = []
    for document in reversed(documents):  # what is shipped comes last
        prompts += _texts(document.get("prompts"), problems)
        roles |= {key.text: word for key, word in _roles(document.get("roles"), problems)}
        for name, fields, node in _structs(document.get("turns"), TurnFields, problems):
            each, parts, skip, response, result = (
                _patterns(getattr(fields, key), node, key, problems)
                for key in ("each", "parts", "skip", "response", "result")
            )
            answer = response[0] if response else None
            shapes[name] = TurnShape(fields, roles | fields.roles, each, parts, skip, answer, result)
    kinds: dict[str, RowKind] = {}
    for document in documents:
        for name, row, node in _structs(document.get("rows"), RowFields, problems):
            if row.turns not in shapes:
                problems.error(
                    "wrong-value", f"no turns are named `{row.turns}`", node.place, hint=near(row.turns, shapes)
                )
                continue
            rows, known, line = (_patterns(getattr(row, key), node, key, problems) for key in ("row", "known", "line"))
            whole = tuple(one for one in rows if isinstance(one, Fields))
            if not whole or len(whole) < len(rows):
                problems.error("wrong-value", f"expected a pattern of a row in `{name}`, an object", node.place)
            elif not (row.join or row.inside) and not {*(hole for one in whole for hole in holes_of(one))} & _TOLD:
                expected = "expected a hole for what a row tells, as `$turns`, `$answer` or `$row`"
                problems.error("wrong-value", f"{expected}, got none in `{name}`", node.place)
            elif name not in kinds:
                kinds[name] = RowKind(name, row, shapes[row.turns], whole, known, line)
    return (*kinds.values(),), (*prompts,)


_TOLD = frozenset((
    "turns", "items", "steps", "answer", "text", "calls", "response", "row", "chosen", "transcript", "failure", "tree",
))  # fmt: skip
"""The holes of what a row tells."""


def _texts(node: Node | None, problems: Problems) -> Iterator[str]:
    for _, value in node.entries if isinstance(node, YamlTable) else ():
        if text := getattr(value, "text", ""):
            yield text
        else:
            problems.error("wrong-type", f"expected a text, got {describe(value)}", value.place)


def _roles(node: Node | None, problems: Problems) -> Iterator[tuple[Any, Speaker]]:
    for key, value in node.entries if isinstance(node, YamlTable) else ():
        word = getattr(value, "text", "")
        if word in [*Speaker]:
            yield key, Speaker(word)
        else:
            problems.error("wrong-value", f"expected one of {', '.join(Speaker)}, got {describe(value)}", value.place)


def _structs(node: Node | None, kind: type[Any], problems: Problems) -> Iterator[tuple[str, Any, YamlTable]]:
    """The entries of a section, each with its name and its place."""
    if node is not None and not isinstance(node, YamlTable):
        problems.error("wrong-type", f"expected a mapping of names to entries, got {describe(node)}", node.place)
        return
    for key, value in node.entries if node is not None else ():
        if not isinstance(value, YamlTable):
            problems.error("wrong-type", f"expected a mapping for `{key.text}`, got {describe(value)}", value.place)
            continue
        before = len(problems.found)
        found = read_struct(value, kind, problems)
        for needed in (field.name for field in msgspec.structs.fields(kind) if field.required):
            if value.get(needed) is None:
                problems.error("missing-field", f"expected `{needed}` in `{key.text}`, got none", key.place)
        if len(problems.found) == before:
            yield key.text, kind(**found), value


def _patterns(given: Json, node: YamlTable, key: str, problems: Problems) -> tuple[Pattern, ...]:
    try:
        return tuple(map(compiled, given if isinstance(given, list | tuple) else [given]))
    except ValueError as error:
        at = node.get(key) or node
        problems.error("wrong-value", f"{error} in `{key}`", at.place)
        return ()
