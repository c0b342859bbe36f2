"""What each repair means, in a sentence for people."""

from __future__ import annotations

from toolect._message import Repair, RepairKind

_SENTENCES = {
    RepairKind.WHITESPACE: "the whitespace before this is not what the dialect writes: {}",
    RepairKind.IMPLIED_OPENER: "the opener `{}` is missing; what follows can only stand inside of it",
    RepairKind.IMPLIED_CLOSER: "the closer `{}` is missing; the text goes on, or ends, as if it were there",
    RepairKind.STRAY_MARKER: "the marker `{}` is out of place: it closes nothing, or no call follows it",
    RepairKind.MISSPELLED_MARKER: "the marker is misspelled in a way that the spec lists: {}",
    RepairKind.JSON: "the JSON is broken here and was mended: {}",
    RepairKind.UNESCAPED: "inside a quoted string, this was not escaped: {}",
    RepairKind.DOUBLE_ENCODED: "the arguments are JSON in a string where an object belongs, or the other way round",
    RepairKind.MISSING_ARGUMENTS: "arguments, or the value of one, are missing and were read as none",
    RepairKind.LIST: "a single call stands for a list of calls, or a list for a single one",
    RepairKind.DUPLICATE_KEY: "an argument comes more than once: {}",
    RepairKind.POSITIONAL: "the argument has no name; by its place in the tool's schema it is `{}`",
    RepairKind.COERCION: "the value is not spelled as its type asks for: {}",
    RepairKind.WRAPPED: "the arguments stand in an argument of their own, `{}`, which the tool does not have",
    RepairKind.SHAPE: "the JSON of the call is not in the dialect's shape but in another one: {}",
    RepairKind.TOOL_NAME: "the name is spelled otherwise than that of the only tool that fits: {}",
    RepairKind.UNKNOWN_TOOL: "code calls `{}`, which is no tool; it stays in the content",
    RepairKind.SALVAGED: "the arguments could not be read, and are what json-repair made of them: {}",
    RepairKind.AFTER_END: "this follows the end of the answer and was left out",
}


def explain(repair: Repair) -> str:
    """The repair in a sentence."""
    return _SENTENCES[repair.kind].format(repair.detail or "?")
