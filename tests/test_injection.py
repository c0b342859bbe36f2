"""What texts can do that are put into a slot as they are."""

from __future__ import annotations

import pytest

import toolect
from toolect._authoring.escaping import FORGED, EscapeResult, escapes
from toolect._rendered import Part
from toolect._spec.codec_model import Spelling
from toolect._spec.grammar_model import Slot, SlotKind
from toolect._spec.leaves import leaves, reached
from toolect._spec.model import Role, Spec


@pytest.mark.parametrize("name", toolect.dialects())
def test_what_leaves_a_slot_is_never_written(name: str) -> None:
    """Every slot of raw text has a text that leaves it; rendering refuses that, or writes it in another way."""
    found = list(escapes(toolect.dialect(name)))
    for escape in found:
        assert escape.witness in escape.text
        assert escape.intended not in escape.read.segments
        assert escape.answer is not EscapeResult.WRITES
    assert raw_slots(toolect.dialect(name).spec) <= {escape.slot for escape in found}


def raw_slots(spec: Spec) -> set[Part]:
    """The kinds of TEXT slots outside of value languages that a call is written with."""
    parts = {Role.CONTENT: Part.CONTENT, Role.VALUE: Part.VALUE}
    found = set()
    written = reached({name: rule for name, rule in spec.rules.items() if name not in spec.unwritten})
    for rule in map(spec.rules.__getitem__, written):
        for part in leaves(rule.expr):
            key = f"{rule.name}/{SlotKind.TEXT}"
            role = spec.roles.get(key) or spec.roles.get(rule.name)
            codec = spec.codecs.get(key)
            quoted = codec is not None and (codec.quoted is not None or codec.spelling is Spelling.YAML)
            if part == Slot(SlotKind.TEXT) and role in parts and not rule.value and not quoted:
                found.add(parts[role])
    return found


def test_a_raw_value_forges() -> None:
    """A value can go on with an argument, a call, or reasoning, each verified by reading."""
    dialect = toolect.dialect("qwen3-coder")
    (value,) = (found for found in escapes(dialect) if found.slot is Part.VALUE)
    assert set(value.forgeries) == {"argument", "call", "reasoning"}
    text = value.text.replace(value.witness, value.forgeries["argument"])
    assert dialect.parse(text).calls[0].arguments == {"a": "x", FORGED: "x"}


def test_json_hides_what_it_holds() -> None:
    """There is nothing to leave in a dialect that is JSON from end to end, but for the text around it."""
    assert {found.slot for found in escapes(toolect.dialect("hermes"))} <= {Part.CONTENT, Part.REASONING}
