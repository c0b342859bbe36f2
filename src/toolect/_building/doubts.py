"""Doubts about calls: by the declared tools, one that is not the call that was meant fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from toolect._building.open_call import LAYOUT, OpenCall
from toolect._message import Json, Repair, RepairKind
from toolect._shapes.elsewhere import holds_call, is_call
from toolect._values.doubtful import (
    holds_half_a_call,
    is_declaration,
    is_object_of,
    misfit,
    named_in_texts,
    swallowed,
    taken_over,
)  # fmt: skip
from toolect._values.toolset import ToolSchemas
from toolect._values.trees import texts_in

_SURE = LAYOUT | {RepairKind.TOOL_NAME}
"""Repairs that leave no doubt about the arguments."""
_JOINING = frozenset((RepairKind.UNESCAPED, RepairKind.IMPLIED_CLOSER, RepairKind.STRAY_MARKER, RepairKind.WRAPPED))
"""Repairs that make one call of two, if they were made where nothing was wrong."""

_MERGING = frozenset((RepairKind.UNESCAPED, RepairKind.IMPLIED_CLOSER, RepairKind.MISSPELLED_MARKER))
"""Repairs that make one argument of two."""
GUESSED = frozenset(
    (
        RepairKind.IMPLIED_OPENER, RepairKind.IMPLIED_CLOSER, RepairKind.STRAY_MARKER, RepairKind.MISSPELLED_MARKER,
        RepairKind.JSON, RepairKind.MISSING_ARGUMENTS, RepairKind.DUPLICATE_KEY, RepairKind.TOOL_NAME,
        RepairKind.SALVAGED,
    )
)  # fmt: skip
"""Repairs that insert, delete or change characters: where one was wrong, another call is run."""
_GUESSED_OR_QUOTED = GUESSED | {RepairKind.UNESCAPED}
_CLOSING_TAG = re.compile(r"</([\s\w.:|｜-]{1,64})(?:=[^<>\n]{1,64})?>")
_TAG_ENDS = (">", '">', "'>")
"""Ends of a tag before a value."""
_BEGINNING = 12
"""Characters with which a call begins that tell that it begins again."""


def doubt(call: OpenCall, tools: ToolSchemas) -> None:
    """Let the `call`, which is over, fail where its arguments are not what was meant."""
    if call.lacked and call.sound:
        _lacking(call, tools)
    if call.sound and call.name in tools and is_call(call.arguments, call.name, tools):
        call.fail(f"expected arguments, got a call as the arguments - at {call.start}")
    if call.sound and any(r.kind is RepairKind.UNESCAPED for r in call.repairs) and holds_half_a_call(call.arguments):
        call.fail(f"expected a text that ends before another call - at {call.start}")
    if call.placed and call.sound and is_object_of(tools.of(call.name), dict(call.entries)):
        call.fail(f"expected arguments, got an object of them as one - at {call.start}")
    if call.whole and call.sound and is_declaration(tools.of(call.name), call.value):
        call.fail(f"expected arguments, got what a tool declares of them - at {call.start}")
    if tools.declared and call.sound and tools.is_no_name(call.name):
        call.fail(f"expected the name of a tool, got {call.name[:40]!r} - at {call.start}")
    if call.repairs and call.sound and tools:
        _mended(call, tools)


def _lacking(call: OpenCall, tools: ToolSchemas) -> None:
    """Fail a call that lacked something where its arguments hold another call, or one holds others."""
    arguments = call.arguments
    if holds_call(arguments, call.name, tools):
        call.fail(f"expected arguments, got another call - at {call.start}")
    elif call.unclosed and (key := swallowed(tools.of(call.name), arguments)):
        call.fail(f"expected `{key}` beside the other arguments, and not in one of them - at {call.start}")


def _mended(call: OpenCall, tools: ToolSchemas) -> None:
    """Fail a mended call if all of its arguments may have been lost, or those of another call taken over."""
    kinds = {repair.kind for repair in call.repairs}
    arguments = call.arguments
    if not isinstance(arguments, dict):
        return
    lost = kinds - _SURE - {RepairKind.MISSING_ARGUMENTS}
    if not arguments and lost and (key := tools.of(call.name).lacks(())):
        call.fail(f"expected the argument `{key}`, got none - at {call.start}")
    elif kinds & _MERGING and (key := named_in_texts(tools.of(call.name), arguments)):
        call.fail(f"expected `{key}` beside the other arguments, and not in one of them - at {call.start}")
    elif kinds & _JOINING and (key := taken_over(tools, call.name, arguments)):
        call.fail(f"expected no `{key}`, which is an argument of another tool - at {call.start}")


def misfits(call: OpenCall, tools: ToolSchemas, typed: bool, raw: str) -> None:
    """Let the `call`, which was guessed at and then made to fit, fail where its arguments are others than declared.

    It fails, too, where one of them holds the beginning of the call, whose wire text is `raw`.
    """
    arguments = call.arguments
    kinds = {repair.kind for repair in call.repairs}
    if not call.sound or not isinstance(arguments, dict) or kinds.isdisjoint(_GUESSED_OR_QUOTED):
        return
    wrong = next(_misread(call, arguments, kinds, tools, raw), "")
    if not wrong and not kinds.isdisjoint(GUESSED):
        wrong = misfit(tools.of(call.name), arguments, typed)
    call.error = f"{wrong} - at {call.start}" if wrong else None


def _misread(
    call: OpenCall, arguments: dict[str, Json], kinds: Set[RepairKind], tools: ToolSchemas, raw: str
) -> Iterator[str]:
    """Reasons to take a call that was guessed at for another one, in a sentence each."""
    texts = list(texts_in(arguments))
    begins = raw[: max(_BEGINNING, len(call.name) + 3)]
    if any(begins in text for text in texts):
        yield "expected a text that ends before the call begins again"
    if RepairKind.IMPLIED_CLOSER in kinds:
        if any(map(_has_other_closer, texts)):
            yield "expected the closer of a value, got another one"
        if call.passed:
            yield "expected the closer of a value, got another call in it"
        tags = any(r.kind is RepairKind.IMPLIED_CLOSER and r.detail in _TAG_ENDS for r in call.repairs)
        if tags and any(text[:1] in ("'", '"') or text.endswith(">") for text in texts):
            yield "expected the end of a tag, got a value as an attribute has it"
    if RepairKind.IMPLIED_OPENER in kinds and any("&lt;" in text for text in texts):
        yield "expected an opener and a value, got escaped ones"
    if "\\" in call.name and any(text.endswith("\\") for text in texts):
        yield "expected a value without the backslash of its closer"
    unsure = not arguments or RepairKind.STRAY_MARKER in kinds or any(_opens(call, r) for r in call.repairs)
    if unsure and tools.declared and call.name not in tools:
        yield "expected a declared tool where an opener or arguments are missing, or a marker is left out"
    if raw.strip() == call.name:
        yield "expected a call, got the name of a tool alone"
    if tools.is_no_name(call.name):
        yield "expected the name of a tool"


def _opens(call: OpenCall, repair: Repair) -> bool:
    """True when an opener of the call was guessed at."""
    misspelt = repair.kind is RepairKind.MISSPELLED_MARKER and repair.at <= call.start
    return misspelt or repair.kind is RepairKind.IMPLIED_OPENER


def _has_other_closer(value: str) -> bool:
    """True when a text has a closing tag that it does not open."""
    tags = _CLOSING_TAG.finditer(value)
    return any(f"<{''.join(tag[1].split())}" not in value[: tag.start()] for tag in tags)
