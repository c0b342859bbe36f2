"""One reader for what an entry says: a node of YAML as a value of a type, by the type's own annotations.

`str`, an enum, a `Literal`, an integer with bounds, `tuple[str, ...]`, `dict[str, …]` and structs of these. A
`msgspec.Meta` says more: the `pattern` of a text and its `description`, the bounds of a number, `REGEX`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from toolect._spec.document import Items, Node, Table, Text, choose, describe
from toolect._spec.problems import Problems, near, one_of

REGEX = msgspec.Meta(description="a regular expression", extra={"regex": True})
"""A text that is a regular expression, of Python's `re`."""


def check_keys(
    table: Table, known: Iterable[str], noun: str, problems: Problems, old: dict[str, str] | None = None
) -> None:
    """Every key must be a known one; `old` ones come with what to write instead."""
    for key, _ in table.entries:
        if key.text not in known:
            hint = (old or {}).get(key.text) or near(key.text, known) or f"expected {one_of(known)}"
            problems.error("unknown-field", f"unknown {noun} `{key.text}`", key.place, hint=hint)


def read_struct(
    table: Table, kind: type[Any], problems: Problems, noun: str = "field", old: dict[str, str] | None = None
) -> dict[str, Any]:
    """The fields of the struct `kind` that a mapping has, each by its type; those that cannot be read are left out."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    check_keys(table, fields, noun, problems, old)
    found = {}
    for key, node in table.entries:
        if key.text in fields and (value := read(node, fields[key.text].type, f"`{key.text}`", problems)) is not None:
            found[fields[key.text].name] = value
    return found


def read(node: Node, kind: Any, what: str, problems: Problems) -> Any:
    """`node` as a value of the type `kind`, which `what` names in messages; None, and a problem, when it is none."""
    if get_origin(kind) in (Union, UnionType):
        kind = get_args(kind)[0]
    kind, meta = (kind.__origin__, kind.__metadata__[0]) if get_origin(kind) is Annotated else (kind, msgspec.Meta())
    match get_origin(kind) or kind:
        case origin if origin is Literal:
            return choose(node, list(get_args(kind)), f"a value of {what}", problems)
        case origin if isinstance(origin, type) and issubclass(origin, StrEnum):
            text = choose(node, [member.value for member in origin], f"a value of {what}", problems)
            return None if text is None else origin(text)
        case origin if origin is int:
            return _number(node, meta, what, problems)
        case origin if origin is tuple:
            return tuple(text.text for text in read_texts(node, what, problems))
        case origin if origin is dict:
            if not isinstance(node, Table):
                problems.error("wrong-type", f"expected a mapping for {what}, got {describe(node)}", node.place)
                return None
            values = (
                (key.text, read(value, get_args(kind)[1], f"`{key.text}`", problems)) for key, value in node.entries
            )
            return {key: value for key, value in values if value is not None}
        case _:
            return _text(node, meta, what, problems)


def read_texts(node: Node, what: str, problems: Problems) -> tuple[Text, ...]:
    """The texts of a list, none of them empty."""
    if not isinstance(node, Items):
        problems.error("wrong-type", f"expected a list of texts for {what}, got {describe(node)}", node.place)
        return ()
    for item in node.items:
        if not isinstance(item, Text) or not item.text:
            problems.error("wrong-type", f"expected a text in {what}, got {describe(item)}", item.place)
    return tuple(item for item in node.items if isinstance(item, Text) and item.text)


def _number(node: Node, meta: msgspec.Meta, what: str, problems: Problems) -> int | None:
    least, most = int(meta.ge or 0), int(meta.le or 99)
    if (
        isinstance(node, Text)
        and node.plain
        and re.fullmatch(r"\d{1,2}", node.text)
        and least <= int(node.text) <= most
    ):
        return int(node.text)
    message = f"expected a number for {what}, {least} to {most}, got {describe(node)}"
    problems.error("wrong-value", message, node.place)
    return None


def _text(node: Node, meta: msgspec.Meta, what: str, problems: Problems) -> str | None:
    wanted = meta.description or "a text"
    if meta.pattern is not None:
        if isinstance(node, Text) and describe(node) != "nothing" and re.fullmatch(meta.pattern, node.text):
            return node.text
        problems.error("wrong-value", f"expected {wanted} for {what}, got {describe(node)}", node.place)
        return None
    if not isinstance(node, Text) or not node.text:
        problems.error("wrong-type", f"expected {wanted} for {what}, got {describe(node)}", node.place)
        return None
    if (meta.extra or {}).get("regex"):
        try:
            re.compile(node.text)
        except (re.error, RecursionError, OverflowError) as error:
            problems.error("wrong-value", f"expected {wanted}, got `{node.text}`: {error}", node.place)
            return None
    return node.text
