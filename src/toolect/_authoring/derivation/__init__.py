"""Explains a parse: the tree of rules that read a text, the parts of the grammar it took, where it could not go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from toolect._authoring.derivation.grammar_options import GrammarPart, PartKind, parts
from toolect._authoring.derivation.tree import Branch, Leaf, LeafKind, NetworkWalk, Tree, TreeBuilder
from toolect._compiled import Dialect, Mode, Tools, check_mode
from toolect._graph.network import Network
from toolect._graph.symbols import Op
from toolect._message import Message, Repair, RepairKind, Status
from toolect._search.answer_search import AnswerSearch
from toolect._search.trace import Lexeme, Trace
from toolect._values.toolset import NO_TOOLS, tool_schemas

__all__ = [
    "Branch", "Derivation", "Failure", "GrammarPart", "Leaf", "LeafKind", "PartKind", "Tree", "derive", "edges",
    "parts",
]  # fmt: skip

MAX_EXPECTED = 4
"""Maximum of expected things that are named."""
MAX_GOT = 24
"""Characters that are shown of what came instead."""


class Failure(msgspec.Struct, frozen=True):
    """A place where the grammar could not go on: what it has there, markers in backquotes, and what came instead."""

    at: int
    expected: tuple[str, ...]
    got: str
    more: bool = False
    """True when more could have come than is named."""

    def __str__(self) -> str:
        expected = " or ".join(self.expected) + (" …" if self.more else "")
        return f"expected {expected or 'the end'}, got {f'`{self.got}`' if self.got else 'the end'} - at {self.at}"


class Derivation(msgspec.Struct, frozen=True):
    """Derivation of a text in the grammar of a dialect. `message` is what `parse` makes of it."""

    dialect: str
    text: str
    message: Message
    tree: Branch
    """The rule `start`, with all below it."""
    edges: Mapping[str, int]
    """Number of times each part of the grammar was taken, by the names that `parts` lists."""
    failures: tuple[Failure, ...] = ()

    @property
    def repairs(self) -> list[Repair]:
        """Every repair of the message and of its calls, in the order of the text."""
        every = (*self.message.repairs, *(repair for call in self.message.calls for repair in call.repairs))
        return sorted(every, key=lambda repair: repair.at)


def derive(
    dialect: Dialect, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
) -> Derivation:
    """Derive `text` in the grammar of `dialect`, with the arguments of `Dialect.parse`. Never raises on any text."""
    check_mode(mode)
    schemas = tool_schemas(tools) if tools else NO_TOOLS
    trace, own = Trace(), dialect._with_names(schemas)
    reader = AnswerSearch(own.spec, own._graph(policies), schemas, mode == "strict", prefix, trace=trace)
    message = reader.read(text)
    builder = TreeBuilder(own.spec, text)
    tree = builder.build(_walk(own._graph().network).ways(trace.lexemes))
    found = [_failure(trouble.at, trouble.expected, text) for trouble in trace.troubles]
    if any(call.status is Status.TRUNCATED for call in message.calls):
        found.append(_failure(len(text), trace.open_ends(reader.node), text))
    return Derivation(dialect.name, text, message, tree, builder.counts, tuple(found))


def edges(dialect: Dialect, lexemes: Sequence[Lexeme]) -> frozenset[str]:
    """The parts of the grammar that these lexemes take: the keys of `Derivation.edges`. Their places do not matter."""
    ways = _walk(dialect._graph().network).ways(lexemes)
    crossed = {one.name for way in ways for one in way if isinstance(one, Op)}
    return frozenset(crossed - {""} | {"start"})


@lru_cache(maxsize=128)  # of every dialect that is shipped: a corpus may hold all of them in turn
def _walk(network: Network) -> NetworkWalk:
    return NetworkWalk(network)


def _failure(at: int, expected: tuple[str, ...], text: str) -> Failure:
    return Failure(at, expected[:MAX_EXPECTED], text[at : at + MAX_GOT], len(expected) > MAX_EXPECTED)


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
