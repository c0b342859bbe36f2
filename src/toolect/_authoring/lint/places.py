"""Where the parts of a dialect are written: rules, terminals and markers in grammars, fields in the entry."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from lark import Token

from toolect._diagnostic import Place
from toolect._graph.symbols import Key, Terminal
from toolect._message import Call, Content, Segment
from toolect._spec.document import Items, Node, YamlScalar, YamlTable
from toolect._spec.entry import Entry
from toolect._spec.grammar_model import Pattern
from toolect._spec.grammar_source import GrammarSource, place_of
from toolect._spec.lark_loader import literal_pattern
from toolect._spec.leaves import leaves
from toolect._spec.model import Role, Rule, Spec


class Word(NamedTuple):
    """A name or a marker in a grammar file: what it says, where, and inside which definition."""

    definition: str
    text: str
    marker: bool
    place: Place


class SpecPlaces:
    """Where the parts of one dialect are written."""

    def __init__(self, spec: Spec, source: GrammarSource, entry: Entry, whole: Entry) -> None:
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
        spec, role = self._spec, role_of(segment)
        names = [name for name, given in spec.roles.items() if given is role and name in spec.rules]
        if role is Role.CALL:
            names += [key.split("/")[0] for key in spec.shapes]
        return self.rule(next(iter(names), "start"))

    def terminal(self, name: str) -> Place:
        """Where the terminal or slot `name` is defined or declared."""
        found = (source.defined.get(name) or source.declared.get(name) for source in files(self._source))
        return next(filter(None, found), self._entry.name.place)

    def part(self, rule: str, name: str) -> Place:
        """Where the definition of `rule` names the terminal, slot or rule `name`; else where that is defined."""
        inside = self._definition(rule)
        found = (w.place for w in self.words if not w.marker and w.text == name and w.definition == inside)
        return next(found, None) or (self.terminal(name) if name.isupper() else self.rule(name))

    def lexeme(self, rule: str, key: Key) -> tuple[str, Place]:
        """What a marker, terminal or slot is called that `rule` has, and where it has it."""
        if isinstance(key, str):
            return key, self.marker(key, rule)
        if isinstance(key, Terminal):
            used = (p.name for r, p in patterns(self._spec) if r.name == rule and p.regex == key.regex)
            name = next(used, key.regex)
        else:
            name = key.value
        return name, self.part(rule, name)

    def marker(self, text: str, rule: str = "") -> Place:
        """Where the marker `text`, or one with it inside, is written: in the definition of `rule` if it is there."""
        replaced = self._entry.table.get("markers")
        for _, value in replaced.entries if isinstance(replaced, YamlTable) else ():
            if isinstance(value, YamlScalar) and text in value.text:
                return value.place
        wanted = self._definition(rule)
        found = [word for word in self.words if word.marker and text in word.text]
        best = min(found, key=lambda word: (word.definition != wanted, word.text != text), default=None)
        return best.place if best else self.rule(rule)

    def entry(self, *path: str) -> Place:
        """Where a field, or what it has below the further keys of `path`, is written; the nearest there is."""
        tables = [self._entry.table] * (self._entry.table.get(path[0]) is not None) + [self._whole.table]
        return next(filter(None, (descend(table, path) for table in tables)), self._entry.name.place)

    def values(self) -> Place:
        """Where it is said what values look like: their codec, else what says that something is one, else the entry."""
        valued = [key for key, role in self._spec.roles.items() if role in (Role.VALUE, Role.ARGUMENTS)]
        key = next((key for key in (*valued, *self._spec.codecs) if key in self._spec.codecs), None)
        return self.entry("values", key) if key else self.entry("map", *[*valued, *self._spec.shapes][:1])

    def _definition(self, rule: str) -> str:
        """The name that the definition of a rule has in its file: an alternative's own name stands inside another's."""
        place = self.rule(rule)
        return next((word.definition for word in self.words if word.place == place), rule)


def role_of(segment: Segment) -> Role:
    """The role of the rules for segments like this one."""
    return Role.CALL if isinstance(segment, Call) else Role.CONTENT if isinstance(segment, Content) else Role.REASONING


def patterns(spec: Spec) -> Iterator[tuple[Rule, Pattern]]:
    """Every use of a terminal that is a regular expression, in the order of the grammar."""
    for rule in spec.rules.values():
        yield from ((rule, part) for part in leaves(rule.expr) if isinstance(part, Pattern))


def files(source: GrammarSource) -> Iterator[GrammarSource]:
    """A grammar file and those it imports, each once."""
    todo, met = [source], set()
    while todo:
        at = todo.pop(0)
        if at.path not in met:
            met.add(at.path)
            yield at
            todo += [other for _, other in at.imports if other is not None]


def _words(source: GrammarSource) -> Iterator[Word]:
    for statement in source.tree.children:
        if statement.data in ("import", "declare"):
            continue
        inner = statement if statement.data in ("rule", "term") else statement.children[0]
        name = next((str(t) for t in inner.children if isinstance(t, Token)), "")
        for token in inner.scan_values(lambda value: isinstance(value, Token)):
            if not token.line:
                continue
            if token.type == "STRING":
                yield Word(name, str(literal_pattern(token).value), True, place_of(source.path, token))
            elif token.type in ("RULE", "TERMINAL"):
                yield Word(name, str(token), False, place_of(source.path, token))


def descend(node: Node, path: tuple[str, ...]) -> Place | None:
    """The place of the deepest key of `path` below `node`; an item of a list is named by its text."""
    place = None
    for key in path:
        below: list[tuple[YamlScalar, Node]] = []
        if isinstance(node, YamlTable):
            below = [*node.entries]
        elif isinstance(node, Items):
            below = [(item, item) for item in node.items if isinstance(item, YamlScalar)]
        found = next((one for one in below if one[0].text == key), None)
        if found is None:
            return place
        place, node = found[0].place, found[1]
    return place
