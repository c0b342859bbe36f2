"""A text that a grammar reads in two ways: the witness of a conflict."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import msgspec

from toolect._regular.shared_words import shortest
from toolect._regular.syntax import NotRegularError
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule

MAX_TEXTS = 1_000
"""Beginnings of texts that are looked at."""
MAX_WAYS = 60
"""Ways to read one beginning."""
MAX_WORK = 20_000
"""Expressions that are opened in all."""


class Readings(msgspec.Struct, frozen=True):
    """A text, and two trees that it has: as calls of the rules on the lexemes."""

    text: str
    one: str
    two: str

    @property
    def trees(self) -> str:
        """Both trees in one line."""
        if self.one == self.two:
            return f"{self.one}, in more than one way: a repetition repeats what repeats itself, or may be nothing"
        return f"{self.one}, or {self.two}"


class _Todo:
    """Linked list of what is still to be read: `head` first, None where a rule ends; equal lists are one object."""

    __slots__ = ("head", "rest")

    def __init__(self, head: Expr | None, rest: _Todo | None) -> None:
        self.head, self.rest = head, rest


class _Way(NamedTuple):
    """One way to read a beginning: what is left to do, and the tree so far."""

    todo: _Todo | None
    tree: tuple[str, ...]


def two_readings(rules: dict[str, Rule]) -> Readings | None:
    """A short text with two trees; None when none was found within bounds."""
    search = _Expansions(rules)
    start = _Way(search.todo(Ref("start"), None), ())
    level: list[tuple[tuple[str, ...], list[_Way]]] = [((), [start])]
    met: set[frozenset[_Todo | None]] = set()
    looked = 0
    while level:
        longer: list[tuple[tuple[str, ...], list[_Way]]] = []
        for lexemes, ways in level:
            looked += 1
            if looked > MAX_TEXTS:
                return None
            opened = search.all_opened(ways, MAX_WAYS)
            pair = _same(opened)
            if pair is not None and (lexemes or pair[0].tree != pair[1].tree):
                return search.readings(lexemes, pair)
            following: dict[str, list[_Way]] = {}
            for way in opened:
                if way.todo is not None:
                    lexeme = _lexeme(way.todo.head)
                    following.setdefault(lexeme, []).append(_Way(way.todo.rest, (*way.tree, lexeme)))
            for lexeme, after in following.items():
                places = frozenset(way.todo for way in after)
                if places not in met or len(after) > len(places):
                    met.add(places)
                    longer.append(((*lexemes, lexeme), after))
        level = longer
    return None


class _Expansions:
    """The expansions of rules, and the shortest ends."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        self.rules = rules
        self.work = 0
        self._todos: dict[tuple[int, _Todo | None], _Todo] = {}
        self._again: dict[int, Repeat] = {}
        self.words = {
            _lexeme(leaf): _word(leaf)
            for rule in rules.values()
            for leaf in leaves(rule.expr)
            if not isinstance(leaf, Ref)
        }

    def todo(self, head: Expr | None, rest: _Todo | None) -> _Todo:
        """`head`, a part of the rules, and then `rest`."""
        return self._todos.setdefault((id(head), rest), _Todo(head, rest))

    def all_opened(self, ways: list[_Way], limit: int) -> list[_Way]:
        """The ways on from `ways` without reading, each up to a lexeme or the end."""
        return list(islice((more for way in ways for more in self._opened(way)), limit))

    def _opened(self, way: _Way) -> Iterator[_Way]:
        stack = [(way, 0)]
        while stack and self.work < MAX_WORK:
            self.work += 1
            at, depth = stack.pop()
            if at.todo is None or isinstance(at.todo.head, Literal | Pattern | Slot):
                yield at
            elif depth < MAX_WAYS:  # what goes on without reading is a rule that begins with itself
                stack += [(more, depth + 1) for more in reversed([*self._expanded(at, at.todo)])]

    def _expanded(self, way: _Way, todo: _Todo) -> Iterator[_Way]:
        rest = todo.rest
        match todo.head:
            case None:
                yield _Way(rest, (*way.tree, ")"))
            case Seq(items):
                for item in reversed(items):
                    rest = self.todo(item, rest)
                yield _Way(rest, way.tree)
            case Alt(items):
                for item in items:
                    yield _Way(self.todo(item, rest), way.tree)
            case Repeat(item, least, once):
                again = rest
                if not once:
                    more = self._again.setdefault(id(item), Repeat(item, 0))
                    again = self.todo(more, rest)
                yield _Way(self.todo(item, again), way.tree)
                if least == 0:
                    yield _Way(rest, way.tree)
            case Ref(name):
                yield _Way(self.todo(self.rules[name].expr, self.todo(None, rest)), (*way.tree, f"{name}("))

    def readings(self, lexemes: tuple[str, ...], pair: tuple[_Way, _Way]) -> Readings:
        """The text and its trees, with the shortest end that both have."""
        end = self._finish(pair[0].todo)
        one, two = (_drawn((*way.tree, *end)) for way in pair)
        read = (*lexemes, *(part for part in end if part in self.words))
        return Readings("".join(self.words[lexeme] for lexeme in read), one, two)

    def _finish(self, todo: _Todo | None) -> tuple[str, ...]:
        """The tree of a short text that is all there is to do; where it branches, the first branch that ends."""
        level = [_Way(todo, ())]
        for _ in range(MAX_WAYS):
            opened = self.all_opened(level, MAX_WAYS * 4)
            done = next((way for way in opened if way.todo is None), None)
            if done is not None:
                return done.tree
            level = [_Way(way.todo.rest, (*way.tree, _lexeme(way.todo.head))) for way in opened if way.todo]
        return ()


def _same(ways: list[_Way]) -> tuple[_Way, _Way] | None:
    """Two ways that go on alike: with different trees if there are such."""
    first: dict[_Todo | None, _Way] = {}
    twice = None
    for way in sorted(ways, key=lambda way: way.todo is not None):  # what ends here is the shortest
        other = first.setdefault(way.todo, way)
        if other is not way:
            if other.tree != way.tree:
                return other, way
            twice = twice or (other, way)
    return twice


def _lexeme(leaf: object) -> str:
    match leaf:
        case Literal(text, _, name):
            return name or f'"{text}"'
        case Pattern(_, name):
            return name
        case Slot(kind):
            return str(kind)
        case _:
            raise AssertionError("a way stops at a lexeme")


@cache
def _word(leaf: Expr) -> str:
    match leaf:
        case Literal(text):
            return text
        case Pattern(regex):
            try:
                return shortest(regex) or "…"
            except NotRegularError:
                return "…"
        case _:
            return "{}" if leaf == Slot(SlotKind.JSON) else "a"


def _drawn(tree: tuple[str, ...]) -> str:
    """A tree on one line, without the brackets of `start`."""
    text = " ".join(tree[1:-1]).replace("( ", "(").replace(" )", ")")
    return text.replace("\n", "\\n")
