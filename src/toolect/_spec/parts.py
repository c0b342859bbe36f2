"""The parts of a grammar that an entry may name, and what they are."""

from __future__ import annotations

from toolect._diagnostic import Place
from toolect._spec.document import YamlScalar
from toolect._spec.grammar_model import Literal, Pattern, Ref, Slot, SlotKind
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect._spec.problems import Problems, beside, near, one_of

RULE = "a rule"
VALUE_RULE = "a value inside a rule"
TERMINAL = "a terminal"
MARKER = "a marker"
TEXT = "a text slot"
JSON = "a JSON slot"


class Parts:
    """The parts of a grammar that a map may name, with what they are; those of value languages only with `values`."""

    def __init__(self, rules: dict[str, Rule], values: bool = False) -> None:
        self.kinds: dict[str, str] = {}
        self.bare_slots: set[str] = set()
        self.literals: dict[str, Place] = {}
        """The markers, each with the rule that has it."""
        self.patterns: dict[str, list[Pattern]] = {}
        self.rules = {name: rule.place for name, rule in rules.items() if values or not rule.value}
        for rule in rules.values():
            if rule.value and not values:
                continue
            self.kinds[rule.name] = RULE
            for part in leaves(rule.expr):
                match part:
                    case Slot(kind):
                        self.kinds[f"{rule.name}/{kind}"] = JSON if kind is SlotKind.JSON else TEXT
                        self.bare_slots.add(kind.value)
                    case Pattern(_, name):
                        for key in (name, f"{rule.name}/{name}"):
                            self.kinds[key] = TERMINAL
                            self.patterns.setdefault(key, []).append(part)
                    case Ref(name) if rules[name].value:
                        self.kinds[f"{rule.name}/{name}"] = VALUE_RULE
                    case Ref(name):
                        self.kinds[f"{rule.name}/{name}"] = RULE
                    case Literal(text, others, name):
                        self.literals = dict.fromkeys((text, *others), rule.place) | self.literals
                        if name:
                            self.kinds[name] = self.kinds[f"{rule.name}/{name}"] = MARKER

    def find(self, key: YamlScalar, problems: Problems, quiet: bool) -> str | None:
        """The kind of the part that `key` names; None, and a problem unless `quiet`, when it names nothing."""
        if key.text in self.kinds:
            return self.kinds[key.text]
        if not quiet:
            if key.text in self.bare_slots:
                hint = f"write the rule too: {one_of(k for k in self.kinds if k.endswith('/' + key.text))}"
            else:
                inside = [k for k in self.kinds if k.endswith("/" + key.text)]
                hint = f"write the rule too: {one_of(inside)}" if inside else near(key.text, self.kinds)
            related = beside(key.text.partition("/")[0], self.rules)
            problems.error("unknown-part", f"the grammar has no `{key.text}`", key.place, hint=hint, related=related)
        return None
