"""What the laws are tried on: messages, tools, wire texts and chunkings, all drawn from a spec alone."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from hypothesis import strategies as st

import toolect
from toolect.ir import Call, Content, Json, Message, Reasoning, Segment
from toolect.spec.model import (
    Alt,
    Expr,
    Hole,
    HoleKind,
    Keyed,
    Literal,
    Many,
    Obj,
    OneOf,
    Pattern,
    Repeat,
    Role,
    Seq,
    Shape,
    Slot,
    SlotKind,
    Spec,
)

if TYPE_CHECKING:
    from toolect.compiled import Dialect

Draw = Callable[[st.SearchStrategy[Any]], Any]

P = ParamSpec("P")
T = TypeVar("T")


def once(make: Callable[Concatenate[Spec, P], T]) -> Callable[Concatenate[Spec, P], T]:
    """Makes a strategy once for each spec: building one costs more than drawing from it."""
    made: dict[Any, tuple[Spec, T]] = {}

    @functools.wraps(make)
    def wrapper(spec: Spec, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (id(spec), args, tuple(kwargs.items()))
        if key not in made:
            made[key] = (spec, make(spec, *args, **kwargs))
        return made[key][1]

    return wrapper


# What a spec contains


def atoms(expr: Expr) -> Iterator[Expr]:
    """The literals, patterns, slots and references of an expression, in order."""
    match expr:
        case Seq(items=items) | Alt(items=items):
            for item in items:
                yield from atoms(item)
        case Repeat(item=item):
            yield from atoms(item)
        case _:
            yield expr


def shapes(shape: Shape) -> Iterator[Shape]:
    """The shape and every shape inside it."""
    yield shape
    match shape:
        case Obj(fields=fields):
            for field in fields:
                yield from shapes(field.shape)
        case Keyed(shape=inner) | Many(item=inner):
            yield from shapes(inner)
        case OneOf(shapes=several):
            for inner in several:
                yield from shapes(inner)


def markers(spec: Spec) -> list[str]:
    """Every fixed string of the dialect, longest first, and the brace that opens JSON."""
    found = {"{"}
    for rule in spec.rules.values():
        for atom in atoms(rule.expr):
            if isinstance(atom, Literal):
                found |= {atom.text, *atom.others}
    found |= {*spec.end, *spec.prefill, spec.gaps.before_call, spec.gaps.between_calls}
    return sorted(found - {""}, key=lambda marker: (-len(marker), marker))


def roles(spec: Spec) -> set[Role]:
    """The roles the entry gives out."""
    return set(spec.roles.values())


def holes(spec: Spec) -> set[HoleKind]:
    """The holes of the spec's shapes."""
    return {s.kind for shape in spec.shapes.values() for s in shapes(shape) if isinstance(s, Hole)}


def patterns(spec: Spec, role: Role) -> list[str]:
    """The regular expressions of the terminals with this role."""
    names = {key.rpartition("/")[2] for key, value in spec.roles.items() if value is role}
    rules = [rule.expr for rule in spec.rules.values()]
    return sorted({a.regex for expr in rules for a in atoms(expr) if isinstance(a, Pattern) and a.name in names})


# Text and JSON

_SIGNS = [*"{}[]()<>/,:=|`\\\"'｜▁😀", "```", "👩\u200d👩\u200d👧", "&lt;"]
_WORDS = ["null", "None", "true", "0", "020", "-1.50"]
_ODD = [*_SIGNS, *_WORDS, "\x00", "\x1b", "\x85", "\u2028", "\ufeff", "\ud83d", "\udc00", "\r\n", "\n", " ", "\t"]
_ANY = st.text(st.characters(exclude_categories=()), max_size=8)
PLAIN = st.text("abcxyz äß é😀｜ 017 .!?-\n", max_size=16)


@once
def hostile(spec: Spec) -> st.SearchStrategy[str]:
    """Text that tries to be mistaken: the dialect's markers, their halves, odd characters."""
    whole = st.sampled_from(markers(spec))
    half = st.builds(_half, whole, st.integers(0, 99), st.booleans())
    return st.lists(st.one_of(_ANY, st.sampled_from(_ODD), PLAIN, whole, half), max_size=5).map("".join)


def _half(marker: str, at: int, end: bool) -> str:
    at %= len(marker)
    return marker[at:] if end else marker[:at]


def scalars(text: st.SearchStrategy[str]) -> st.SearchStrategy[Json]:
    """JSON scalars, with numbers at the edges."""
    numbers = st.one_of(
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from([0, -0.0, 1e-320, 1.7e308, 2**53 + 1, 1e22, 0.1]),
        st.sampled_from([20, 400, 4000]).map(lambda digits: -(10**digits)),
    )
    return st.one_of(st.none(), st.booleans(), numbers, text)


def values(text: st.SearchStrategy[str], keys: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Json]:
    """JSON values of any kind, sometimes deep."""
    keys = text if keys is None else keys
    nested = st.recursive(
        scalars(text),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=8,
    )
    deep = st.builds(_nest, scalars(text), st.integers(20, 60), st.booleans())
    return st.one_of(scalars(text), nested, nested, deep)


def _nest(value: Json, depth: int, as_list: bool) -> Json:
    for _ in range(depth):
        value = [value] if as_list else {"a": value}
    return value


# Messages


def fitting(spec: Spec, role: Role, otherwise: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Text that the role's terminal matches whole, or any where no terminal limits it."""
    regexes = patterns(spec, role)
    return st.one_of([st.from_regex(regex, fullmatch=True) for regex in regexes]) if regexes else otherwise


@once
def messages(spec: Spec, wild: bool = True) -> st.SearchStrategy[Message]:
    """Messages of the kinds the dialect knows. Wild ones need not be representable; tame ones have harmless text."""
    text = hostile(spec) if wild else PLAIN.filter(lambda t: t == t.strip() and t)
    calls = _calls(spec, text)
    kinds: list[st.SearchStrategy[Segment]] = [calls, calls, text.map(Content)]
    if Role.REASONING in roles(spec) or HoleKind.REASONING in holes(spec):
        kinds.append(text.map(Reasoning))
    lists = st.lists(st.one_of(kinds), min_size=0 if wild else 1, max_size=4)
    return lists.map(_apart).map(functools.partial(_number, spec)).map(Message)


def _calls(spec: Spec, text: st.SearchStrategy[str]) -> st.SearchStrategy[Call]:
    names = st.sampled_from(["f", "get_time", "a.b-c"]) | fitting(spec, Role.NAME, text.filter(bool))
    keys = st.sampled_from(["a", "b", "path"]) | fitting(spec, Role.KEY, text)
    ids = st.none()
    if HoleKind.ID in holes(spec) or Role.ID in roles(spec):
        ids = st.none() | fitting(spec, Role.ID, st.text("abcXYZ019", min_size=1, max_size=9))
    arguments = st.dictionaries(keys, values(text), max_size=4)
    return st.builds(Call, names, arguments, ids)


def _apart(segments: list[Segment]) -> list[Segment]:
    """The segments without a text that touches another of its kind: on the wire those are one."""
    kept: list[Segment] = []
    for segment in segments:
        if isinstance(segment, Call) or not kept or type(kept[-1]) is not type(segment):
            kept.append(segment)
    return kept


def _number(spec: Spec, segments: list[Segment]) -> list[Segment]:
    """The segments with ids as the spec's `ref` writes them, where it numbers the calls."""
    if "{index}" not in spec.ref:
        return segments
    count = iter(range(len(segments)))
    return [
        Call(s.name, s.arguments, spec.ref.format(name=s.name, index=next(count))) if isinstance(s, Call) else s
        for s in segments
    ]


def tools(message: Message) -> list[Json]:
    """Tools whose schemas declare exactly the types of the message's arguments."""
    types: dict[str, dict[str, set[str]]] = {}
    for call in message.calls:
        for key, value in call.arguments.items():
            types.setdefault(call.name, {}).setdefault(key, set()).add(json_type(value))
        types.setdefault(call.name, {})
    return [
        {"name": name, "parameters": {"type": "object", "properties": {k: {"type": _one(t)} for k, t in found.items()}}}
        for name, found in types.items()
    ]


def _one(types: set[str]) -> Json:
    return next(iter(types)) if len(types) == 1 else sorted(types)


def json_type(value: Json) -> str:
    """The JSON Schema type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


# Wire texts


def canonical(dialect: Dialect, *, wild: bool = True) -> st.SearchStrategy[str]:
    """Wire texts as the dialect writes them: rendered messages."""
    return messages(dialect.spec, wild).map(functools.partial(_render, dialect)).filter(lambda text: text is not None)


def _render(dialect: Dialect, message: Message) -> str | None:
    try:
        return str(dialect.render(message))
    except toolect.Unrepresentable:
        return None


@st.composite
def corrupted(draw: Draw, dialect: Dialect) -> str:
    """Canonical texts with one to three of a model's mistakes."""
    text = draw(canonical(dialect, wild=False))
    for _ in range(draw(st.integers(1, 3))):
        mistake = draw(st.sampled_from(MISTAKES))
        text = mistake(draw, dialect.spec, text)
    return text


def garbage(spec: Spec) -> st.SearchStrategy[str]:
    """Markers of the dialect, call-like JSON and anything else, in any order."""
    parts = ['{"name": "f", "arguments": {"a": 1}}', '{"a": "x', "{}", "[{", '"}', "f", "functions.f:0", "f(a=1)"]
    piece = st.one_of(st.sampled_from(markers(spec)), st.sampled_from(parts), hostile(spec))
    return st.lists(piece, max_size=12).map("".join)


def _occurrence(draw: Draw, spec: Spec, text: str) -> tuple[int, int]:
    """One marker's place in the text, or an empty place in a text without markers."""
    found = [m.span() for m in re.finditer("|".join(map(re.escape, markers(spec))), text)]
    return draw(st.sampled_from(found)) if found else (0, 0)


def _cut(draw: Draw, _spec: Spec, text: str) -> str:
    return text[: draw(st.integers(0, len(text)))]


def _behead(draw: Draw, _spec: Spec, text: str) -> str:
    return text[draw(st.integers(0, min(30, len(text)))) :]


def _drop(draw: Draw, spec: Spec, text: str) -> str:
    start, end = _occurrence(draw, spec, text)
    return text[:start] + text[end:]


def _double(draw: Draw, spec: Spec, text: str) -> str:
    start, end = _occurrence(draw, spec, text)
    return text[:end] + text[start:end] + text[end:]


def _damage(draw: Draw, spec: Spec, text: str) -> str:
    start, end = _occurrence(draw, spec, text)
    at = draw(st.integers(start, max(start, end - 1)))
    return text[:at] + text[at + 1 :]


def _drift(draw: Draw, spec: Spec, text: str) -> str:
    found = [m.span() for m in re.finditer(r"\s+", text)] + [_occurrence(draw, spec, text)[1:] * 2]
    start, end = draw(st.sampled_from(found))
    return text[:start] + draw(st.sampled_from(["", " ", "\n", "\n\n", "\t ", "\r\n"])) + text[end:]


def _requote(draw: Draw, _spec: Spec, text: str) -> str:
    return text.translate({ord('"'): "'"}) if draw(st.booleans()) else text.replace("'", '"')


def _splice(draw: Draw, spec: Spec, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(hostile(spec)) + text[at:]


MISTAKES = (_cut, _behead, _drop, _double, _damage, _drift, _requote, _splice)


@st.composite
def chunks(draw: Draw, text: str) -> list[str]:
    """The text in pieces: some empty, some of one character, some long."""
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def slots(spec: Spec) -> set[SlotKind]:
    """The kinds of slots the grammar uses."""
    return {a.kind for rule in spec.rules.values() for a in atoms(rule.expr) if isinstance(a, Slot)}
