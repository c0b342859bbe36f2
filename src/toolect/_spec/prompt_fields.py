"""Reading the fields `tools` and `results` of an entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from toolect._spec.decode import check_keys
from toolect._spec.document import Items, Node, Table, Text, choose, describe
from toolect._spec.entry import Entry
from toolect._spec.problems import Problems, near, one_of
from toolect._spec.prompts import (
    OTHER_HOLES,
    PARAMETER_HOLES,
    RESULT_HOLES,
    RESULT_VALUES,
    RESULTS_HOLES,
    TOOL_HOLES,
    TOOL_VALUES,
    TOOLS_HOLES,
    Listing,
    Notation,
    OutputKind,
    ResultRole,
    ResultText,
    Syntax,
    ToolText,
    Trailing,
)
from toolect.message import Json

_HOLE = re.compile(r"\{([a-z][a-z/-]*)\}")
_FLAGS = ("compact", "sorted", "upper", "open")


def read_tools(entry: Entry, problems: Problems) -> ToolText | None:
    """How the entry tells tools; None when it does not say."""
    table = _table(entry, "tools", problems)
    if table is None:
        return None
    check_keys(table, ToolText.__struct_fields__, "field", problems)
    fields: dict[str, Any] = {"lists": _lists(table, problems)}
    for name, holes, needed in (
        ("text", (*TOOLS_HOLES, *fields["lists"]), ("tools",)),
        ("each", TOOL_HOLES, ()),
        ("parameter", PARAMETER_HOLES, ()),
        ("other", OTHER_HOLES, ()),
        ("head", (), ()),
        ("between", (), ()),
    ):
        _text(table, name, holes, needed, fields, problems)
    _pattern(table, "tool", TOOL_VALUES, fields, problems)
    _notation(table, fields, problems)
    if (node := table.get("required")) is not None:
        texts = [item.text for item in node.items if isinstance(item, Text)] if isinstance(node, Items) else []
        if len(texts) == 2:
            fields["required"] = (texts[0], texts[1])
        else:
            problems.error("wrong-type", f"expected two texts for `required`, got {describe(node)}", node.place)
    if table.get("text") is None:
        problems.error("wrong-value", "expected `text` with the hole `{tools}`, got none", table.place)
    if "text" not in fields:
        return None
    return ToolText(**fields)


def read_results(entry: Entry, problems: Problems) -> ResultText | None:
    """How the entry tells results; None when it does not say."""
    table = _table(entry, "results", problems)
    if table is None:
        return None
    check_keys(table, ResultText.__struct_fields__, "field", problems)
    fields: dict[str, Any] = {}
    for name, holes, needed in (
        ("text", RESULTS_HOLES, ("results",)),
        ("each", RESULT_HOLES, ("output", "result")),
        ("between", (), ()),
    ):
        _text(table, name, holes, needed, fields, problems)
    _pattern(table, "result", RESULT_VALUES, fields, problems)
    _notation(table, fields, problems)
    for name, kind in (("role", ResultRole), ("output", OutputKind)):
        node = table.get(name)
        chosen = None if node is None else choose(node, list(kind), f"a value of `{name}`", problems)
        if chosen:
            fields[name] = kind(chosen)
    if table.get("each") is None:
        message = "expected `each` with the hole `{output}` or `{result}`, got none"
        problems.error("wrong-value", message, table.place)
    if "each" not in fields:
        return None
    return ResultText(**fields)


def _table(entry: Entry, name: str, problems: Problems) -> Table | None:
    """The mapping of a field; none where it is missing, empty or says `none`, which undoes what `extends` hands on."""
    node = entry.table.get(name)
    if isinstance(node, Text) and node.plain and node.text == "none":
        return None
    table = entry.mapping(name, problems)
    return table if table.entries else None


def _lists(table: Table, problems: Problems) -> dict[str, Listing]:
    """Read the further lists of tools, by the holes that they have in the text."""
    node = table.get("lists")
    if node is not None and not isinstance(node, Table):
        problems.error("wrong-type", f"expected a mapping for `lists`, got {describe(node)}", node.place)
    found: dict[str, Listing] = {}
    for key, value in node.entries if isinstance(node, Table) else ():
        fields: dict[str, Any] = {}
        if isinstance(value, Table):
            check_keys(value, Listing.__struct_fields__, "field", problems)
            _text(value, "each", TOOL_HOLES, (), fields, problems)
            _text(value, "between", (), (), fields, problems)
        if "each" not in fields or not re.fullmatch("[a-z-]+", key.text):
            message = f"expected a name in lower-case letters with `each`, got {describe(value)}"
            problems.error("wrong-value", message, key.place)
        else:
            found[key.text] = Listing(**fields)
    return found


def _notation(table: Table, fields: dict[str, Any], problems: Problems) -> None:
    """Read how data is spelled."""
    node = table.get("notation")
    if node is None:
        return
    if not isinstance(node, Table):
        problems.error("wrong-type", f"expected a mapping for `notation`, got {describe(node)}", node.place)
        return
    check_keys(node, Notation.__struct_fields__, "field", problems)
    found: dict[str, Any] = {}
    kinds: tuple[tuple[str, type[StrEnum]], ...] = (("spelling", Syntax), ("trailing", Trailing))
    for name, kind in kinds:
        value = node.get(name)
        chosen = None if value is None else choose(value, list(kind), f"a value of `{name}`", problems)
        found |= {name: kind(chosen)} if chosen else {}
    for name in _FLAGS:
        flag = node.get(name)
        said = None if flag is None else choose(flag, ["true", "false"], f"a value of `{name}`", problems)
        found |= {name: said == "true"} if said else {}
    if (indent := node.get("indent")) is not None:
        if isinstance(indent, Text) and indent.plain and re.fullmatch("[0-8]", indent.text):
            found["indent"] = int(indent.text)
        else:
            message = f"expected a number for `indent`, 0 to 8, got {describe(indent)}"
            problems.error("wrong-value", message, indent.place)
    if (words := node.get("keywords")) is not None:
        texts = [item.text for item in words.items if isinstance(item, Text)] if isinstance(words, Items) else []
        if texts:
            found["keywords"] = tuple(texts)
        else:
            problems.error("wrong-type", f"expected a list for `keywords`, got {describe(words)}", words.place)
    _text(node, "quote", (), (), found, problems)
    fields["notation"] = Notation(**found)


def _text(
    table: Table, name: str, holes: Sequence[str], needed: Sequence[str], fields: dict[str, Any], problems: Problems
) -> None:
    """Read the text `name`, which has at least one of the `needed` holes."""
    node = table.get(name)
    if node is None:
        return
    if not isinstance(node, Text) or (needed and not node.text):
        problems.error("wrong-type", f"expected a text for `{name}`, got {describe(node)}", node.place)
        return
    found = _HOLE.findall(node.text)
    for hole in found:
        if hole not in holes and (hint := near(hole, holes)):
            problems.error("wrong-value", f"`{name}` has no hole `{{{hole}}}`", node.place, hint=hint)
    if needed and not set(needed) & set(found):
        wanted = one_of(f"{{{hole}}}" for hole in needed)
        problems.error("wrong-value", f"expected the hole {wanted} in `{name}`, got none", node.place)
        return
    fields[name] = node.text


def _pattern(table: Table, name: str, holes: Sequence[str], fields: dict[str, Any], problems: Problems) -> None:
    """Read the JSON pattern `name`."""
    node = table.get(name)
    if node is not None:
        fields[name] = _json(node, holes, problems)


def _json(node: Node, holes: Sequence[str], problems: Problems) -> Json:
    """The JSON that a node spells; a text that begins with `$` is a hole."""
    match node:
        case Table(entries):
            return {key.text: _json(value, holes, problems) for key, value in entries}
        case Items(items):
            return [_json(item, holes, problems) for item in items]
        case Text(text, plain):
            if text.startswith("$") and text not in holes:
                hint = near(text, holes) or f"the holes are {one_of(holes)}"
                problems.error("wrong-value", f"expected a hole, got `{text}`", node.place, hint=hint)
            return {"null": None, "true": True, "false": False}.get(text, text) if plain else text
