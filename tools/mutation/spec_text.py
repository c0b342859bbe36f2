"""The text of one dialect's spec, with the stretches of its parts: what mutations are made of.

A stretch is exact: what replaces it leaves every other character of the file alone. The grammar is cut up by its signs
alone, so that this knows nothing that the linter knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

FileKind = Literal["grammar", "entry"]


class Part(NamedTuple):
    """A stretch of a file, from `start` to `end`, and the text there."""

    file: FileKind
    start: int
    end: int
    text: str


class Sign(NamedTuple):
    """A sign of a grammar: `kind` is comment, string, regex, statement, name, op or space."""

    kind: str
    part: Part
    definition: str
    """The rule or terminal in whose definition it stands."""


class Pair(NamedTuple):
    """A key and a value of a mapping in the entry; `path` are the keys that lead to it, its own last."""

    path: tuple[str, ...]
    key: Part
    value: Part
    node: Any
    whole: Part
    """The pair, with what has to go with it when it is taken out."""

    @property
    def name(self) -> str:
        """The key as YAML reads it."""
        return self.path[-1]

    @property
    def text(self) -> str:
        """The value as YAML reads it, empty for a list or a mapping."""
        return self.node.value if isinstance(self.node, yaml.ScalarNode) else ""


_SIGNS = re.compile(
    r"""(?P<comment>//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<regex>/(?:\\.|[^/\\\n])+/)|(?P<statement>%\w+)
    |(?P<name>[!?_]?[A-Za-z]\w*)|(?P<op>->|[^\s])|(?P<space>\s+)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class SpecText:
    """The files of one dialect: its grammar, empty when it has that of another dialect, and the YAML file."""

    dialect: str
    grammar: str
    document: str

    @cached_property
    def signs(self) -> list[Sign]:
        """The signs of the grammar that are neither space nor comment, in order."""
        found, definition = [], ""
        for match in _SIGNS.finditer(self.grammar):
            kind = match.lastgroup or ""
            begins = match.start() == 0 or self.grammar[match.start() - 1] == "\n"
            if begins and kind in ("name", "statement"):
                definition = match[0].lstrip("?!")
            if kind not in ("space", "comment"):
                found.append(Sign(kind, Part("grammar", *match.span(), match[0]), definition))
        return found

    @cached_property
    def definitions(self) -> dict[str, list[Sign]]:
        """The signs of each rule and terminal, its name and colon first."""
        found: dict[str, list[Sign]] = {}
        for sign in self.signs:
            if not sign.definition.startswith("%"):
                found.setdefault(sign.definition, []).append(sign)
        return found

    def markers(self, definition: str = "") -> list[Part]:
        """The strings of one definition, or of all."""
        return [s.part for s in self.signs if s.kind == "string" and definition in ("", s.definition)]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair of the entry, at any depth, in order."""
        root = _composed(self.document)
        node = next((value for key, value in root.value if key.value == self.dialect), None)
        return [] if node is None else [*_pairs(self.document, node, ())]

    def field(self, name: str) -> list[Pair]:
        """The pairs of a field that is a mapping."""
        return [pair for pair in self.pairs if len(pair.path) == 2 and pair.path[0] == name]

    def stretch(self, start: int, end: int) -> Part:
        """A stretch of the YAML file."""
        return Part("entry", start, end, self.document[start:end])

    def items(self, name: str) -> list[tuple[Part, str]]:
        """The texts of a field that is a list, with what they say."""
        pair = next((p for p in self.pairs if p.path == (name,)), None)
        nodes = pair.node.value if pair is not None and isinstance(pair.node, yaml.SequenceNode) else ()
        return [(_part(self.document, node), node.value) for node in nodes if isinstance(node, yaml.ScalarNode)]


@lru_cache(maxsize=1)
def _composed(document: str) -> Any:
    """The whole file as nodes, which all its entries are looked up in."""
    return yaml.compose(document, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _pairs(text: str, node: Any, path: tuple[str, ...]) -> Iterator[Pair]:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _pairs(text, item, path)
    if not isinstance(node, yaml.MappingNode):
        return
    for number, (key, value) in enumerate(node.value):
        here = (*path, key.value)
        yield Pair(here, _part(text, key), _part(text, value), value, _removable(text, node, number))
        yield from _pairs(text, value, here)


def _part(text: str, node: Any) -> Part:
    """A node's own characters: a block ends, for YAML, where the next one begins."""
    start, end = node.start_mark.index, node.end_mark.index
    while end > start and (text[end - 1].isspace() or text[text.rfind("\n", 0, end) + 1 : end].lstrip()[:1] == "#"):
        end -= 1
    return Part("entry", start, end, text[start:end])


def _removable(text: str, node: Any, number: int) -> Part:
    """A pair with its comma, or with its lines."""
    key, value = node.value[number]
    start, end = key.start_mark.index, _part(text, value).end
    if not node.flow_style:
        start = text.rfind("\n", 0, start) + 1
        end = text.find("\n", end) + 1
    elif number + 1 < len(node.value):
        end = node.value[number + 1][0].start_mark.index
    elif number:
        start = _part(text, node.value[number - 1][1]).end
    return Part("entry", start, end, text[start:end])


def quoted(text: str) -> str:
    """A text as YAML, and as a grammar, has it between double quotes."""
    return json.dumps(text, ensure_ascii=False)


def line_after(spec: SpecText) -> Part:
    """The place where a field may be added: before the first one."""
    first = spec.pairs[0]
    start = spec.document.rfind("\n", 0, first.key.start) + 1
    return spec.stretch(start, start)


def read(root: Path, dialect: str) -> SpecText:
    """The files of a dialect in a folder with a `dialects.yaml` and `grammars/`."""
    grammar = root / "grammars" / f"{dialect}.lark"
    return SpecText(
        dialect,
        grammar.read_text("utf-8") if grammar.exists() else "",
        (root / "dialects.yaml").read_text("utf-8"),
    )
