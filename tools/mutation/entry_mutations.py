"""Ways to break the entry of a dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tools.mutation.mutations import Edit, Edits, Mutation, mutation, replaced, swapped
from tools.mutation.spec_text import Pair, SpecText, line_after, quoted

ROLES = {
    "content": "reasoning", "reasoning": "content", "call": "content", "argument": "call", "call.name": "argument.key",
    "call.id": "call.name", "argument.key": "call.name", "argument.value": "call.arguments",
    "call.arguments": "argument.value",
}  # fmt: skip
CODECS = {
    "json": ["text", "json-or-text"], "text": ["json", "schema"], "schema": ["json", "text"],
    "json-or-text": ["text", "json"],
}  # fmt: skip
POLICIES = {
    "reasoning-calls": ["parse", "unclosed", "ignore"], "unknown-tool": ["keep", "content"],
    "malformed": ["report", "content", "salvage"],
    "unwrapped": ["accept", "content"], "after-calls": ["keep", "drop"], "coercion": ["spec", "none"],
    "repeated-keys": ["last", "first"], "key-order": ["as-is", "sorted"],
}  # fmt: skip


def drop_map_entry(spec: SpecText) -> Iterator[Edits]:
    """A part of the grammar has lost its meaning."""
    yield from (replaced(pair.whole, "") for pair in spec.field("map"))


def rename_map_key(spec: SpecText) -> Iterator[Edits]:
    """The entry calls a rule or a terminal by a name that the grammar does not have."""
    yield from (replaced(pair.key, quoted(pair.name + "x")) for pair in spec.field("map"))


def wrong_role(spec: SpecText) -> Iterator[Edits]:
    """A part of the grammar means something else."""
    for pair in spec.field("map"):
        if pair.text in ROLES:
            yield replaced(pair.value, ROLES[pair.text])


def swap_roles(spec: SpecText) -> Iterator[Edits]:
    """Two parts of the grammar have each other's meaning."""
    for one, two in pairwise([p for p in spec.field("map") if p.text]):
        if one.text != two.text and one.name.isupper() == two.name.isupper():
            yield swapped(one.value, two.value)


def misspell_role(spec: SpecText) -> Iterator[Edits]:
    """A role is misspelled."""
    yield from (replaced(pair.value, pair.text + "s") for pair in spec.field("map") if pair.text in ROLES)


def wrong_codec(spec: SpecText) -> Iterator[Edits]:
    """A slot has another codec."""
    for pair in spec.pairs:
        if pair.path[0] == "values" and pair.text in CODECS and (len(pair.path) == 2 or pair.name == "codec"):
            yield from (replaced(pair.value, codec) for codec in CODECS[pair.text])


def drop_codec(spec: SpecText) -> Iterator[Edits]:
    """A slot has lost its codec, or one of the codec's fields."""
    yield from (replaced(p.whole, "") for p in spec.pairs if p.path[0] == "values" and len(p.path) > 1)


def rename_shape_key(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape is misspelled."""
    for pair in _shape(spec):
        yield replaced(pair.key, quoted(re.sub(r"(\w)(?=\W|$)", r"\1x", pair.name, count=1)))


def swap_shape_holes(spec: SpecText) -> Iterator[Edits]:
    """Two keys of a shape have each other's holes."""
    for one, two in pairwise([p for p in _shape(spec) if p.text.startswith("$")]):
        if one.text != two.text and one.path[:-1] == two.path[:-1]:
            yield swapped(one.value, two.value)


def change_shape_constant(spec: SpecText) -> Iterator[Edits]:
    """A constant of a shape is another one."""
    yield from (replaced(p.value, p.text + "x") for p in _shape(spec) if p.text and not p.text.startswith("$"))


def arguments_as_text(spec: SpecText) -> Iterator[Edits]:
    """Arguments that are an object are JSON in a string, or the other way round."""
    others = {"$arguments": "$arguments.text", "$arguments.text": "$arguments"}
    yield from (replaced(p.value, others[p.text]) for p in spec.pairs if p.path[0] == "map" and p.text in others)


def shape_key_required(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape that may be missing has to be there."""
    yield from (replaced(p.key, quoted(p.name.rstrip("?"))) for p in _shape(spec) if p.name.endswith("?"))


def shape_key_optional(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape that has to be there may be missing."""
    yield from (replaced(p.key, quoted(p.name + "?")) for p in _shape(spec) if not p.name.endswith("?"))


def shape_key_unwritten(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape is read and never written."""
    yield from (replaced(p.key, quoted(p.name.rstrip("?") + "??")) for p in _shape(spec) if not p.name.endswith("??"))


def drop_shape_key(spec: SpecText) -> Iterator[Edits]:
    """A shape has lost a key."""
    yield from (replaced(pair.whole, "") for pair in _shape(spec))


def drop_key_spelling(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape has lost its second spelling."""
    for pair in _shape(spec):
        if "|" in pair.name:
            optional = pair.name[len(pair.name.rstrip("?")) :]
            yield replaced(pair.key, quoted(pair.name.split("|")[0] + optional))


def swap_key_spellings(spec: SpecText) -> Iterator[Edits]:
    """A key of a shape is written in its second spelling."""
    for pair in _shape(spec):
        bare = pair.name.rstrip("?")
        if "|" in bare:
            first, second, *others = bare.split("|")
            yield replaced(pair.key, quoted("|".join([second, first, *others]) + pair.name[len(bare) :]))


def drop_gap(spec: SpecText) -> Iterator[Edits]:
    """A gap is not declared."""
    yield from (replaced(pair.whole, "") for pair in spec.field("gaps"))


def change_gap(spec: SpecText) -> Iterator[Edits]:
    """A gap is one newline longer, or a letter."""
    for pair in spec.field("gaps"):
        yield replaced(pair.value, quoted(pair.text + "\n"))
        yield replaced(pair.value, '"x"')


def drop_end(spec: SpecText) -> Iterator[Edits]:
    """An end token is missing."""
    for number, (part, _) in enumerate(items := spec.items("end")):
        if len(items) == 1:
            yield replaced(part, "")
        elif number + 1 < len(items):
            yield replaced(spec.stretch(part.start, items[number + 1][0].start), "")
        else:
            yield replaced(spec.stretch(items[number - 1][0].end, part.end), "")


def misspell_end(spec: SpecText) -> Iterator[Edits]:
    """An end token has lost its last character."""
    yield from (replaced(part, quoted(text[:-1])) for part, text in spec.items("end"))


def end_is_marker(spec: SpecText) -> Iterator[Edits]:
    """An end token is a marker of the grammar."""
    if markers := [part for part in spec.markers() if len(part.text) > 4]:
        for part, _ in spec.items("end"):
            yield replaced(part, markers[0].text)
            yield replaced(part, markers[-1].text)


def wrong_prefill(spec: SpecText) -> Iterator[Edits]:
    """A prompt's tail opens another rule."""
    for pair in spec.field("prefill"):
        others = [name for name in ("start", "content", "think", "call") if name != pair.text]
        yield from (replaced(pair.value, other) for other in others if other in (*spec.definitions, "start"))


def change_prefill(spec: SpecText) -> Iterator[Edits]:
    """A prompt's tail has one character less."""
    yield from (replaced(pair.key, quoted(pair.name[:-1])) for pair in spec.field("prefill"))


def duplicate_alias(spec: SpecText) -> Iterator[Edits]:
    """An alias is the name of another dialect."""
    for part, _ in spec.items("aliases"):
        yield replaced(part, "hermes" if spec.dialect != "hermes" else "harmony")


def duplicate_model(spec: SpecText) -> Iterator[Edits]:
    """A pattern of model ids is that of another dialect."""
    for part, _ in spec.items("models"):
        yield replaced(part, quoted("Qwen/Qwen3" if spec.dialect != "hermes" else "openai/gpt-oss*"))


def greedy_model(spec: SpecText) -> Iterator[Edits]:
    """A pattern of model ids takes all models."""
    yield from (replaced(part, quoted("*")) for part, _ in spec.items("models"))


def duplicate_key(spec: SpecText) -> Iterator[Edits]:
    """A field, or a key of one, comes twice."""
    for pair in spec.pairs:
        if pair.path[0] in ("map", "values", "gaps", "prefill", "end") and pair.whole.text.endswith("\n"):
            yield replaced(spec.stretch(pair.whole.start, pair.whole.start), pair.whole.text)


def unknown_field(spec: SpecText) -> Iterator[Edits]:
    """The name of a field is misspelled."""
    yield from (replaced(pair.key, pair.name + "s") for pair in spec.pairs if len(pair.path) == 1)


def misspelling_is_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker is declared as a misspelling of another one."""
    markers = [part.text for part in spec.markers() if len(part.text) > 4]
    for one, two in pairwise(dict.fromkeys(markers)):
        if not any(pair.path == ("misspellings",) for pair in spec.pairs):
            yield replaced(line_after(spec), f"  misspellings: {{{one}: [{two}]}}\n")


def drop_misspelling(spec: SpecText) -> Iterator[Edits]:
    """Misspellings of a marker are not accepted."""
    yield from (replaced(pair.whole, "") for pair in spec.field("misspellings"))


def change_ids(spec: SpecText) -> Iterator[Edits]:
    """Ids that are made have another form, or begin with another number."""
    for pair in spec.field("ids"):
        if pair.name == "form":
            yield replaced(pair.value, quoted("x" + pair.text))
            yield replaced(pair.value, quoted(pair.text.replace("{index}", "")))
            if "{name}" in pair.text:
                yield replaced(pair.value, quoted(pair.text.replace("{name}", "")))
        else:
            yield replaced(pair.value, "7")


def flip_policy(spec: SpecText) -> Iterator[Edits]:
    """A policy is the opposite of what it was."""
    declared = {pair.name: pair for pair in spec.field("policies")}
    for name, pair in declared.items():
        yield replaced(pair.value, next(value for value in POLICIES[name] if value != pair.text))
    if not declared:
        yield from (replaced(line_after(spec), f"  policies: {{{n}: {v[1]}}}\n") for n, v in POLICIES.items())


def wrong_computed_text(spec: SpecText) -> Iterator[Edits]:
    """What is written for a terminal that says nothing is another text."""
    for pair in spec.pairs:
        if pair.path[0] == "map" and pair.name == "written":
            yield replaced(pair.value, "$index" if pair.text == "$name" else "$name")


def wrong_variant_marker(spec: SpecText) -> Iterator[Edits]:
    """A marker that a variant replaces is not one of the other dialect."""
    yield from (replaced(pair.key, quoted(pair.name + "x")) for pair in spec.field("markers"))


def same_variant_marker(spec: SpecText) -> Iterator[Edits]:
    """A variant has one marker in the place of two."""
    yield from (replaced(two.value, one.value.text) for one, two in pairwise(spec.field("markers")))


def drop_variant_marker(spec: SpecText) -> Iterator[Edits]:
    """A variant keeps a marker of the other dialect."""
    yield from (replaced(pair.whole, "") for pair in spec.field("markers"))


def drop_extends(spec: SpecText) -> Iterator[Edits]:
    """An entry does not say what it extends."""
    yield from (replaced(pair.whole, "") for pair in spec.pairs if pair.path == ("extends",))


def drop_field(spec: SpecText) -> Iterator[Edits]:
    """A whole field is missing."""
    fields = ("map", "values", "gaps", "ids", "reserved", "markers")
    yield from (replaced(pair.whole, "") for pair in spec.pairs if len(pair.path) == 1 and pair.name in fields)


def broken_indentation(spec: SpecText) -> Iterator[Edits]:
    """A line of the entry is one blank less deep."""
    for pair in spec.pairs:
        if len(pair.path) == 1:
            start = pair.key.start
            yield replaced(spec.stretch(start - 1, start), "")


def unclosed_brace(spec: SpecText) -> Iterator[Edits]:
    """A brace or a bracket of the entry is not closed."""
    for pair in spec.pairs:
        if pair.value.text[-1:] in ("}", "]"):
            yield replaced(spec.stretch(pair.value.end - 1, pair.value.end), "")


def foreign_byte_in_entry(spec: SpecText) -> Iterator[Edits]:
    """A byte of the entry is not UTF-8."""
    for pair in spec.pairs:
        if len(pair.path) == 1 and pair.value.text.endswith('"'):
            yield (Edit(pair.value, pair.value.text[:-1] + '\udcff"'),)


def _shape(spec: SpecText) -> list[Pair]:
    """The pairs of the entry's shapes."""
    return [p for p in spec.pairs if p.path[0] == "map" and len(p.path) > 2 and p.name not in ("written", "content")]


MUTATIONS: list[Mutation] = [
    mutation(make) for name, make in list(globals().items())
    if not name.startswith("_") and getattr(make, "__module__", "") == __name__
]  # fmt: skip
"""Each function above."""
