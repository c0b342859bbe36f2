"""JSON Schemas as TypeScript types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolect._message import dumps
from toolect._prompting.schemas import MAX_DEPTH, MAX_PARTS, described
from toolect._spec.prompts import Notation, Trailing
from toolect._values.schema_keywords import implied_types, listed, literals, resolve, stated_types

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_BREAK = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BOUNDS = {
    "format": "Format", "maximum": "Maximum", "minimum": "Minimum",
    "maxLength": "Maximum length", "minLength": "Minimum length",
}  # fmt: skip
"""The keywords of a field that sentences tell, and their words."""
_PLAIN = {
    "string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null",
}  # fmt: skip


def typescript(schema: Mapping[str, Any]) -> str:
    """The type of a value that `schema` describes: JSDoc comments, and fields that end in semicolons.

    What nests without end or too deeply, and what comes after too much else, is `unknown`.
    """
    return _Printer(schema, None).type(schema, 0, ())


def type_arguments(schema: Mapping[str, Any], how: Notation) -> str:
    """The parameters of a function type: `//` comments and fields that end in commas; `()` for none."""
    fields = schema.get("properties")
    if not isinstance(fields, Mapping) or not fields:
        return "()"
    return f"(_: {_Printer(schema, how).type(schema, 0, ())})"


def comment(text: str) -> str:
    """`text` as `//` comments, line by line."""
    return "\n".join(f"// {row}".rstrip() for row in _rows(text)) or "//"


def jsdoc(text: str) -> str:
    """`text` as a JSDoc comment; nothing for no text."""
    rows = [row.replace("*/", r"*\/") for row in _rows(text)]
    if len(rows) > 1:
        return "\n".join(["/**", *(f" * {row}".rstrip() for row in rows), " */"])
    return f"/** {rows[0]} */" if rows else ""


def _rows(text: str) -> list[str]:
    """The lines of a text, for a language with more line breaks than one."""
    return _BREAK.sub("\n", text.strip()).splitlines()


class _Printer:
    """Prints a schema's types: with JSDoc, or with `how` in lines that end in commas."""

    def __init__(self, root: Mapping[str, Any], how: Notation | None) -> None:
        self.root, self.how, self.left = root, how, MAX_PARTS
        self.step = 2 if how is None else how.indent or 0

    def type(self, schema: Any, depth: int, above: tuple[int, ...]) -> str:
        """The type of `schema`; `above` are the schemas that it is a part of."""
        schema = resolve(self.root, schema)
        self.left -= 1
        if not isinstance(schema, Mapping) or len(above) > MAX_DEPTH or id(schema) in above or self.left < 0:
            return "never" if schema is False else "unknown"
        inner = (*above, id(schema))
        if self.how and self.how.simple:
            return self.simple(schema, depth, inner)
        if (values := literals(schema)) is not None:
            return _either([_literal(value) for value in values])
        choices = [some for key in ("anyOf", "oneOf") if (some := listed(schema, key))]
        found = [_either([self.type(part, depth, inner) for part in some]) for some in choices]
        found += [self.type(part, depth, inner) for part in listed(schema, "allOf")]
        kinds = stated_types(schema) or implied_types(schema)
        # Beside alternatives, that it is an object says something only when it has fields.
        if kinds and (not found or kinds != ["object"] or schema.get("properties")):
            found.insert(0, _either([self.kind(kind, schema, depth, inner) for kind in kinds]))
        return _all(found)

    def simple(self, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        """A type of one word, of its literals, fields or items; `any` for all else."""
        kind, values = schema.get("type"), literals(schema) if schema.get("type") != "boolean" else None
        if not isinstance(kind, str) or kind == "null" or kind not in (*_PLAIN, "object", "array"):
            return "any"
        if values is not None:
            return _either([_literal(value) for value in values])
        if kind == "string" and schema.get("format") in ("date", "date-time"):
            return "Date"
        if kind == "array":
            return f"{self.type(schema['items'], depth, above)}[]" if "items" in schema else "Array<any>"
        if kind == "object" and not schema.get("properties") and schema.get("additionalProperties") is None:
            return "{\n" + " " * self.step * depth + "}"
        return self.kind(kind, schema, depth, above)

    def kind(self, kind: str, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        match kind:
            case "object":
                return self.object(schema, depth, above)
            case "array":
                return self.array(schema, depth, above)
            case _:
                return _PLAIN.get(kind, "unknown")

    def array(self, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        rest = schema.get("items", {})
        if first := listed(schema, "prefixItems"):
            shown = [self.type(item, depth, above) for item in first]
            if rest is not False:
                shown.append(f"...({self.type(rest, depth, above)})[]")
            return f"[{', '.join(shown)}]"
        item = self.type(rest, depth, above)
        return f"{item}[]" if re.fullmatch(r"\w+|\{[^{}]*\}", item) else f"({item})[]"

    def object(self, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        fields = schema.get("properties")
        others = schema.get("additionalProperties")
        if not isinstance(fields, Mapping) or not fields:
            if isinstance(others, Mapping) and others:
                return f"Record<string, {self.type(others, depth, above)}>"
            if others is False or (not above[1:] and others is None):
                return "{}"
            return "object" if self.how else "Record<string, unknown>"
        required = schema.get("required")
        needed = set(map(str, required)) if isinstance(required, list | tuple) else set()
        outer = self.step * (depth - 1 if self.how and self.how.sentences else depth)
        pad = " " * (outer + self.step)
        rows: list[str] = []
        shown = [*fields.items()][: max(self.left, 0) + 1]
        if self.how and self.how.flat and depth:
            marked = ((f"{name}{'' if name in needed else '?'}", field) for name, field in shown)
            inner = (f"{name}{self.how.flat}{self.type(field, depth + 1, above)}" for name, field in marked)
            return "{\n" + ", ".join(inner) + "}"
        for name, field in shown:
            rows += [pad + row for row in self.comment(self.described(field))]
            rows += [f"{pad}// {row}" for row in self.remarks(field)]
            key = name if _NAME.fullmatch(str(name)) else dumps(str(name))
            kind = self.type(field, depth + 1, above)
            rows.append(f"{pad}{key}{'' if name in needed else '?'}: {kind}{',' if self.how else ';'}")
            if self.how and not self.how.sentences and (said := _default(field, bool(self.how.remarks))):
                rows[-1] += f" // default: {said}{',' if self.how.flat else ''}"
        if self.how is not None and self.how.open and others is not None and others is not False:
            rows.append(f"{pad}[key: string]: any")
        elif self.how is not None and not self._comma(depth) and rows[-1].endswith(","):
            rows[-1] = rows[-1][:-1]
        return "{\n" + "\n".join(rows) + f"\n{' ' * outer}}}"

    def _comma(self, depth: int) -> bool:
        """True when the last field at this depth has a comma too."""
        assert self.how is not None
        return self.how.trailing is Trailing.ALL or (self.how.trailing is Trailing.OUTER and depth == 0)

    def described(self, field: Any) -> str:
        """The description of a field; with `sentences`, its default and bounds too."""
        said = described(self.root, field)
        if self.how is None or not self.how.sentences or not isinstance(field, Mapping):
            return said
        parts = [said if said.endswith(".") else f"{said}."] if said else []
        parts += [f"Default={_python(field['default'])}."] if "default" in field else []
        return " ".join([*parts, *(f"{word}={_python(field[key])}" for key, word in _BOUNDS.items() if key in field)])

    def remarks(self, field: Any) -> Iterator[str]:
        """The keywords of a field that stand in comments, each with its value."""
        if self.how and isinstance(field, Mapping):
            yield from (f"{key}: {_python(value)}" for key, value in field.items() if key in self.how.remarks)

    def comment(self, text: str) -> list[str]:
        """The lines of a comment that says `text`; none for none."""
        if not text:
            return []
        return (jsdoc(text) if self.how is None else comment(text)).split("\n")


def _python(value: Any) -> str:
    """A value as Python writes it; a text in double quotes."""
    return _BREAK.sub(" ", f'"{value}"' if isinstance(value, str) else str(value))


def _default(field: Any, python: bool) -> str:
    if not isinstance(field, Mapping) or "default" not in field:
        return ""
    if python:
        return _python(field["default"])
    try:
        said = dumps(field["default"])
    except (TypeError, ValueError, RecursionError):
        return ""
    return said if len(said) < 80 and not _BREAK.search(said) else ""


def _either(found: Sequence[str]) -> str:
    """A union of types, each once."""
    found = list(dict.fromkeys(found))
    if "unknown" in found or not found:
        return "unknown" if found else "never"
    return " | ".join(f"({part})" if " & " in part and len(found) > 1 else part for part in found)


def _all(found: Sequence[str]) -> str:
    """The intersection of types."""
    found = [part for part in dict.fromkeys(found) if part != "unknown"]
    if len(found) < 2:
        return found[0] if found else "unknown"
    return " & ".join(f"({part})" if " | " in part else part for part in found)


def _literal(value: Any) -> str:
    """The type of one value; TypeScript has none for objects and lists."""
    if value is None or isinstance(value, str | bool | int | float):
        text = dumps(value).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        return text if text not in ("NaN", "Infinity", "-Infinity") else "number"
    return "unknown"
