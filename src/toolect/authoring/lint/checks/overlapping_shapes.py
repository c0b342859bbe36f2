"""Finds alternatives of a JSON shape that another one takes the place of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import structs

from toolect._shapes.alternatives import options
from toolect._spec.shape_model import Keyed, Many, Member, Obj, OneOf, Shape
from toolect.authoring.lint.attempt import attempt, told
from toolect.authoring.lint.subject import Subject
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call, Content, Message, Reasoning, Segment

_CALL, _IDENTIFIED = Call("f", {"a": 1}), Call("f", {"a": 1}, "c1")
_TEXT, _THOUGHT = Content("Hi."), Reasoning("Hm.")
_SEGMENTS: tuple[tuple[Segment, ...], ...] = (
    (_CALL,), (_IDENTIFIED,), (_CALL, _CALL), (_TEXT, _CALL), (_THOUGHT, _CALL), (_THOUGHT, _TEXT, _IDENTIFIED),
)  # fmt: skip


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each shape with an alternative that is shadowed or needless; the last one of several."""
    for key, shape in subject.spec.shapes.items():
        alternatives = options(shape)
        found = (_compare(subject, key, alternatives, i) for i in reversed(range(len(alternatives))))
        yield from islice(filter(None, found), 1)


def _compare(subject: Subject, key: str, alternatives: Sequence[Shape], i: int) -> Diagnostic | None:
    """A diagnostic when alternative `i` is not read as it says, or without it all is read and written as with it."""
    others = (*alternatives[:i], *alternatives[i + 1 :])
    if not others:
        return None
    without = _with(subject, key, others)
    which = f"alternative {i + 1} of {len(alternatives)}"
    place = subject.places.entry("map", key)
    said = list(_said(subject, key, alternatives[i]))
    for text, meant in said:
        read = subject.dialect.parse(text, mode="strict")
        if read != meant:
            return warning(
                "overlapping-shapes",
                f"what {which} says is read as another one",
                place,
                label=f"expected {told(meant)}",
                witness=text,
                reading=told(read),
                help="give each a key or a constant that the other does not have",
            )
    again = [(without.parse(text, mode="strict"), meant) for text, meant in said]
    needed = not said or any(read != meant or not read.clean for read, meant in again)
    if needed or _written(without) != _written(subject.dialect):
        return None
    return warning(
        "overlapping-shapes",
        f"{which} says nothing that the others do not say",
        place,
        label="without it, everything is read and written alike",
        witness=said[0][0],
        reading=told(said[0][1]),
        help="leave it out, or give it something that the others do not have",
    )


def _said(subject: Subject, key: str, one: Shape) -> Iterator[tuple[str, Message]]:
    """Texts with shape `one`, in all spellings of its keys, and what they say."""
    alone = _with(subject, key, (one,))
    for spelling in range(_spellings(one)):
        for text in _written(_with(subject, key, (_respelled(one, spelling),))):
            if text is not None:
                read = alone.parse(text, mode="strict")
                if read.clean and read.calls:
                    yield str(text), read


def _spellings(shape: Shape) -> int:
    """How many spellings the key with the most of them has."""
    match shape:
        case Obj(fields):
            return max((max(len(field.keys), _spellings(field.shape)) for field in fields), default=1)
        case Many(inner) | Keyed(inner):
            return _spellings(inner)
        case OneOf(shapes):
            return max(map(_spellings, shapes))
        case _:
            return 1


def _respelled(shape: Shape, number: int) -> Shape:
    """`shape` with that spelling of each key written; the last one of those that have fewer."""
    match shape:
        case Obj(fields):
            return structs.replace(shape, fields=tuple(_respelled_field(field, number) for field in fields))
        case Many(inner):
            return Many(_respelled(inner, number))
        case Keyed(inner):
            return Keyed(_respelled(inner, number))
        case OneOf(shapes):
            return OneOf(tuple(_respelled(inner, number) for inner in shapes))
        case _:
            return shape


def _respelled_field(field: Member, number: int) -> Member:
    key = field.keys[min(number, len(field.keys) - 1)]
    return structs.replace(field, keys=(key,), shape=_respelled(field.shape, number))


def _written(dialect: Dialect) -> list[str | None]:
    """Small messages as the dialect writes them; None for those that it refuses."""
    return [attempt(dialect, Message(segments)).text for segments in _SEGMENTS]


def _with(subject: Subject, key: str, shapes: tuple[Shape, ...]) -> Dialect:
    """The dialect with these alternatives only."""
    shape = OneOf(shapes) if len(shapes) > 1 else shapes[0]
    return Dialect(structs.replace(subject.spec, shapes=subject.spec.shapes | {key: shape}))
