"""One reader for what an entry says: a node of YAML as a value of a type, by the type's own annotations.

`str`, `bool`, an enum, a `Literal`, an integer with bounds, `tuple[str, ...]`, `dict[str, …]`, `Json`, and structs of
these. A `msgspec.Meta` says more: the `pattern` of a text and its `description`, the bounds of a number, `REGEX`, and
the `holes` of a text or of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from toolect._message import Json
from toolect._spec.document import Items, Node, YamlScalar, YamlTable, choose, describe
from toolect._spec.problems import Problems, near, one_of

REGEX = msgspec.Meta(description="a regular expression", extra={"regex": True})
"""A text that is a regular expression, of Python's `re`."""


HOLE = re.compile(r"\{([a-z][a-z/-]*)\}")
"""A hole of a text; other braces are just braces."""


_AFTER = 'write it into the grammar, as a part of the marker before it: `call: "<call>" JSON "</call>\\n"`'
_IN_THE_GRAMMAR = dict.fromkeys(
    ("after call", "after calls", "after content", "before content", "after reasoning", "before reasoning"), _AFTER
)
"""Gaps that are none, and what to write instead."""


def check_keys(table: YamlTable, known: Iterable[str], problems: Problems, old: dict[str, str] | None = None) -> None:
    """Every key must be a known one; `old` ones come with what to write instead."""
    for key, _ in table.entries:
        if key.text not in known:
            hint = (
                (old or {}).get(key.text)
                or _IN_THE_GRAMMAR.get(key.text)
                or near(key.text, known)
                or f"expected {one_of(known)}"
            )
            problems.error("unknown-field", f"unknown field `{key.text}`", key.place, hint=hint)


def read_struct(
    table: YamlTable, kind: type[Any], problems: Problems, old: dict[str, str] | None = None
) -> dict[str, Any]:
    """The fields of the struct `kind`, and no others, that a mapping has, each by its type."""
    check_keys(table, [field.encode_name for field in msgspec.structs.fields(kind)], problems, old)
    return read_fields(table, kind, problems)


def read_fields(table: YamlTable, kind: type[Any], problems: Problems) -> dict[str, Any]:
    """Those fields of a mapping that the struct `kind` has, each by its type; what cannot be read is left out."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    found = {}
    for key, node in table.entries:
        if key.text in fields and (value := read(node, fields[key.text].type, f"`{key.text}`", problems)) is not None:
            found[fields[key.text].name] = value
    return found


def read(node: Node, kind: Any, what: str, problems: Problems) -> Any:
    """`node` as a value of the type `kind`, which `what` names in messages; None, and a problem, when it is none."""
    if get_origin(kind) in (Union, UnionType) and kind != Json:
        kind = get_args(kind)[0]
    kind, meta = (kind.__origin__, kind.__metadata__[0]) if get_origin(kind) is Annotated else (kind, msgspec.Meta())
    if kind == Json:
        return _json(node, (meta.extra or {}).get("holes", ()), problems)
    match get_origin(kind) or kind:
        case origin if origin is Literal:
            return choose(node, list(get_args(kind)), f"a value of {what}", problems)
        case origin if origin is bool:
            said = choose(node, ["true", "false"], f"a value of {what}", problems)
            return None if said is None else said == "true"
        case origin if isinstance(origin, type) and issubclass(origin, StrEnum):
            text = choose(node, [member.value for member in origin], f"a value of {what}", problems)
            return None if text is None else origin(text)
        case origin if isinstance(origin, type) and issubclass(origin, msgspec.Struct):
            return _struct(node, origin, what, problems)
        case origin if origin is int:
            return _number(node, meta, what, problems)
        case origin if origin is tuple:
            return _texts(node, get_args(kind), what, problems)
        case origin if origin is dict:
            return _mapping(node, get_args(kind), what, problems)
        case _:
            return _text(node, meta, what, problems)


def _struct(node: Node, kind: type[msgspec.Struct], what: str, problems: Problems) -> msgspec.Struct | None:
    """A struct of its own, with all that it must have."""
    if not isinstance(node, YamlTable):
        problems.error("wrong-type", f"expected a mapping for {what}, got {describe(node)}", node.place)
        return None
    found = read_struct(node, kind, problems)
    needed = [field.encode_name for field in msgspec.structs.fields(kind) if field.required]
    for name in needed:
        if node.get(name) is None:
            problems.error("wrong-value", f"expected `{name}` in {what}, got none", node.place)
    return kind(**found) if found.keys() >= {*needed} else None


def _texts(node: Node, kinds: tuple[Any, ...], what: str, problems: Problems) -> tuple[str, ...] | None:
    """Any number of texts, or of words of an enum; or as many texts as there are `kinds`."""
    if Ellipsis in kinds:
        given = read_texts(node, what, problems)
        if kinds[0] is str:
            return tuple(text.text for text in given)
        said = (read(text, kinds[0], what, problems) for text in given)
        return tuple(word for word in said if word is not None)
    texts = [item.text for item in node.items if isinstance(item, YamlScalar)] if isinstance(node, Items) else []
    if len(texts) != len(kinds):
        problems.error("wrong-type", f"expected {len(kinds)} texts for {what}, got {describe(node)}", node.place)
        return None
    return tuple(texts)


def _mapping(node: Node, kinds: tuple[Any, ...], what: str, problems: Problems) -> dict[str, Any] | None:
    """The entries of a mapping, keys and values of these `kinds`; those that cannot be read are left out."""
    key, value = kinds
    if not isinstance(node, YamlTable):
        problems.error("wrong-type", f"expected a mapping for {what}, got {describe(node)}", node.place)
        return None
    found = {}
    for name, inner in node.entries:
        named = name.text if key is str else read(name, key, f"a name in {what}", problems)
        said = read(inner, value, f"`{name.text}`", problems)
        if named is not None and said is not None:
            found[named] = said
    return found


def read_texts(node: Node, what: str, problems: Problems) -> tuple[YamlScalar, ...]:
    """The texts of a list, none of them empty."""
    if not isinstance(node, Items):
        problems.error("wrong-type", f"expected a list of texts for {what}, got {describe(node)}", node.place)
        return ()
    for item in node.items:
        if not isinstance(item, YamlScalar) or not item.text:
            problems.error("wrong-type", f"expected a text in {what}, got {describe(item)}", item.place)
    return tuple(item for item in node.items if isinstance(item, YamlScalar) and item.text)


def _number(node: Node, meta: msgspec.Meta, what: str, problems: Problems) -> int | None:
    least, most = int(meta.ge or 0), 99 if meta.le is None else int(meta.le)
    if (
        isinstance(node, YamlScalar)
        and node.plain
        and re.fullmatch(r"-?\d{1,2}", node.text)
        and least <= int(node.text) <= most
    ):
        return int(node.text)
    message = f"expected a number for {what}, {least} to {most}, got {describe(node)}"
    problems.error("wrong-value", message, node.place)
    return None


def _text(node: Node, meta: msgspec.Meta, what: str, problems: Problems) -> str | None:
    wanted = meta.description or "a text"
    if meta.pattern is not None:
        if isinstance(node, YamlScalar) and describe(node) != "nothing" and re.fullmatch(meta.pattern, node.text):
            return node.text
        escaped = isinstance(node, YamlScalar) and re.fullmatch(r"(\\[nrt])+", node.text)
        hint = f'write `"{escaped[0]}"`, between double quotes' if escaped else ""
        problems.error("wrong-value", f"expected {wanted} for {what}, got {describe(node)}", node.place, hint=hint)
        return None
    holes = (meta.extra or {}).get("holes")
    if not isinstance(node, YamlScalar) or not node.text and holes is None:
        problems.error("wrong-type", f"expected {wanted} for {what}, got {describe(node)}", node.place)
        return None
    if holes is not None and not has_holes(node, holes, (meta.extra or {})["needed"], what, problems):
        return None
    if (meta.extra or {}).get("regex"):
        try:
            re.compile(node.text)
        except (re.error, RecursionError, OverflowError) as error:
            problems.error("wrong-value", f"expected {wanted}, got `{node.text}`: {error}", node.place)
            return None
    return node.text


def has_holes(node: YamlScalar, holes: tuple[str, ...], needed: tuple[str, ...], what: str, problems: Problems) -> bool:
    """True when a text has one of the holes that it needs; one that is nearly a hole is noted."""
    found = HOLE.findall(node.text)
    for hole in found:
        if hole not in holes and (hint := near(hole, holes)):
            problems.error("wrong-value", f"{what} has no hole `{{{hole}}}`", node.place, hint=hint)
    if needed and not {*needed} & {*found}:
        wanted = one_of(f"{{{hole}}}" for hole in needed)
        problems.error("wrong-value", f"expected the hole {wanted} in {what}, got none", node.place)
        return False
    return True


def _json(node: Node, holes: Iterable[str], problems: Problems) -> Json:
    """The JSON that a node spells; a text that begins with `$` is one of the holes."""
    match node:
        case YamlTable(entries):
            return {key.text: _json(value, holes, problems) for key, value in entries}
        case Items(items):
            return [_json(item, holes, problems) for item in items]
        case YamlScalar(text, plain):
            if text.startswith("$") and text not in holes:
                hint = near(text, holes) or f"the holes are {one_of(holes)}"
                problems.error("wrong-value", f"expected a hole, got `{text}`", node.place, hint=hint)
            return {"null": None, "true": True, "false": False}.get(text, text) if plain else text
