"""Ways to break the grammar of a dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from toolect._shown import alike
from tools.mutation.mutations import Edit, Edits, Mutation, mutation, replaced, swapped
from tools.mutation.spec_text import Part, Sign, SpecText, quoted

SLOTS = {"TEXT": "JSON", "JSON": "TEXT", "ESCAPED": "TEXT"}


def swap_markers(spec: SpecText) -> Iterator[Edits]:
    """Two neighbouring markers of one rule change places."""
    for name in spec.definitions:
        for one, two in pairwise(spec.markers(name)):
            if one.text != two.text:
                yield swapped(one, two)


def drop_opener(spec: SpecText) -> Iterator[Edits]:
    """The marker that a rule begins with is gone."""
    yield from _edge(spec, 0)


def drop_closer(spec: SpecText) -> Iterator[Edits]:
    """The marker that a rule ends with is gone."""
    yield from _edge(spec, -1)


def _edge(spec: SpecText, edge: int) -> Iterator[Edits]:
    for name, signs in spec.definitions.items():
        body = signs[2:]
        if not name.isupper() and len(body) > 1 and body[edge].kind == "string":
            yield replaced(body[edge].part, "")


def drop_terminal(spec: SpecText) -> Iterator[Edits]:
    """A terminal or slot is gone from a rule."""
    for sign in _uses(spec):
        if sign.part.text.isupper():
            yield replaced(sign.part, "")


def drop_from_start(spec: SpecText) -> Iterator[Edits]:
    """A rule is no longer among the alternatives of `start`, or of another rule."""
    for signs in spec.definitions.values():
        for before, sign, after in zip(signs, signs[1:], signs[2:], strict=False):
            if sign.kind == "name" and sign.part.text.islower():
                if before.part.text == "|":
                    yield replaced(_between(spec, before, sign), "")
                elif after.part.text == "|":
                    yield replaced(_between(spec, sign, after), "")


def rename_rule(spec: SpecText) -> Iterator[Edits]:
    """A rule has another name in the grammar, and its old one in the entry."""
    yield from _renamed(spec, upper=False)


def rename_terminal(spec: SpecText) -> Iterator[Edits]:
    """A terminal has another name in the grammar, and its old one in the entry."""
    yield from _renamed(spec, upper=True)


def _renamed(spec: SpecText, *, upper: bool) -> Iterator[Edits]:
    for name in spec.definitions:
        if name != "start" and name.isupper() == upper:
            new = "RENAMED" if upper else "renamed"
            yield tuple(Edit(s.part, new) for s in spec.signs if s.kind == "name" and s.part.text.lstrip("?!") == name)


def misspell_use(spec: SpecText) -> Iterator[Edits]:
    """A rule names another rule, terminal or slot, and misspells it."""
    for sign in _uses(spec):
        yield replaced(sign.part, sign.part.text + ("S" if sign.part.text.isupper() else "s"))


def wrong_slot(spec: SpecText) -> Iterator[Edits]:
    """A slot is one of another kind, which the grammar declares."""
    for sign in _uses(spec):
        if sign.part.text in SLOTS:
            other = SLOTS[sign.part.text]
            declare = next(s.part for s in spec.signs if s.part.text == "%declare")
            known = any(s.part.text == other for s in spec.signs)
            yield (Edit(sign.part, other), *(() if known else (Edit(declare, f"%declare {other}\n%declare"),)))


def undeclare_slot(spec: SpecText) -> Iterator[Edits]:
    """A slot is used and not declared."""
    for sign in spec.signs:
        if sign.definition == "%declare" and sign.kind == "name":
            yield replaced(sign.part, "")


def loosen_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression matches to the end of the line."""
    yield from (replaced(sign.part, "/.+/") for sign in _regexes(spec))


def open_regex(spec: SpecText) -> Iterator[Edits]:
    r"""A regular expression matches everything: `[\s\S]*`."""
    yield from (replaced(sign.part, r"/[\s\S]*/") for sign in _regexes(spec))


def tighten_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression matches small letters only."""
    yield from (replaced(sign.part, "/[a-z]+/") for sign in _regexes(spec))


def one_character_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression has lost its `+` or `*`."""
    for sign in _regexes(spec):
        if (shorter := re.sub(r"(?<!\\)[+*]/$", "/", sign.part.text)) != sign.part.text:
            yield replaced(sign.part, shorter)


def empty_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression may match nothing at all."""
    yield from (replaced(sign.part, f"/(?:{sign.part.text[1:-1]})?/") for sign in _regexes(spec))


def backtracking_regex(spec: SpecText) -> Iterator[Edits]:
    """A regular expression repeats what repeats already, and wants no blank after it: it backtracks without bound."""
    yield from (replaced(sign.part, f"/(?:(?:{sign.part.text[1:-1]})+)+(?! )/") for sign in _regexes(spec))


def drop_newline(spec: SpecText) -> Iterator[Edits]:
    """A marker has lost the newline that it begins or ends with."""
    for part in spec.markers():
        if part.text.endswith('\\n"') and part.text != '"\\n"':
            yield replaced(part, part.text[:-3] + '"')
        if part.text.startswith('"\\n') and part.text != '"\\n"':
            yield replaced(part, '"' + part.text[3:])


def add_newline(spec: SpecText) -> Iterator[Edits]:
    """A marker ends with one newline more."""
    yield from (replaced(part, part.text[:-1] + '\\n"') for part in spec.markers())


def misspell_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker has lost a letter."""
    for part in spec.markers():
        if letter := re.search(r"(?<!\\)[a-zA-Z](?=[a-zA-Z])", part.text):
            yield replaced(part, part.text[: letter.start()] + part.text[letter.end() :])


def cut_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker is only the beginning of what it was, and of another one."""
    texts = [part.text[1:-1] for part in spec.markers()]
    for part in spec.markers():
        text = part.text[1:-1]
        shared = max((text[: alike(text, other)] for other in texts if other != text), key=len, default="")
        if 0 < len(shared) < len(text) and not shared.endswith("\\"):
            yield replaced(part, f'"{shared}"')


def same_marker(spec: SpecText) -> Iterator[Edits]:
    """A rule begins with the marker that another one begins with."""
    heads = {name: signs[2].part for name, signs in spec.definitions.items() if signs[2].kind == "string"}
    rules = {name: part for name, part in heads.items() if not name.isupper()}
    for one, two in pairwise(rules.values()):
        if one.text != two.text:
            yield replaced(two, one.text)


def closer_like_opener(spec: SpecText) -> Iterator[Edits]:
    """A rule ends with the marker that it begins with."""
    for name in spec.definitions:
        markers = spec.markers(name)
        if len(markers) > 1 and markers[0].text != markers[-1].text and not name.isupper():
            yield replaced(markers[-1], markers[0].text)


def empty_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker is empty."""
    yield from (replaced(part, '""') for part in spec.markers())


def blank_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker is a blank."""
    yield from (replaced(part, '" "') for part in spec.markers())


def letter_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker is a letter that every text is full of."""
    yield from (replaced(part, '"e"') for part in spec.markers())


def drop_spelling(spec: SpecText) -> Iterator[Edits]:
    """A terminal has lost one of its spellings."""
    for name, signs in spec.definitions.items():
        if name.isupper():
            for bar, sign in pairwise(signs):
                if bar.part.text == "|":
                    yield replaced(_between(spec, bar, sign), "")


def swap_spellings(spec: SpecText) -> Iterator[Edits]:
    """Two spellings of a terminal change places: the other one is written."""
    for name in spec.definitions:
        if name.isupper() and len(spec.markers(name)) > 1:
            yield swapped(*spec.markers(name)[:2])


def swap_alternatives(spec: SpecText) -> Iterator[Edits]:
    """Two alternatives of a rule change places."""
    for name, signs in spec.definitions.items():
        for before, bar, after in zip(signs, signs[1:], signs[2:], strict=False):
            if bar.part.text == "|" and before.kind == after.kind == "name" and not name.isupper():
                yield swapped(before.part, after.part)


def star_to_plus(spec: SpecText) -> Iterator[Edits]:
    """What may be missing has to come at least once."""
    yield from (replaced(part, "+") for part in _ops(spec, "*"))


def star_to_optional(spec: SpecText) -> Iterator[Edits]:
    """What may come many times may come once."""
    yield from (replaced(part, "?") for part in _ops(spec, "*"))


def plus_to_star(spec: SpecText) -> Iterator[Edits]:
    """What has to come at least once may be missing."""
    yield from (replaced(part, "*") for part in _ops(spec, "+"))


def drop_optional(spec: SpecText) -> Iterator[Edits]:
    """What may be missing has to come."""
    yield from (replaced(part, "") for part in _ops(spec, "?"))


def drop_repeat(spec: SpecText) -> Iterator[Edits]:
    """What may come many times comes exactly once."""
    yield from (replaced(part, "") for part in (*_ops(spec, "*"), *_ops(spec, "+")))


def unused_terminal(spec: SpecText) -> Iterator[Edits]:
    """A terminal is defined and not used."""
    if spec.grammar:
        yield replaced(_end(spec), "UNUSED: /[a-z]+/\n")


def unused_rule(spec: SpecText) -> Iterator[Edits]:
    """A rule is defined and cannot be reached."""
    for name, signs in spec.definitions.items():
        if name == "content":
            yield replaced(_end(spec), f"unused: {quoted('<unused>')} TEXT\n")
            yield replaced(_end(spec), "unused: " + " ".join(s.part.text for s in signs[2:]) + "\n")


def duplicate_rule(spec: SpecText) -> Iterator[Edits]:
    """A rule is defined twice."""
    for name in [n for n in spec.definitions if n != "start" and n.islower()]:
        yield replaced(_end(spec), f'{name}: "<again>"\n')


def left_recursion(spec: SpecText) -> Iterator[Edits]:
    """A rule begins with itself."""
    for name, signs in spec.definitions.items():
        if name.islower() and name != "start":
            part = signs[2].part
            yield replaced(Part("grammar", part.start, part.start, ""), f"{name}? ")


def missing_import(spec: SpecText) -> Iterator[Edits]:
    """A rule is imported from a value language that does not have it, or that does not exist."""
    if spec.grammar:
        top = Part("grammar", 0, 0, "")
        yield replaced(top, "%import .values.python (tuples)\n")
        yield replaced(top, "%import .values.pyton (value)\n")


def drop_import(spec: SpecText) -> Iterator[Edits]:
    """An import is gone."""
    for match in re.finditer(r"^%import[^\n]*\n", spec.grammar, re.MULTILINE):
        yield replaced(Part("grammar", *match.span(), match[0]), "")


def unclosed_parenthesis(spec: SpecText) -> Iterator[Edits]:
    """A parenthesis is opened and not closed, or closed and not opened."""
    yield from (replaced(sign.part, "") for sign in spec.signs if sign.kind == "op" and sign.part.text in "()")


def unclosed_string(spec: SpecText) -> Iterator[Edits]:
    """A marker has lost the quote at its end."""
    yield from (replaced(part, part.text[:-1]) for part in spec.markers())


def foreign_byte_in_grammar(spec: SpecText) -> Iterator[Edits]:
    """A byte of the grammar is not UTF-8."""
    for part in spec.markers():
        yield replaced(part, part.text[:-1] + '\udcff"')


def _uses(spec: SpecText) -> Iterator[Sign]:
    """Where rules name terminals, slots and other rules."""
    for name, signs in spec.definitions.items():
        for before, sign in pairwise(signs[1:]):
            if sign.kind == "name" and before.part.text != "->" and not name.isupper():
                yield sign


def _regexes(spec: SpecText) -> list[Sign]:
    return [sign for sign in spec.signs if sign.kind == "regex"]


def _ops(spec: SpecText, op: str) -> list[Part]:
    return [sign.part for sign in spec.signs if sign.kind == "op" and sign.part.text == op]


def _between(spec: SpecText, first: Sign, last: Sign) -> Part:
    start, end = first.part.start, last.part.end
    return Part("grammar", start, end, spec.grammar[start:end])


def _end(spec: SpecText) -> Part:
    return Part("grammar", len(spec.grammar), len(spec.grammar), "")


MUTATIONS: list[Mutation] = [
    mutation(make) for name, make in list(globals().items())
    if not name.startswith("_") and getattr(make, "__module__", "") == __name__
]  # fmt: skip
"""Each function above."""
