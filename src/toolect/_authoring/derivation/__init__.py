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
from toolect._message import Message, Repair, Status
from toolect._search.answer_search import AnswerSearch
from toolect._search.trace import Lexeme, Trace
from toolect._values.toolset import NO_TOOLS, tool_schemas

__all__ = [
    "Branch", "Derivation", "Failure", "GrammarPart", "Leaf", "LeafKind", "PartKind", "Tree", "derive", "edges",
    "parts",
]  # fmt: skip

MAX_EXPECTED = 4
"""Things that are named where something was expected."""
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
    """How a dialect reads a text. `message` is what `parse` makes of it."""

    dialect: str
    text: str
    message: Message
    tree: Branch
    """The rule `start`, with all below it."""
    edges: Mapping[str, int]
    """How often each part of the grammar was taken, by the names that `parts` lists."""
    failures: tuple[Failure, ...] = ()

    @property
    def repairs(self) -> list[Repair]:
        """Every repair of the message and of its calls, in the order of the text."""
        every = (*self.message.repairs, *(repair for call in self.message.calls for repair in call.repairs))
        return sorted(every, key=lambda repair: repair.at)


def derive(
    dialect: Dialect, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
) -> Derivation:
    """How `dialect` reads `text`; the arguments are those of `Dialect.parse`. Never raises on any text."""
    check_mode(mode)
    schemas = tool_schemas(tools) if tools else NO_TOOLS
    trace = Trace()
    reader = AnswerSearch(dialect.spec, dialect._graph(policies), schemas, mode == "strict", prefix, trace=trace)
    message = reader.read(text)
    builder = TreeBuilder(dialect.spec, text)
    tree = builder.build(_walk(dialect._graph().network).ways(trace.lexemes))
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
