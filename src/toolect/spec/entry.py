"""The fields of an entry, one reader per field."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from toolect.diagnostic import Place
from toolect.spec import model
from toolect.spec.document import Items, Node, Table, Text, choose, describe
from toolect.spec.meaning import begins_with_name
from toolect.spec.model import Gaps, Ids, Policies, Role, Rule
from toolect.spec.problems import Problems, beside, near, one_of

FIELDS = (
    "about",
    "source",
    "models",
    "aliases",
    "extends",
    "markers",
    "map",
    "values",
    "gaps",
    "prefill",
    "end",
    "no-call",
    "comments",
    "code",
    "ref",
    "ids",
    "canonical",
    "misspellings",
    "reserved",
    "policies",
    "tools",
    "results",
)
OWN = ("about", "models", "aliases", "extends", "markers")
"""Fields that belong to one entry only; the others are handed on by `extends`."""

NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")

POLICIES = {name.replace("_", "-"): settings for name, settings in model.POLICIES.items()}
IDS = ("form", "first", "digits")
GAPS = ("before call", "between calls")
PLACES = {"content": Role.CONTENT, "content before call": Role.CONTENT}


class Entry(msgspec.Struct, frozen=True):
    """An entry as written: its name and its fields, known ones only."""

    name: Text
    table: Table

    def text(self, field: str, problems: Problems) -> str:
        """The text of a field, empty when it is missing."""
        node = self.table.get(field)
        if node is None:
            return ""
        if not isinstance(node, Text) or not node.text:
            problems.error("wrong-type", f"expected a text for `{field}`, got {describe(node)}", node.place)
            return ""
        return node.text

    def texts(self, field: str, problems: Problems) -> tuple[Text, ...]:
        """The texts of a list field."""
        node = self.table.get(field)
        return () if node is None else _texts(node, f"`{field}`", problems)

    def mapping(self, field: str, problems: Problems) -> Table:
        """The mapping of a field, empty when it is missing."""
        node = self.table.get(field)
        if isinstance(node, Table):
            return node
        if node is not None:
            problems.error("wrong-type", f"expected a mapping for `{field}`, got {describe(node)}", node.place)
        return Table((), self.name.place)


def read_entry(name: Text, node: Node, problems: Problems) -> Entry | None:
    """An entry with its known fields; unknown ones are problems."""
    if not NAME.fullmatch(name.text):
        hint = "a name has lower-case letters, digits, `.`, `_` and `-`"
        problems.error("bad-name", f"expected a dialect's name, got {describe(name)}", name.place, hint=hint)
        return None
    if not isinstance(node, Table):
        message = f"expected a mapping for the entry `{name.text}`, got {describe(node)}"
        problems.error("wrong-type", message, node.place if describe(node) != "nothing" else name.place)
        return None
    check_keys(node, FIELDS, "field", problems)
    return Entry(name, Table(tuple(e for e in node.entries if e[0].text in FIELDS), node.place))


def check_keys(table: Table, known: Iterable[str], what: str, problems: Problems) -> None:
    """Every key must be a known one."""
    for key, _ in table.entries:
        if key.text not in known:
            hint = near(key.text, known) or f"expected {one_of(known)}"
            problems.error("unknown-field", f"unknown {what} `{key.text}`", key.place, hint=hint)


def read_policies(entry: Entry, problems: Problems) -> Policies:
    """The policies, checked one by one."""
    table = entry.mapping("policies", problems)
    check_keys(table, POLICIES, "policy", problems)
    chosen: dict[str, Any] = {}
    for key, value in table.entries:
        if key.text in POLICIES:
            choice = choose(value, list(POLICIES[key.text]), f"a value of `{key.text}`", problems)
            if choice:
                chosen[key.text.replace("-", "_")] = choice
    return Policies(**chosen)


def read_gaps(entry: Entry, problems: Problems) -> Gaps:
    """The whitespace between segments."""
    table = entry.mapping("gaps", problems)
    check_keys(table, GAPS, "gap", problems)
    found = {}
    for key, value in table.entries:
        if isinstance(value, Text) and not value.text.strip() and not value.plain:
            found[key.text] = value.text
        else:
            message = f"expected whitespace in quotes for `{key.text}`, got {describe(value)}"
            problems.error("wrong-value", message, value.place)
    return Gaps(*(found.get(name, "") for name in GAPS))


def read_prefill(entry: Entry, rules: dict[str, Rule], problems: Problems) -> dict[str, str]:
    """Prompt tails, each with the rule that it leaves open."""
    found = {}
    for key, value in entry.mapping("prefill", problems).entries:
        rule = _rule(value, rules, problems)
        if not key.text:
            problems.error("wrong-value", "expected the tail of a prompt, got an empty text", key.place)
        elif rule:
            found[key.text] = rule
    return found


def read_canonical(entry: Entry, rules: dict[str, Rule], roles: dict[str, Role], problems: Problems) -> dict[str, str]:
    """Which of several rules rendering uses."""
    table = entry.mapping("canonical", problems)
    check_keys(table, PLACES, "place", problems)
    found = {}
    for key, value in table.entries:
        rule = _rule(value, rules, problems)
        if rule and key.text in PLACES:
            if roles.get(rule) is PLACES[key.text]:
                found[key.text] = rule
            else:
                message = f"expected a rule with the role `{PLACES[key.text]}`, got `{rule}`"
                problems.error("wrong-role", message, value.place)
    return found


def read_misspellings(entry: Entry, literals: Mapping[str, Place], problems: Problems) -> dict[str, tuple[str, ...]]:
    """Markers, each with the wrong spellings to accept."""
    found = {}
    for key, value in entry.mapping("misspellings", problems).entries:
        check_literal(key, literals, problems)
        found[key.text] = tuple(t.text for t in _texts(value, f"`{key.text}`", problems))
    return found


def read_comments(entry: Entry, problems: Problems) -> dict[str, str]:
    """What comments begin with, each with what ends it."""
    found = {}
    for key, value in entry.mapping("comments", problems).entries:
        if not key.text.strip() or key.text != key.text.strip():
            problems.error("wrong-value", "expected what a comment begins with, got blanks", key.place)
        elif not isinstance(value, Text) or not value.text:
            message = f"expected what ends a comment, got {describe(value)}"
            problems.error("wrong-type", message, value.place)
        else:
            found[key.text] = value.text
    return found


def read_code(entry: Entry, rules: dict[str, Rule], problems: Problems) -> str:
    """The rule of a statement, where calls are code."""
    node = entry.table.get("code")
    return "" if node is None else _rule(node, rules, problems) or ""


def read_ref(entry: Entry, roles: dict[str, Role], problems: Problems) -> str:
    """How `call.ref` is spelled; needed exactly when something has that role."""
    ref = entry.text("ref", problems)
    node = entry.table.get("ref")
    used = Role.REF in roles.values()
    if used and node is None:
        hint = 'for instance `ref: "functions.{name}"`'
        problems.error("missing-ref", "the role `call.ref` needs the field `ref`", entry.name.place, hint=hint)
    elif node is not None and not used:
        problems.error("unused-ref", "the field `ref` is set, but nothing has the role `call.ref`", node.place)
    elif node is not None and ref:
        try:
            parts = [(name, spec, conversion) for _, name, spec, conversion in string.Formatter().parse(ref)]
        except ValueError:
            parts = []
        names = [name for name, _, _ in parts if name is not None]
        plain = not any(spec or conversion for _, spec, conversion in parts)
        if not plain or names.count("name") != 1 or set(names) - {"name", "index"} or len(set(names)) < len(names):
            message = f"expected a text with `{{name}}` and perhaps `{{index}}`, got `{ref}`"
            problems.error("wrong-value", message, node.place)
    return ref


def read_ids(entry: Entry, used: bool, problems: Problems) -> Ids | None:
    """How a call without an id gets one; `used` when the dialect has a place for ids."""
    table = entry.mapping("ids", problems)
    if not table.entries:
        return None
    if not used:
        message = "the field `ids` is set, but nothing has the role `call.id` or is `$id`"
        problems.error("unused-ids", message, table.place)
    check_keys(table, IDS, "field", problems)
    numbers = {"first": 0, "digits": 1}
    for name, default in numbers.items():
        node = table.get(name)
        if isinstance(node, Text) and node.plain and re.fullmatch(r"\d{1,2}", node.text):
            numbers[name] = int(node.text)
        elif node is not None:
            message = f"expected a number for `{name}`, {default} to 99, got {describe(node)}"
            problems.error("wrong-value", message, node.place)
    form = table.get("form")
    if isinstance(form, Text) and form.text.count("{index}") == 1:
        return Ids(form.text, **numbers)
    place = table.place if form is None else form.place
    got = "nothing" if form is None else describe(form)
    problems.error("wrong-value", f"expected a text with `{{index}}` for `form`, got {got}", place)
    return None


def read_reserved(entry: Entry, rules: dict[str, Rule], roles: dict[str, Role], problems: Problems) -> tuple[str, ...]:
    """Names that need a declaration; they make sense only where a call begins with its name."""
    found = tuple(text.text for text in entry.texts("reserved", problems))
    node = entry.table.get("reserved")
    if node is not None and found and not any(begins_with_name(rule, roles) for rule in rules.values()):
        message = "the field `reserved` is set, but no call begins with its name"
        problems.error("unused-reserved", message, node.place)
    return found


def check_literal(key: Text, literals: Mapping[str, Place], problems: Problems) -> None:
    """The key must be a marker of the grammar, character for character."""
    if key.text not in literals:
        hint = near(key.text, literals).replace("\n", "\\n")
        shown = key.text.replace("\n", "\\n")
        message = f"the grammar has no marker `{shown}`"
        problems.error("unknown-marker", message, key.place, hint=hint, related=beside(key.text, literals))


def _rule(node: Node, rules: dict[str, Rule], problems: Problems) -> str | None:
    own = {rule.name: rule.place for rule in rules.values() if not rule.value}
    if isinstance(node, Text) and node.text in own:
        return node.text
    name = node.text if isinstance(node, Text) else ""
    message = f"expected a rule of the grammar, got {describe(node)}"
    problems.error("unknown-part", message, node.place, hint=near(name, own), related=beside(name, own))
    return None


def _texts(node: Node, what: str, problems: Problems) -> tuple[Text, ...]:
    if not isinstance(node, Items):
        problems.error("wrong-type", f"expected a list of texts for {what}, got {describe(node)}", node.place)
        return ()
    for item in node.items:
        if not isinstance(item, Text) or not item.text:
            problems.error("wrong-type", f"expected a text in {what}, got {describe(item)}", item.place)
    return tuple(item for item in node.items if isinstance(item, Text) and item.text)
