"""Reading the fields `tools` and `results` of an entry."""

from __future__ import annotations

from typing import TypeVar

from toolect._spec.decode import has_holes, read
from toolect._spec.document import Table, Text
from toolect._spec.entry import Entry
from toolect._spec.problems import Problems
from toolect._spec.prompts import TOOLS_HOLES, ResultText, ToolText

_T = TypeVar("_T", ToolText, ResultText)


def read_tools(entry: Entry, problems: Problems) -> ToolText | None:
    """How the entry tells tools; None when it does not say."""
    found = _read(entry, "tools", ToolText, problems)
    match entry.table.get("tools"):
        case Table() as table if isinstance(text := table.get("text"), Text):
            lists = table.get("lists")
            further = [key.text for key, _ in lists.entries] if isinstance(lists, Table) else []
            has_holes(text, (*TOOLS_HOLES, *further), (), "`text`", problems)
    return found


def read_results(entry: Entry, problems: Problems) -> ResultText | None:
    """How the entry tells results; None when it does not say."""
    return _read(entry, "results", ResultText, problems)


def _read(entry: Entry, name: str, kind: type[_T], problems: Problems) -> _T | None:
    """A field; None where it is missing, empty or says `none`, which undoes what `extends` hands on."""
    node = entry.table.get(name)
    if isinstance(node, Text) and node.plain and node.text == "none":
        return None
    table = entry.mapping(name, problems)
    return read(table, kind, f"`{name}`", problems) if table.entries else None
