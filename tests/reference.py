"""A slow, obvious reading of a dialect: samples written by walking its grammar, read from stock Lark's own tree."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from lark import Lark, Token, Tree
from lark.lexer import Lexer, PatternStr
from msgspec.structs import replace

from toolect.ir import Call, Content, Json, Message, Reasoning, Segment
from toolect.spec.document import Text
from toolect.spec.grammar import read_grammar
from toolect.spec.load import read_entries
from toolect.spec.model import (
    Alt,
    CodecKind,
    Const,
    Expr,
    Hole,
    HoleKind,
    Keyed,
    Literal,
    Many,
    Obj,
    OneOf,
    Pattern,
    Ref,
    Repeat,
    Role,
    Rule,
    Seq,
    Shape,
    Slot,
    SlotKind,
    Spec,
    Spelling,
)
from toolect.spec.problems import Problems

_AGAIN = "\0again"
"""Stands for the name of the call before."""
SLOTS = {kind.value for kind in SlotKind}


class Piece(NamedTuple):
    """A lexeme of a sample; `expr` is the grammar's atom, None for a gap."""

    text: str
    expr: Literal | Pattern | Slot | None
    value: bool = False


class Choices(Protocol):
    """Who decides what a sample looks like."""

    def count(self, least: int, once: bool, depth: int) -> int: ...
    def one(self, options: tuple[Any, ...], depth: int) -> Any: ...
    def pattern(self, regex: str) -> str: ...
    def text(self, kind: SlotKind, role: Role | None) -> str: ...
    def shaped(self, shape: Shape) -> Json: ...


class AmbiguousError(Exception):
    """The sample could be read in another way: two texts touch, or a key comes twice."""


# Writing samples


def sample(spec: Spec, choices: Choices) -> list[Piece]:
    """The lexemes of one answer that the grammar allows, with the gaps between segments."""
    pieces: list[Piece] = []
    before = ""
    for name, item in _walk(spec, spec.rules["start"], spec.rules["start"].expr, choices, 0, {}):
        if name and name == before and spec.roles.get(name) is not Role.CALL:
            raise AmbiguousError
        gap = ""
        if before and name and _calls(spec, name):
            gap = spec.gaps.between_calls if _calls(spec, before) else ""
            gap = spec.gaps.before_call if spec.roles.get(before) is Role.CONTENT else gap
        pieces += [Piece(gap, None)] * bool(gap) + item
        before = name
    solid = [piece for piece in pieces if piece.expr]
    if any(_is_text(a) and _is_text(b) for a, b in pairwise(solid)):
        raise AmbiguousError
    return pieces


def _is_text(piece: Piece) -> bool:
    return isinstance(piece.expr, Slot) and piece.expr.kind is SlotKind.TEXT


def _calls(spec: Spec, name: str, seen: frozenset[str] = frozenset()) -> bool:
    if spec.roles.get(name) is Role.CALL or any(key.partition("/")[0] == name for key in spec.shapes):
        return True
    return name not in seen and any(_calls(spec, ref, seen | {name}) for ref in _refs(spec.rules[name].expr))


def _refs(expr: Expr) -> list[str]:
    match expr:
        case Ref(rule=name):
            return [name]
        case Seq(items=items) | Alt(items=items):
            return [name for item in items for name in _refs(item)]
        case Repeat(item=item):
            return _refs(item)
    return []


def _walk(
    spec: Spec, rule: Rule, expr: Expr, choices: Choices, depth: int, said: dict[Role, str]
) -> Iterator[tuple[str, list[Piece]]]:
    """The expression's lexemes, in groups: one for each rule it refers to, with its name.

    A name or key that comes again in a rule is what the rule has `said` before.
    """
    match expr:
        case Seq(items=items):
            before: dict[str, list[Piece]] = {}
            for item in items:
                if isinstance(item, Ref) and item.again:
                    yield item.rule, before[item.rule]
                    continue
                for name, group in _walk(spec, rule, item, choices, depth, said):
                    before[name] = group
                    yield name, group
        case Alt(items=items):
            yield from _walk(spec, rule, choices.one(items, depth), choices, depth, said)
        case Repeat(item=item, least=least, once=once):
            for _ in range(choices.count(least, once, depth)):
                yield from _walk(spec, rule, item, choices, depth, said)
        case Ref(rule=name):
            inner = spec.rules[name]
            yield name, [p for _, group in _walk(spec, inner, inner.expr, choices, depth + 1, {}) for p in group]
        case Literal(text=text, others=others):
            yield "", [Piece(choices.one((text, *others), depth), expr, rule.value)]
        case Pattern(regex=regex):
            text = _named(spec, rule, expr, choices.pattern(regex))
            role = spec.roles.get(f"{rule.name}/{expr.name}") or spec.roles.get(expr.name)
            if role in (Role.NAME, Role.KEY):
                text = said.setdefault(role, text)
            yield "", [Piece(text, expr, rule.value)]
        case Slot(kind=kind):
            yield "", [Piece(_filled(spec, rule, kind, choices), expr, rule.value)]


def _named(spec: Spec, rule: Rule, expr: Pattern, text: str) -> str:
    role = spec.roles.get(f"{rule.name}/{expr.name}") or spec.roles.get(expr.name)
    return spec.ref.format(name=text, index=0) if role is Role.REF else text


def _filled(spec: Spec, rule: Rule, kind: SlotKind, choices: Choices) -> str:
    key = f"{rule.name}/{kind}"
    if key in spec.shapes:
        return json.dumps(choices.shaped(spec.shapes[key]), ensure_ascii=False)
    if key in spec.codecs and spec.codecs[key].kind is CodecKind.YAML:  # which JSON is too
        return json.dumps(choices.shaped(Hole(HoleKind.ARGUMENTS)), ensure_ascii=False)
    role = Role.VALUE if rule.value and rule.name == Role.SCALAR else spec.roles.get(rule.name)
    return choices.text(kind, spec.roles.get(key) or role)


# Reading Lark's tree


class Replay(Lexer):
    """Gives Lark the lexemes it is handed."""

    def __init__(self, conf: object) -> None: ...

    def lex(self, pieces: list[Token]) -> Iterator[Token]:
        """The lexemes as they are."""
        yield from pieces


class Stock(NamedTuple):
    """A grammar as stock Lark loads it; the spec with that grammar's own markers, and those that replace them."""

    lark: Lark
    spec: Spec
    markers: dict[str, str]
    inherited: bool

    def sample(self, choices: Choices) -> list[Piece]:
        """The lexemes of one answer, spelled as the entry wants them."""
        return [piece._replace(text=self._spelled(piece)) for piece in sample(self.spec, choices)]

    def _spelled(self, piece: Piece) -> str:
        changed = isinstance(piece.expr, Literal) and (self.inherited or piece.value)
        return self.markers.get(piece.text, piece.text) if changed else piece.text


def load(spec: Spec) -> Stock:
    """The grammar of `spec`."""
    path = next(rule.place.path for rule in spec.rules.values() if not rule.value)
    written = read_grammar(Path(path), Problems())
    assert written is not None
    lark = Lark.open(path, parser="lalr", lexer=Replay, keep_all_tokens=True, maybe_placeholders=False)
    table = read_entries(Path(spec.place.path), Problems(), only=spec.name)[spec.name].mapping("markers", Problems())
    markers = {key.text: value.text for key, value in table.entries if isinstance(value, Text)}
    return Stock(lark, replace(spec, rules=written), markers, Path(path).stem != spec.name)


def read(spec: Spec, stock: Stock, pieces: list[Piece]) -> Message:
    """What the lexemes say, by Lark's parse of them."""
    tokens = [Token(_terminal(stock, piece), piece.text) for piece in pieces if piece.expr]
    segments = list(_segments(spec, stock.lark.parse(tokens)))  # type: ignore[arg-type]  # the lexer takes a list
    for i, segment in enumerate(segments):
        if isinstance(segment, Call) and segment.name == _AGAIN:
            before = segments[i - 1]
            assert isinstance(before, Call)
            segments[i] = Call(before.name, segment.arguments, segment.id)
    return Message(segments)


def _terminal(stock: Stock, piece: Piece) -> str:
    """Lark's name for the piece: a literal's by its text, an imported one's with its module before it."""
    lark = stock.lark
    if isinstance(piece.expr, Literal) and not piece.expr.others:
        text = piece.expr.text
        return next(t.name for t in lark.terminals if isinstance(t.pattern, PatternStr) and t.pattern.value == text)
    assert piece.expr is not None
    name = piece.expr.kind.value if isinstance(piece.expr, Slot) else piece.expr.name.rpartition("__")[2]
    known = {symbol.name for rule in lark.rules for symbol in rule.expansion if symbol.is_term}
    return next((k for k in known if (piece.value or name not in known) and k.endswith(f"__{name}")), name)


def _rule(tree: Tree[Token]) -> str:
    return str(tree.data).rpartition("__")[2]


def _segments(spec: Spec, tree: Tree[Token]) -> Iterator[Segment]:
    """Content and reasoning by the rule's role; calls by the rule's role or by a shape."""
    match spec.roles.get(_rule(tree)):
        case Role.CONTENT:
            yield Content(_slot(tree))
        case Role.REASONING:
            yield Reasoning(_slot(tree))
        case Role.CALL | Role.AGAIN:
            fixed = spec.fixed_names.get(_rule(tree), _AGAIN)
            yield _call({HoleKind.NAME: fixed} | dict(_fields(spec, tree)))
        case _:
            records = list(_records(spec, tree))
            called = [HoleKind.ARGUMENTS in record for record in records if HoleKind.NAME in record]
            if records and not (called and all(called)):
                raise AmbiguousError  # bare JSON without a call, or with a name alone
            for record in records:
                yield from _said(record)
            for child in tree.children:
                if isinstance(child, Tree):
                    yield from _segments(spec, child)


def _said(record: dict[Any, Json]) -> Iterator[Segment]:
    """The segments of a record, in the order of its fields."""
    for hole, value in record.items():
        if hole is HoleKind.REASONING:
            yield Reasoning(value)
        elif hole is HoleKind.CONTENT:
            yield Content(value)
        elif hole is HoleKind.NAME:
            yield _call(record)


def _slot(tree: Tree[Token]) -> str:
    return next(str(child) for child in tree.children if isinstance(child, Token) and _name(child) in SLOTS)


def _name(token: Token) -> str:
    return token.type.rpartition("__")[2]


def _records(spec: Spec, tree: Tree[Token]) -> Iterator[dict[Any, Json]]:
    """What the shape of the rule's own JSON slot finds: one record for each call in it."""
    for child in tree.children:
        if isinstance(child, Token) and (shape := spec.shapes.get(f"{_rule(tree)}/{_name(child)}")):
            yield from filter(None, fill(shape, json.loads(child)) or ())


def fill(shape: Shape, value: Json) -> list[dict[Any, Json]] | None:
    """The holes' values, one record for each call or text; None when the value does not fit.

    The first is what the value itself holds, unless it is a list; the others are what lists in it hold.
    """
    match shape:
        case Hole(kind=HoleKind.ARGUMENTS_TEXT):
            return [{HoleKind.ARGUMENTS: json.loads(value)}] if isinstance(value, str) else None
        case Hole(kind=kind):
            return [{kind: value}]
        case Const(value=constant):
            return [{}] if value == constant else None
        case Keyed(shape=inner):
            if not isinstance(value, dict) or len(value) != 1:
                return None
            ((name, item),) = value.items()
            return _with({HoleKind.NAME: name}, fill(inner, item))
        case Many(item=inner):
            parts = [fill(inner, item) for item in value] if isinstance(value, list) else [None]
            return None if None in parts else [record for part in parts for record in part or ()]
        case OneOf(shapes=several):
            return next((found for s in several if (found := fill(s, value)) is not None), None)
        case Obj():
            return _members(shape, value) if isinstance(value, dict) else None


def _members(shape: Obj, value: dict[str, Json]) -> list[dict[Any, Json]] | None:
    own: dict[Any, Json] = {}
    others: list[dict[Any, Json]] = []
    rest = dict(value)
    for field in shape.fields:
        key = next((key for key in field.keys if key in value), None)
        rest.pop(key or "", None)
        records = [{}] if key is None and field.optional else key and fill(field.shape, value[key])
        if not isinstance(records, list):
            return None
        if not isinstance(value.get(key or ""), list) or isinstance(field.shape, Hole):
            own |= records.pop(0)
        others += records
    if shape.rest and rest:
        own.setdefault(HoleKind.ARGUMENTS, rest)
    return [own, *others]


def _with(more: dict[Any, Json], records: list[dict[Any, Json]] | None) -> list[dict[Any, Json]] | None:
    return None if records is None else [more | record for record in records]


def _fields(spec: Spec, tree: Tree[Token]) -> Iterator[tuple[Any, Json]]:
    """The parts of a call, by hole: name, id, arguments."""
    for record in _records(spec, tree):
        yield from record.items()
    arguments: list[tuple[str, Json]] = []
    for child in tree.children:
        name = _rule(child) if isinstance(child, Tree) else _name(child)
        role = spec.roles.get(f"{_rule(tree)}/{name}") or spec.roles.get(name)
        if role is Role.NAME:
            yield HoleKind.NAME, str(child)
        elif role is Role.ID:
            yield HoleKind.ID, str(child)
        elif role is Role.REF:
            yield HoleKind.NAME, _referred(spec.ref, str(child))
            if "{index}" in spec.ref:
                yield HoleKind.ID, str(child)
        elif role is Role.ARGUMENTS:
            yield HoleKind.ARGUMENTS, _value(child) if isinstance(child, Tree) else _decoded(spec, tree, child)
        elif role is Role.ARGUMENT and isinstance(child, Tree):
            arguments.append(_argument(spec, child))
        elif isinstance(child, Tree):
            for hole, value in _fields(spec, child):
                if hole is HoleKind.ARGUMENTS and isinstance(value, dict):
                    arguments += value.items()
                else:
                    yield hole, value
    if arguments:
        yield HoleKind.ARGUMENTS, _object(arguments)


def _referred(ref: str, text: str) -> str:
    found = re.fullmatch(re.escape(ref).replace(r"\{name\}", "(.*)").replace(r"\{index\}", r"\d+"), text)
    return found[1] if found else text


def _argument(spec: Spec, tree: Tree[Token]) -> tuple[str, Json]:
    roles = {(spec.roles.get(f"{_rule(tree)}/{n}") or spec.roles.get(n)): c for c in tree.children for n in [_child(c)]}
    if Role.KEY not in roles:  # only a tool's schema could name it
        raise AmbiguousError
    value = roles[Role.VALUE]
    return str(roles[Role.KEY]), _value(value) if isinstance(value, Tree) else _decoded(spec, tree, value)


def _child(child: Tree[Token] | Token) -> str:
    return _rule(child) if isinstance(child, Tree) else _name(child)


def _decoded(spec: Spec, tree: Tree[Token], token: Token) -> Json:
    """A slot's text as a value: a string if it is quoted, JSON if it must be or can be, else the text."""
    if _name(token) == SlotKind.ESCAPED:
        return str(ast.literal_eval(f"'{token}'"))
    codec = spec.codecs.get(f"{_rule(tree)}/{token.type}")
    if codec and codec.key:
        return {codec.key: str(token)}
    if codec and CodecKind.TEXT in (codec.kind, codec.untyped):
        return str(token)
    text = str(token)
    if codec and codec.kind is CodecKind.ELEMENTS and text.startswith("\n"):
        text = re.sub(r"\n[ \t]*\Z", "", text[1:])
    value = _json_or_text(text)
    if codec and codec.scalars is Spelling.PYTHON and (value is None or isinstance(value, bool | dict | list)):
        raise AmbiguousError  # JSON where Python is written
    return value


def _json_or_text(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _value(tree: Tree[Token]) -> Json:
    """A value of a value language, by the names of its rules."""
    inner = [child for child in tree.children if isinstance(child, Tree)]
    match _rule(tree):
        case "object":
            pairs = [[_value(child) for child in pair.children if isinstance(child, Tree)][:2] for pair in inner]
            if pairs and all(len(pair) == 1 for pair in pairs):
                return [key for (key,) in pairs]
            return _object(pairs)
        case "array":
            return [_value(child) for child in inner]
        case "true" | "false" | "null" as word:
            return {"true": True, "false": False, "null": None}[word]
        case "number":
            return ast.literal_eval(str(tree.children[0]).lstrip("+"))
        case "scalar" | "json":
            return _json_or_text(str(tree.children[0]))
        case "string" | "piece" | "quoted_key" | "key" if not inner:
            return _string([c for c in tree.children if isinstance(c, Token)])
        case "string":
            return "".join(map(_value, inner))
    return _value(inner[0])


def _object(pairs: Sequence[Sequence[Json]]) -> dict[str, Json]:
    if any(len(pair) == 1 for pair in pairs):
        raise AmbiguousError
    found = {str(key): value for key, value in pairs}
    if len(found) < len(pairs):
        raise AmbiguousError
    return found


def _string(tokens: list[Token]) -> str:
    if any(_name(token) == SlotKind.ESCAPED for token in tokens):
        return str(ast.literal_eval("".join(t for t in tokens if _name(t) != "PREFIX")))
    return str(tokens[len(tokens) // 2])


def _call(fields: dict[Any, Json]) -> Call:
    return Call(fields[HoleKind.NAME], fields.get(HoleKind.ARGUMENTS, {}), fields.get(HoleKind.ID))
