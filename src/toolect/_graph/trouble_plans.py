"""The markers at which reading goes on after trouble, made ready for searching."""

from __future__ import annotations

from collections.abc import Iterable

from toolect._graph.node import STRONG, Node
from toolect._graph.slot_stops import stops_of
from toolect._graph.stop_plan import StopPlan
from toolect._graph.stops import Calls, Landmark, NameLine, Stop

_JSON = frozenset('{}[]",:')


def skip_plan(node: Node) -> StopPlan:
    """The markers at which reading can go on after trouble at `node`."""
    return node.made(_skip_plan)


def _skip_plan(node: Node) -> StopPlan:
    cores = {c for c in node.marks if len(c) >= STRONG} | set(node.implied) | set(node.graph.ends)
    return _any_of(cores | set(node.graph.long_openers), [*_short(node), *_afresh(node)])


def attempt_plan(node: Node) -> StopPlan:
    """The markers before which an attempt in another notation ends, where calls begin at `node`."""
    return node.made(_attempt_plan)


def _attempt_plan(node: Node) -> StopPlan:
    begins = {c for c in node.marks if len(c) >= STRONG} | set(node.graph.long_openers)
    return _any_of(begins | set(node.graph.closers) | set(node.graph.ends), _short(node))


def end_plan(node: Node) -> StopPlan:
    """The end tokens alone."""
    return node.made(_end_plan)


def _end_plan(node: Node) -> StopPlan:
    return _any_of(set(node.graph.ends))


def broken_plan(node: Node) -> StopPlan:
    """The markers that end a broken JSON value which `node` follows."""
    return node.made(_broken_plan)


def _broken_plan(node: Node) -> StopPlan:
    text = [stop for stop in stops_of(node).values() if not isinstance(stop, NameLine)] if node.text else []
    found = (*node.marks, *(stop.core for stop in text))
    cores = {c for c in found if len(c) >= STRONG or c == node.sole and _JSON.isdisjoint(c)}
    named = [stop for stop in text if stop.named]
    begins = {c for c in node.graph.long_openers if not c[0].isalnum()}
    return _any_of(cores | begins | set(node.implied) | set(node.graph.ends), [*named, *_short(node)])


def firm_plan(node: Node) -> StopPlan:
    """Those of them which end it whatever follows."""
    return node.made(_firm_plan)


def _firm_plan(node: Node) -> StopPlan:
    stops = (needle.stop for needle in broken_plan(node).needles)
    return StopPlan([stop for stop in stops if stop is not None and not stop.named], "", "")


def _short(node: Node) -> list[Stop]:
    """The short signs that may come next at `node` and begin a call with a name."""
    found = () if node.text else (c for c in node.marks if len(c) < STRONG and node.named(c))
    return [Landmark(core, Calls.NAMED) for core in found]


def _afresh(node: Node) -> list[Stop]:
    """The short signs before a name with which the next call begins, though none may come at `node`."""
    start = node.graph.start
    found = (c for c in start.marks if len(c) < STRONG and start.named(c) and c not in node.marks)
    return [Landmark(core, Calls.NAMED) for core in found]


def _any_of(cores: set[str], named: Iterable[Stop] = ()) -> StopPlan:
    """A plan of the markers `cores`, and of the stops `named`, which begin calls with a name."""
    return StopPlan([*named, *map(Landmark, cores)], "", "")
