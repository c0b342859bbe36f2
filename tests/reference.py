"""A slow, obvious reading of a dialect: what stock Lark's own tree of a text says."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml
from lark import Lark, Token, Tree
from lark.lexer import Lexer, PatternStr
from msgspec.structs import replace

from toolect._authoring.generate.sampler import SampledPiece, Walker
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._spec.codec_model import CodecKind, Spelling
from toolect._spec.document import YamlScalar
from toolect._spec.grammar import read_grammar
from toolect._spec.grammar_model import SLOTS, Literal, Pattern, Slot, SlotKind
from toolect._spec.leaves import leaves
from toolect._spec.load import read_entries
from toolect._spec.model import Role, Spec
from toolect._spec.problems import Problems
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

_AGAIN = "\0again"
"""Stands for the name of the call before."""


class AmbiguousError(Exception):
    """The text could be read in another way: two texts touch in it, a key comes twice, a set is where an object is."""


class Yaml(yaml.CSafeLoader):
    """YAML 1.2's numbers, for which 1.1 wants a point and a sign before an exponent."""


Yaml.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+\Z"), list("-+0123456789")
)


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

    def sample(self, random: Random) -> list[SampledPiece]:
        """The pieces of one answer, spelled as the entry wants them."""
        walked = Walker(self.spec).walk(random)
        if walked is None:
            raise AmbiguousError
        return [piece._replace(text=self._spelled(piece)) for piece in walked.pieces]

    def _spelled(self, piece: SampledPiece) -> str:
        changed = isinstance(piece.atom, Literal) and (self.inherited or piece.value)
        return self.markers.get(piece.text, piece.text) if changed else piece.text


def load(spec: Spec) -> Stock:
    """The grammar of `spec`."""
    path = next(rule.place.path for rule in spec.rules.values() if not rule.value)
    written = read_grammar(Path(path), Problems())
    assert written is not None
    lark = Lark.open(path, parser="lalr", lexer=Replay, keep_all_tokens=True, maybe_placeholders=False)
    table = read_entries(Path(spec.place.path), Problems(), only=spec.name)[spec.name].mapping("markers", Problems())
    markers = {key.text: value.text for key, value in table.entries if isinstance(value, YamlScalar)}
    return Stock(lark, replace(spec, rules=written.rules), markers, Path(path).stem != spec.name)


def like_code(pieces: list[SampledPiece]) -> bool:
    """True when a name comes before a bracket: only that of a declared tool is sure to call it."""
    return any(isinstance(a.atom, Pattern) and b.text == "(" for a, b in pairwise(pieces))


def read(spec: Spec, stock: Stock, pieces: list[SampledPiece]) -> Message:
    """What the lexemes say, by Lark's parse of them."""
    _check(stock, pieces)
    tokens = [Token(_terminal(stock, piece), piece.text) for piece in pieces if piece.atom]
    segments = list(_segments(spec, stock.lark.parse(tokens)))  # type: ignore[arg-type]  # the lexer takes a list
    for i, segment in enumerate(segments):
        if isinstance(segment, Call) and segment.name == _AGAIN:
            before = segments[i - 1]
            assert isinstance(before, Call)
            segments[i] = Call(before.name, segment.arguments, segment.id)
    return Message(segments)


def _check(stock: Stock, pieces: list[SampledPiece]) -> None:
    """Raises where a name completes a longer marker, or a word that opens reasoning may be one of a sentence."""
    spec, texts = stock.spec, [piece.text for piece in pieces]
    every = {leaf for rule in spec.rules.values() for leaf in leaves(rule.expr) if isinstance(leaf, Literal)}
    spelled = {stock.markers.get(text, text) for leaf in every for text in (leaf.text, *leaf.others)}
    rules = [spec.rules[rule] for rule, role in spec.roles.items() if role is Role.REASONING and rule in spec.rules]
    openers = [next(leaves(rule.expr), None) for rule in rules]
    for i, (piece, after) in enumerate(pairwise(pieces)):
        longer = {text for text in spelled if len(text) > len(piece.text) and text.startswith(piece.text)}
        if isinstance(after.atom, Pattern) and "".join(texts[i : i + 3]).startswith(tuple(longer)):
            raise AmbiguousError
        line = piece.text.rpartition("\n")[2] if isinstance(piece.atom, Slot) else ""
        apart = line.strip() and not line[-1].isalnum()
        if apart and after.atom in openers and not re.search(r"[<\[{]", after.text.partition("\n")[0]):
            raise AmbiguousError


def _terminal(stock: Stock, piece: SampledPiece) -> str:
    """Lark's name for the piece: a literal's by its text, an imported one's with its module before it."""
    lark = stock.lark
    if isinstance(piece.atom, Literal) and not piece.atom.others:
        text = piece.atom.text
        return next(t.name for t in lark.terminals if isinstance(t.pattern, PatternStr) and t.pattern.value == text)
    assert piece.atom is not None
    name = piece.atom.name if isinstance(piece.atom, Slot) else piece.atom.name.rpartition("__")[2]
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
            fields = list(_fields(spec, tree))
            if len({value for hole, value in fields if hole is HoleKind.NAME}) > 1:
                raise AmbiguousError  # a header with two names
            yield _call({HoleKind.NAME: fixed} | dict(fields))
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
    name = token.type.rpartition("__")[2]
    return SLOTS[name].kind.value if name in SLOTS else name


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
            value = _value(child) if isinstance(child, Tree) else _decoded(spec, tree, child)
            if not isinstance(value, dict):
                raise AmbiguousError  # a set, which is written like an object: no arguments
            yield HoleKind.ARGUMENTS, value
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
    if _name(token) == SlotKind.ESCAPED.value:
        return str(ast.literal_eval(f"'{token}'"))
    codec = spec.codecs.get(f"{_rule(tree)}/{token.type}")
    if codec and codec.key:
        return {codec.key: str(token)}
    if codec and CodecKind.TEXT in (codec.kind, codec.untyped):
        return str(token)
    text = str(token)
    if codec and codec.spelling is Spelling.YAML:
        return yaml.load(text, Yaml)
    if codec and codec.spelling is Spelling.ELEMENTS and text.startswith("\n"):
        text = re.sub(r"\n[ \t]*\Z", "", text[1:])
    value = _json_or_text(text)
    if codec and codec.spelling is Spelling.PYTHON and (value is None or isinstance(value, bool | dict | list)):
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
            if any(_rule(pair) == "pair" and len(pair.children) == 1 and _pieces(pair) > 1 for pair in inner):
                raise AmbiguousError  # strings side by side: the member of a set, or a key and a value
            pairs = [[_value(child) for child in pair.children if isinstance(child, Tree)][:2] for pair in inner]
            if pairs and all(len(pair) == 1 for pair in pairs):
                return [key for (key,) in pairs]
            return _object(pairs)
        case "array":
            return [_value(child) for child in inner]
        case "tuple":
            ends = [str(child) for child in tree.children if isinstance(child, Token)]
            alone = len(inner) == 1 and not any("," in end for end in ends)
            return _value(inner[0]) if alone else [_value(child) for child in inner]
        case "true" | "false" | "null" as word:
            return {"true": True, "false": False, "null": None}[word]
        case "number":
            return ast.literal_eval(str(tree.children[0]).lstrip("+"))
        case "scalar" | "json":
            return _json_or_text(str(tree.children[0]))
        case "string" | "literal" | "formatted" | "quoted_key" | "key" if not inner:
            return _string([c for c in tree.children if isinstance(c, Token)])
        case "string":
            return "".join(map(_value, inner))
    return _value(inner[0])


def _pieces(tree: Tree[Token]) -> int:
    """The strings that are written side by side."""
    return sum(_rule(inner) == "piece" for inner in tree.iter_subtrees())


def _object(pairs: Sequence[Sequence[Json]]) -> dict[str, Json]:
    if any(len(pair) == 1 for pair in pairs):
        raise AmbiguousError
    found = {str(key): value for key, value in pairs}
    if len(found) < len(pairs):
        raise AmbiguousError
    return found


def _string(tokens: list[Token]) -> str:
    if any(_name(token) == SlotKind.ESCAPED.value for token in tokens):
        quoted = "".join(tokens)
        return str(ast.literal_eval(f'"{quoted[1:-1]}"' if quoted[0] == "`" else quoted))
    return str(tokens[len(tokens) // 2])


def _call(fields: dict[Any, Json]) -> Call:
    arguments = fields.get(HoleKind.ARGUMENTS, {})
    if not isinstance(arguments, dict):  # a Python set, which the grammar of objects allows
        raise AmbiguousError
    return Call(fields[HoleKind.NAME], arguments, fields.get(HoleKind.ID))
