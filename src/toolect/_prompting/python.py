"""JSON Schemas as Python signatures and docstrings."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolect._prompting.schemas import MAX_DEPTH, MAX_PARTS, described
from toolect._values.schema_keywords import implied_types, listed, literals, resolve, stated_types

_PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}


def signature(schema: Mapping[str, Any]) -> str:
    """The parameters of a function, as they stand between its parentheses: those without a default come first.

    Objects are dictionaries; parameters whose names are no names in Python stand for themselves in `**others`.
    """
    fields = schema.get("properties")
    fields = fields if isinstance(fields, Mapping) else {}
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list | tuple) else set()
    named = {name: field for name, field in fields.items() if _is_name(name)}
    first = [f"{name}: {annotation(schema, field)}" for name, field in named.items() if name in needed]
    rest = [_optional(schema, name, field) for name, field in named.items() if name not in needed]
    others = "others"
    while others in named:
        others += "_"
    return ", ".join([*first, *rest, *([f"**{others}: Any"] if len(named) < len(fields) else [])])


def _is_name(name: str) -> bool:
    """True for a name that Python takes, and takes for this one and no other."""
    plain = name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"
    return plain and unicodedata.normalize("NFKC", name) == name


def docstring(schema: Mapping[str, Any], description: str) -> str:
    """The text of a function's docstring, between its quotes: the description, and each parameter that has one."""
    rows = list(_Arguments(schema).rows(schema.get("properties"), ()))
    text = description.strip() + ("\n\nArgs:\n" + "\n".join(rows) if rows else "")
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\0", "\\0")
    return f'{text[:-1]}\\"' if text.endswith('"') else text


class _Arguments:
    """Tells of the parameters that are described, and of those inside of them."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root, self.left = root, MAX_PARTS

    def rows(self, fields: Any, above: tuple[int, ...]) -> Iterator[str]:
        """One row for each of the fields, indented by how deep they are."""
        if not isinstance(fields, Mapping) or id(fields) in above or len(above) >= MAX_DEPTH:
            return
        for name, field in fields.items():
            self.left -= 1
            if self.left < 0:
                return
            text = " ".join(described(self.root, field).split())
            inner = resolve(self.root, field)
            inside = inner.get("properties") if isinstance(inner, Mapping) else None
            rows = list(self.rows(inside, (*above, id(fields))))
            if text or rows:
                yield f"{'    ' * (len(above) + 1)}{' '.join(str(name).split())}: {text}".rstrip()
                yield from rows


def annotation(root: Mapping[str, Any], schema: Any) -> str:
    """The type hint of a value that `schema` describes; what nests too deeply is `Any`."""
    return _Hints(root).hint(schema, 0)


class _Hints:
    """Prints the type hints of a schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root, self.left = root, MAX_PARTS

    def hint(self, schema: Any, depth: int) -> str:
        """The hint of a schema that is so deep in the whole one."""
        schema = resolve(self.root, schema)
        self.left -= 1
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH or self.left < 0:
            return "Any"
        if (values := literals(schema)) is not None:
            return _literals(values)
        for key in ("anyOf", "oneOf"):
            if some := listed(schema, key):
                return _either([self.hint(part, depth + 1) for part in some])
        if len(some := listed(schema, "allOf")) == 1:
            return self.hint(some[0], depth + 1)
        kinds = stated_types(schema) or implied_types(schema)
        return _either([self._kind(kind, schema, depth) for kind in kinds]) if kinds else "Any"

    def _kind(self, kind: str, schema: Mapping[str, Any], depth: int) -> str:
        if kind == "array":
            items = [*listed(schema, "prefixItems"), schema.get("items", True)]
            return f"list[{_either([self.hint(item, depth + 1) for item in items if item is not False])}]"
        if kind == "object":
            others = schema.get("additionalProperties")
            plain = not schema.get("properties") and isinstance(others, Mapping)
            return f"dict[str, {self.hint(others, depth + 1) if plain else 'Any'}]"
        return _PLAIN.get(kind, "Any")


def _literals(values: Sequence[Any]) -> str:
    """A union of values; numbers with a point have no literal type."""
    kinds = [repr(v) if isinstance(v, str | int) else "None" if v is None else "Any" for v in values]
    return "Any" if "Any" in kinds or not kinds else f"Literal[{', '.join(dict.fromkeys(kinds))}]"


def _either(found: Sequence[str]) -> str:
    found = list(dict.fromkeys(found))
    return "Any" if "Any" in found or not found else " | ".join(found)


def _optional(root: Mapping[str, Any], name: str, field: Any) -> str:
    """A parameter with its default, where it has one of its type; else with None."""
    kind = annotation(root, field)
    default = field.get("default") if isinstance(field, Mapping) else None
    if _fits(default, kind, literals(resolve(root, field)) if isinstance(field, Mapping) else None):
        return f"{name}: {kind} = {default!r}"
    said = kind == "Any" or "None" in kind.split(" | ")
    return f"{name}: {kind if said else f'{kind} | None'} = None"


def _fits(default: Any, kind: str, values: Sequence[Any] | None) -> bool:
    """True for a plain value that a parameter of this kind can have as its default."""
    if not isinstance(default, str | bool | int | float) or repr(default) in ("inf", "-inf", "nan"):
        return False
    if values is not None:
        return kind != "Any" and any(default == value and type(default) is type(value) for value in values)
    return type(default).__name__ in kind.split(" | ")
