"""Refuses regular expressions that take more than linear time on some text: nothing could interrupt Python's `re`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolect._diagnostic import Place
from toolect._regular.ambiguity import MAX_WAYS, Attack, Growth, ambiguity
from toolect._regular.extent import ways
from toolect._regular.syntax import NotRegularError, read
from toolect._shown import cut
from toolect._spec.grammar_model import Pattern, Slot
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect._spec.problems import Problems

TIMES = 30
"""Repetitions, in a witness, of the text that slows down its expression."""
_TAKES = {
    Growth.EXPONENTIAL: "takes exponential time on some text",
    Growth.POLYNOMIAL: "takes more than linear time on some text",
    Growth.BOUNDED: f"has more than {MAX_WAYS:,} ways to read some text",
}
_HELP = "let there be one way to read each text: no repetition inside of a repetition of the same signs"


def check_rules(rules: Iterable[Rule], places: dict[str, Place], problems: Problems) -> None:
    """Note each expression of `rules` that may be slow; `places` are those of terminals, by their names."""
    found: dict[str, tuple[str, Place]] = {}
    for rule in rules:
        for part in leaves(rule.expr):
            if isinstance(part, Pattern):
                found.setdefault(part.regex, (f"the terminal `{part.name}`", places.get(part.name, rule.place)))
            elif isinstance(part, Slot) and part.operator:
                found.setdefault(part.operator, ("what cannot follow a string", rule.place))
    for regex, (what, place) in found.items():
        try:
            re.compile(f"x(?>{regex})")
        except (re.error, RecursionError, OverflowError):
            message = f"expected {what} to be fit for a part of a larger expression, got `{cut(regex, 60)}`"
            problems.error("unsupported-grammar", message, place, hint="write flags after the pattern: `/…/i`")
        else:
            check_linear(what, regex, place, problems)


def check_linear(what: str, regex: str, place: Place, problems: Problems, searched: bool = False) -> None:
    """Note it when matching `regex`, or searching for it, may take more than linear time, or that cannot be known."""
    found = ambiguity(regex)
    if found is None and searched and not regex.startswith(("^", r"\A")):
        found = ambiguity(f"(?s:.)*?(?:{regex})")  # it may begin anywhere
    if isinstance(found, Attack):
        label = f"reads `{found.pump or found.before}` in more than one way"
        message, witness = f"{what} {_TAKES[found.growth]}", found.text(TIMES)
        problems.error("backtracking-regex", message, place, label=label, hint=_HELP, witness=witness)
    elif found is not None and not (found.large and _few_ways(regex)):
        message = f"it is not known whether {what} is linear: {found.reason}"
        hint = "say what ends the text, not how long it may be" if found.large else "write it without that"
        problems.error("backtracking-regex", message, place, hint=hint)


def _few_ways(regex: str) -> bool:
    """True when an expression that is too large to be followed is harmless by its form, such as a list of names."""
    try:
        most = ways(read(regex))
    except NotRegularError:
        return False
    return most is not None and most <= MAX_WAYS * 10
