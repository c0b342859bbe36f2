"""The fields of an entry, one reader per field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from toolect._diagnostic import Diagnostic, Place
from toolect._spec import policies
from toolect._spec.costs import COSTS, Costs
from toolect._spec.decode import check_keys, read_struct, read_texts
from toolect._spec.document import Node, YamlScalar, YamlTable, describe
from toolect._spec.grammar import Grammar
from toolect._spec.model import Gaps, IdForm, Role, Rule
from toolect._spec.policies import Policies
from toolect._spec.problems import Problems, beside, near

S = TypeVar("S")

FIELDS = (
    "about",
    "source",
    "models",
    "aliases",
    "extends",
    "markers",
    "shapes",
    "map",
    "values",
    "gaps",
    "prefill",
    "end",
    "ids",
    "misspellings",
    "lines",
    "glued",
    "aside",
    "reserved",
    "trailing",
    "unwritten",
    "costs",
    "policies",
)
OLD = {
    "tools": "write a chat that has the dialect's name into `chats.yaml`, and its `tools` into that",
    "results": "write a chat that has the dialect's name into `chats.yaml`, and the rule `result` into its grammar",
    "ref": 'write `ids: {form: "functions.{name}:{index}"}`, and the role `call.id`',
    "comments": "import them into the grammar, `%import .code.python (COMMENT)`, and write `%ignore COMMENT`",
    "code": "write `code` as the role of the statement into the map",
    "no-call": "write `reserved`",
    "canonical": "put the rule that is written before the others, or write `{content: before call}` into the map",
}
"""Fields of earlier versions, and what to do instead."""
OWN = ("about", "models", "aliases", "extends", "markers")
"""Fields that belong to one entry only; the others are handed on by `extends`."""

NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")

POLICIES = {name.replace("_", "-"): settings for name, settings in policies.POLICIES.items()}


class Entry(msgspec.Struct, frozen=True):
    """An entry as written: its name and its fields, known ones only."""

    name: YamlScalar
    table: YamlTable

    def text(self, field: str, problems: Problems) -> str:
        """The text of a field, empty when it is missing."""
        node = self.table.get(field)
        if node is None:
            return ""
        if not isinstance(node, YamlScalar) or not node.text:
            problems.error("wrong-type", f"expected a text for `{field}`, got {describe(node)}", node.place)
            return ""
        return node.text

    def texts(self, field: str, problems: Problems) -> tuple[YamlScalar, ...]:
        """The texts of a list field."""
        node = self.table.get(field)
        return () if node is None else read_texts(node, f"`{field}`", problems)

    def mapping(self, field: str, problems: Problems) -> YamlTable:
        """The mapping of a field, empty when it is missing."""
        node = self.table.get(field)
        if isinstance(node, YamlTable):
            return node
        if node is not None:
            problems.error("wrong-type", f"expected a mapping for `{field}`, got {describe(node)}", node.place)
        return YamlTable((), self.name.place)


class Loaded(msgspec.Struct, Generic[S], frozen=True):
    """One entry, loaded: its spec if it has no errors, and what that was made from."""

    entry: Entry
    spec: S | None
    found: tuple[Diagnostic, ...]
    whole: Entry
    """The entry with what it inherits."""
    grammar: Path


def read_entry(name: YamlScalar, node: Node, problems: Problems) -> Entry | None:
    """An entry with its known fields; unknown ones are problems."""
    if not NAME.fullmatch(name.text):
        hint = "a name has lower-case letters, digits, `.`, `_` and `-`"
        problems.error("bad-name", f"expected a dialect's name, got {describe(name)}", name.place, hint=hint)
        return None
    if not isinstance(node, YamlTable):
        message = f"expected a mapping for the entry `{name.text}`, got {describe(node)}"
        problems.error("wrong-type", message, node.place if describe(node) != "nothing" else name.place)
        return None
    check_keys(node, FIELDS, problems, OLD)
    return Entry(name, YamlTable(tuple(e for e in node.entries if e[0].text in FIELDS), node.place))


class Plain(msgspec.Struct, frozen=True):
    """The fields that need no grammar to be read."""

    about: str = ""
    source: str = ""
    models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    glued: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    unwritten: tuple[str, ...] = ()
    gaps: Gaps = Gaps()
    costs: Costs = COSTS
    policies: Policies = Policies()


def read_prefill(entry: Entry, grammar: Grammar, problems: Problems) -> dict[str, str]:
    """Prompt tails, each with the rule that it leaves open."""
    found: dict[str, str] = {}
    for key, value in entry.mapping("prefill", problems).entries:
        rule = _rule(value, grammar.rules, problems)
        if not key.text:
            problems.error("wrong-value", "expected the tail of a prompt, got an empty text", key.place)
        elif rule:
            found |= dict.fromkeys(spelled(key, grammar.spellings, problems), rule)
    return found


def spelled(text: YamlScalar, spellings: Mapping[str, tuple[str, ...]], problems: Problems) -> tuple[str, ...]:
    """`text` in all of its spellings: with those of a terminal in place of `{TERMINAL}`, the same in all places."""
    found: tuple[str, ...] = (text.text,)
    for name in dict.fromkeys(re.findall(r"\{([A-Z][A-Z_0-9]*)\}", text.text)):
        if name not in spellings:
            message = f"the grammar has no terminal `{name}` that is made of texts"
            problems.error("unknown-part", message, text.place, hint=near(name, spellings))
        found = tuple(one.replace(f"{{{name}}}", other) for one in found for other in spellings.get(name, ()))
    return found


def read_misspellings(
    entry: Entry, whole: Entry, literals: Mapping[str, Place], problems: Problems
) -> dict[str, tuple[str, ...]]:
    """Markers, or parts of some, each with the wrong spellings to accept; of what `whole` inherits, those it has."""
    found, own = {}, {key.text for key, _ in entry.mapping("misspellings", Problems()).entries}
    for key, value in whole.mapping("misspellings", problems).entries:
        if not any(key.text in literal for literal in literals):
            if key.text not in own:
                continue
            check_literal(key, literals, problems)
        found[key.text] = tuple(t.text for t in read_texts(value, f"`{key.text}`", problems))
    return found


def read_ids(entry: Entry, roles: Mapping[str, Role], in_json: bool, problems: Problems) -> IdForm | None:
    """The form of the ids that calls without one get. Ids stand where `roles` say so, and in shapes when `in_json`."""
    table = entry.mapping("ids", problems)
    if not table.entries:
        return None
    if not in_json and Role.ID not in roles.values():
        message = "the field `ids` is set, but nothing has the role `call.id` or is `$id`"
        problems.error("unused-ids", message, table.place)
    fields = read_struct(table, IdForm, problems)
    form = table.get("form")
    if form is None:
        problems.error("wrong-value", "expected a text with `{index}` for `form`, got nothing", table.place)
    elif "{name}" in fields.get("form", "") and (in_json or len(fields) > 1):
        message = "expected a form without `{name}` beside ids in JSON, `first` or `digits`"
        problems.error("wrong-value", message, form.place)
    return IdForm(**fields) if "form" in fields else None


def check_literal(key: YamlScalar, literals: Mapping[str, Place], problems: Problems) -> None:
    """The key must be a marker of the grammar, character for character."""
    if key.text not in literals:
        hint = near(key.text, literals).replace("\n", "\\n")
        shown = key.text.replace("\n", "\\n")
        message = f"the grammar has no marker `{shown}`"
        problems.error("unknown-marker", message, key.place, hint=hint, related=beside(key.text, literals))


def _rule(node: Node, rules: dict[str, Rule], problems: Problems) -> str | None:
    own = {rule.name: rule.place for rule in rules.values() if not rule.value}
    if isinstance(node, YamlScalar) and node.text in own:
        return node.text
    name = node.text if isinstance(node, YamlScalar) else ""
    message = f"expected a rule of the grammar, got {describe(node)}"
    problems.error("unknown-part", message, node.place, hint=near(name, own), related=beside(name, own))
    return None
