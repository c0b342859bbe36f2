"""Problems that stock Lark finds in a grammar: conflicts are warnings, everything else it rejects is an error."""

from __future__ import annotations

import re
from math import prod

from lark import Lark
from lark.common import ParserConf
from lark.exceptions import GrammarError
from lark.load_grammar import Grammar

from toolect._diagnostic import Place, Text, shown
from toolect._spec.grammar_model import Alt, Expr, Repeat, Seq
from toolect._spec.grammar_slips import of_regex
from toolect._spec.grammar_source import NameOrigin
from toolect._spec.lark_loader import Analyzer
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect._spec.problems import Problems
from toolect._spec.readings import two_readings

MAX_PARTS = 250
"""Parts of a grammar that is tried as an LALR(1) parser. Beyond it: warning `too-large`. Time grows with the cube."""
MAX_SEQUENCES = 1024
"""Sequences that Lark makes out of what may be missing in a rule, or be one of several: with each `x?`, twice as many.

Beyond it: warning `too-large`.
"""


def check_lalr(
    grammar: Grammar, rules: dict[str, Rule], names: dict[str, NameOrigin], top: Place, problems: Problems
) -> None:
    """Build the grammar as stock Lark would; `rules` are the same grammar as we read it."""
    if sum(1 for rule in rules.values() for _ in leaves(rule.expr)) > MAX_PARTS:
        message = f"the grammar has more than {MAX_PARTS} parts: whether LALR(1) tools can read it is not checked"
        problems.warning("too-large", message, top, hint="split the dialect into several")
        return
    for rule in rules.values():
        if _sequences(rule.expr) > MAX_SEQUENCES:
            message = f"too much may be missing in `{rule.name}`: whether LALR(1) tools can read it is not checked"
            place = next((origin.place for origin in names.values() if origin.name == rule.name), top)
            problems.warning("too-large", message, place, hint="make a rule of some of them: `more: (a | b | c)*`")
            return
    try:
        Lark(grammar, parser="lalr")
        _, compiled, _ = grammar.compile(["start"], "*")
        Analyzer(ParserConf(compiled, {}, ["start"]), strict=True).compute_lalr()
    except GrammarError as error:
        kind = re.match(r"Shift/Reduce|Reduce/Reduce", str(error))
        if not kind:
            raise
        found = {names[name] for name in _RULE.findall(str(error)) if name in names}
        blamed = sorted(found, key=lambda origin: (not origin.own, origin.place.line))
        where = f" in {', '.join(f'`{origin.name}`' for origin in blamed)}" if blamed else ""
        message = f"stock Lark sees a {kind[0].lower()} conflict{where}"
        found_two = two_readings(rules)
        if found_two is None:
            hint = "no short text has two readings: the engine, which looks ahead further, may still tell them apart"
            texts: tuple[Text, ...] = ()
        else:
            hint = "let one rule read it: the engine takes the first reading, other tools may take the second"
            texts = shown(found_two.text, found_two.trees)
        place = blamed[0].place if blamed else top
        related = tuple((origin.place, "and this one") for origin in blamed[1:] if origin.own or not blamed[0].own)
        problems.warning("lalr-conflict", message, place, hint=hint, texts=texts, related=related)


def _sequences(expr: Expr) -> int:
    """Number of sequences that Lark makes of `expr`: one for each alternative, with and without each optional part."""
    match expr:
        case Seq(items):
            return prod(map(_sequences, items))
        case Alt(items):
            return sum(map(_sequences, items))
        case Repeat(item, least=least, once=once):
            return (_sequences(item) if once else 1) + (least == 0)
        case _:
            return 1


# A rule in a message of Lark, `<call : A B>`; those that it made out of repetitions are named `__call_star_0`.
_RULE = re.compile(r"<(?:__)?(\w+?)(?:_(?:star|plus)_\d+)? :")


def complain(error: Exception, names: dict[str, NameOrigin], top: Place, problems: Problems) -> None:
    """Note an error that Lark raised, at the definition it names if it names one."""
    text = str(error).split("\n")[0].strip() or type(error).__name__
    if isinstance(error, RecursionError):
        text = "it nests too deeply"
    for name, origin in names.items():
        text = re.sub(rf"\b{re.escape(name)}\b", origin.name, text)
    message, hint = f"Lark rejects the grammar: {text[:1].lower()}{text[1:].rstrip('.')}", ""
    if (found := re.match(r"Cannot compile token (\w+)", text)) and isinstance(why := error.__context__, re.error):
        message = f"the regular expression of `{found[1]}` cannot be read: {why.msg}"
        hint = of_regex(why.msg)
    elif found := re.search(r"zero-width terminals\. \((\w+):", text):
        message = f"`{found[1]}` may match nothing, and a terminal matches at least one character"
        hint = f"write `+` for `*` in it, and `{found[1]}?` in the rule where it may be missing"
    problems.error("rejected-grammar", message, _blame(str(error), names) or top, hint=hint)


def _blame(text: str, names: dict[str, NameOrigin]) -> Place | None:
    """The place of the first definition that a message of Lark names."""
    for words in re.findall(r"<(\w+) :|'(\w+)'|\((\w+)\b|token (\w+)|\b([A-Z_]{2,}[A-Z_0-9]*)\b", text):
        for word in words:
            if word in names:
                return names[word].place
    return None
