"""Where the parts of a dialect are written: rules, terminals and markers in grammars, fields in the entry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from lark import Token

from toolect._graph.symbols import Key, Terminal
from toolect._spec.document import Items, Node, Table, Text
from toolect._spec.entry import Entry
from toolect._spec.grammar_source import Source, place_of
from toolect._spec.lark_loader import literal_pattern
from toolect._spec.model import Role, Spec
from toolect.authoring.lint.terminals import name_of
from toolect.diagnostic import Place
from toolect.message import Call, Content, Reasoning, Segment
from toolect.rendered import Part


class Word(NamedTuple):
    """A name or a marker in a grammar file: what it says, where, and inside which definition."""

    definition: str
    text: str
    marker: bool
    place: Place


class Places:
    """Where the parts of one dialect are written."""

    def __init__(self, spec: Spec, source: Source, entry: Entry, whole: Entry) -> None:
        self._spec, self._source, self._entry, self._whole = spec, source, entry, whole

    @cached_property
    def words(self) -> list[Word]:
        """Every name and marker in the grammar's files, its own file first."""
        return [word for source in files(self._source) for word in _words(source)]

    def rule(self, name: str) -> Place:
        """Where the rule `name` is defined; where the entry begins if there is none."""
        rule = self._spec.rules.get(name)
        return rule.place if rule else self._entry.name.place

    def segment(self, segment: Segment) -> Place:
        """Where the rule for segments like this one is defined."""
        match segment:
            case Call():
                role = Role.CALL
            case Content():
                role = Role.CONTENT
            case Reasoning():
                role = Role.REASONING
        spec = self._spec
        names = [name for name, given in spec.roles.items() if given is role and name in spec.rules]
        if role is Role.CALL:
            names += [key.split("/")[0] for key in spec.shapes]
        return self.rule(next(iter(names), "start"))

    def terminal(self, name: str) -> Place:
        """Where the terminal or slot `name` is defined or declared."""
        for source in files(self._source):
            place = source.defined.get(name) or source.declared.get(name)
            if place:
                return place
        return self._entry.name.place

    def part(self, rule: str, name: str) -> Place:
        """Where the definition of `rule` names the terminal, slot or rule `name`; else where that is defined."""
        for word in self.words:
            if not word.marker and word.text == name and word.definition == self._definition(rule):
                return word.place
        return self.terminal(name) if name.isupper() else self.rule(name)

    def lexeme(self, rule: str, key: Key) -> tuple[str, Place]:
        """What a marker, terminal or slot is called that `rule` has, and where it has it."""
        if isinstance(key, str):
            return key, self.marker(key, rule)
        name = name_of(self._spec, rule, key.regex) if isinstance(key, Terminal) else key.value
        return name, self.part(rule, name)

    def marker(self, text: str, rule: str = "", last: bool = False) -> Place:
        """Where the marker `text`, or one with it inside, is written: in the definition of `rule` if it is there.

        Of several alike it is the first, or the `last`.
        """
        replaced = self._entry.table.get("markers")
        for _, value in replaced.entries if isinstance(replaced, Table) else ():
            if isinstance(value, Text) and text in value.text:
                return value.place
        found = [word for word in self.words if word.marker and text in word.text]
        wanted = self._definition(rule)
        best = min(((word.definition != wanted, word.text != text) for word in found), default=None)
        found = [word for word in found if (word.definition != wanted, word.text != text) == best]
        return found[-1 if last else 0].place if found else self.rule(rule)

    def within(self, text: str, part: str, rule: str = "") -> Place:
        """Where a part of the marker `text` is written, the last one like it if it ends with that.

        The whole marker where that cannot be seen for escapes.
        """
        place = self.marker(text, rule)
        source = next((one for one in files(self._source) if str(one.path) == place.path), None)
        line = source.text.split("\n")[place.line - 1] if source else ""
        find = line.rfind if text.strip().endswith(part) else line.find
        at = find(part, place.column, place.column + place.length - 2) if part else -1
        return place if at < 0 else Place(place.path, place.line, at + 1, len(part))

    def entry(self, *path: str) -> Place:
        """Where a field, or what it has below the further keys of `path`, is written; the nearest there is."""
        key = path[0] if path else ""
        own = self._entry.table.get(key)
        best = self._entry.name.place
        for table in (self._entry.table, self._whole.table) if own is None else (self._entry.table,):
            place = descend(table, path)
            if place is not None:
                return place
        return descend(self._whole.table, path) or best

    def slot(self, part: Part, segment: Segment) -> Place:
        """Where it is said what may stand in a part of `segment`: the codec of values, else the rule of the segment."""
        return self.values() if part in (Part.VALUE, Part.ARGUMENTS) else self.segment(segment)

    def key_of(self, part: Part) -> str:
        """What the map calls the slot that holds values or arguments; nothing for other parts."""
        return next(iter(self._valued()), "") if part in (Part.VALUE, Part.ARGUMENTS) else ""

    def values(self) -> Place:
        """Where it is said what values look like: their codec, else what says that something is one, else the entry."""
        valued = self._valued()
        for key in (*valued, *self._spec.codecs):
            if key in self._spec.codecs:
                return self.entry("values", key)
        return self.entry("map", *[*valued, *self._spec.shapes][:1])

    def _valued(self) -> list[str]:
        return [key for key, role in self._spec.roles.items() if role in (Role.VALUE, Role.ARGUMENTS)]

    def _definition(self, rule: str) -> str:
        """The name that the definition of a rule has in its file: an alternative's own name stands inside another's."""
        place = self.rule(rule)
        return next((word.definition for word in self.words if word.place == place), rule)


def files(source: Source) -> Iterator[Source]:
    """A grammar file and those it imports, each once."""
    todo, met = [source], set()
    while todo:
        at = todo.pop(0)
        if at.path not in met:
            met.add(at.path)
            yield at
            todo += [other for _, other in at.imports if other is not None]


def _words(source: Source) -> Iterator[Word]:
    for statement in source.tree.children:
        if statement.data in ("import", "declare"):
            continue
        inner = statement if statement.data in ("rule", "term") else statement.children[0]
        tokens = list(inner.scan_values(lambda value: isinstance(value, Token)))
        name = next((str(t) for t in inner.children if isinstance(t, Token)), "")
        for token in tokens:
            if not token.line:
                continue
            place = place_of(source.path, token)
            if token.type == "STRING":
                yield Word(name, str(literal_pattern(token).value), True, place)
            elif token.type in ("RULE", "TERMINAL"):
                yield Word(name, str(token), False, place)


def descend(node: Node, path: tuple[str, ...]) -> Place | None:
    """The place of the deepest key of `path` below `node`; an item of a list is named by its text."""
    place = None
    for key in path:
        if isinstance(node, Table):
            found = next(((k.place, v) for k, v in node.entries if k.text == key), None)
        elif isinstance(node, Items):
            found = next(
                ((item.place, item) for item in node.items if isinstance(item, Text) and item.text == key), None
            )
        else:
            found = None
        if found is None:
            return place
        place, node = found
    return place
