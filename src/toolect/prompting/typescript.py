"""JSON Schemas as TypeScript types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolect.ir import dumps
from toolect.prompting.schemas import MAX_DEPTH, described, resolve

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN = {
    "string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null",
}  # fmt: skip


def typescript(schema: Mapping[str, Any], *, lines: bool = False) -> str:
    """The type of a value that `schema` describes, an object's fields on lines of their own.

    Descriptions are JSDoc comments and fields end in semicolons; with `lines` they are `//` comments and commas, and
    nothing is indented. What nests without end, or too deeply, is `unknown`.
    """
    return _Printer(schema, lines).type(schema, 0, ())


class _Printer:
    def __init__(self, root: Mapping[str, Any], lines: bool) -> None:
        self.root, self.lines = root, lines

    def type(self, schema: Any, depth: int, above: tuple[int, ...]) -> str:
        """The type of `schema`; `above` are the schemas that it is a part of."""
        schema = resolve(self.root, schema)
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH or id(schema) in above:
            return "unknown"
        inner = (*above, id(schema))
        if "const" in schema:
            return _literal(schema["const"])
        if isinstance(schema.get("enum"), Sequence):
            return _either([_literal(value) for value in schema["enum"]])
        for key, sign in (("anyOf", "|"), ("oneOf", "|"), ("allOf", "&")):
            if isinstance(schema.get(key), Sequence) and schema[key]:
                parts = [self.type(part, depth, inner) for part in schema[key]]
                if "properties" in schema:
                    parts.append(self.object(schema, depth, inner))
                    sign = "&"
                return _either(parts) if sign == "|" else " & ".join(f"({part})" for part in dict.fromkeys(parts))
        kinds = schema.get("type", "object" if "properties" in schema else "array" if "items" in schema else None)
        if isinstance(kinds, str):
            kinds = [kinds]
        if not isinstance(kinds, Sequence) or not kinds:
            return "unknown"
        return _either([self.kind(str(kind), schema, depth, inner) for kind in kinds])

    def kind(self, kind: str, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        match kind:
            case "object":
                return self.object(schema, depth, above)
            case "array":
                return self.array(schema, depth, above)
            case _:
                return _PLAIN.get(kind, "unknown")

    def array(self, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        first = schema.get("prefixItems")
        rest = schema.get("items", {})
        if isinstance(first, Sequence) and first:
            parts = [self.type(item, depth, above) for item in first]
            if rest is not False:
                parts.append(f"...({self.type(rest, depth, above)})[]")
            return f"[{', '.join(parts)}]"
        item = self.type(rest, depth, above)
        return f"{item}[]" if re.fullmatch(r"\w+|\{[^{}]*\}", item) else f"({item})[]"

    def object(self, schema: Mapping[str, Any], depth: int, above: tuple[int, ...]) -> str:
        fields = schema.get("properties")
        others = schema.get("additionalProperties")
        if not isinstance(fields, Mapping) or not fields:
            if isinstance(others, Mapping) and others:
                return f"Record<string, {self.type(others, depth, above)}>"
            return "{}" if others is False or (depth == 0 and others is None) else "Record<string, unknown>"
        required = schema.get("required")
        needed = set(required) if isinstance(required, Sequence) else set()
        pad = "" if self.lines else "  " * (depth + 1)
        rows = []
        for name, field in fields.items():
            rows += [pad + row for row in self.comment(described(self.root, field))]
            key = name if _NAME.fullmatch(name) else dumps(name)
            kind = self.type(field, depth + 1, above)
            default = f" // default: {dumps(field['default'])}" if self.lines and _has_default(field) else ""
            rows.append(f"{pad}{key}{'' if name in needed else '?'}: {kind}{',' if self.lines else ';'}{default}")
        end = "" if self.lines else "  " * depth
        return "{\n" + "\n".join(rows) + f"\n{end}}}"

    def comment(self, text: str) -> list[str]:
        """The lines of a comment that says `text`."""
        rows = text.splitlines()
        if self.lines:
            return [f"// {row}".rstrip() for row in rows]
        rows = [row.replace("*/", r"*\/") for row in rows]
        if len(rows) > 1:
            return ["/**", *(f" * {row}".rstrip() for row in rows), " */"]
        return [f"/** {row} */" for row in rows]


def _has_default(field: Any) -> bool:
    return isinstance(field, Mapping) and "default" in field and len(dumps(field["default"])) < 80


def _either(parts: Sequence[str]) -> str:
    """A union of types, each once."""
    parts = list(dict.fromkeys(parts))
    if "unknown" in parts or not parts:
        return "unknown" if parts else "never"
    return " | ".join(f"({part})" if " & " in part and len(parts) > 1 else part for part in parts)


def _literal(value: Any) -> str:
    """The type of one value; TypeScript has none for objects and lists."""
    if value is None or isinstance(value, str | bool | int | float):
        return dumps(value)
    return "unknown"
