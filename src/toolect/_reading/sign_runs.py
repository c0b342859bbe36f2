"""Runs of one sign, over and over: in the middle of a longer one than markers have, no call begins."""

from __future__ import annotations

import re

from toolect._graph.node import STRONG, Node
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import Calls, Following, LineEnd, Misspelt, NameLine, Stop, Unopened


def past_run(node: Node, buf: str, at: int) -> int:
    """The first index from `at` on where a stop of `node` has to be looked at: nothing else than its signs follows."""
    match = node.made(_runs).match(buf, at)
    return at if match is None else match.end()


def _runs(node: Node) -> re.Pattern[str]:
    """Matches what of a run comes before its last signs.

    After a marker another one may stand that means nothing, and one sign more where that is spelled otherwise.
    """
    known, stops = node.graph.markers, [needle.stop for needle in plan_of(node).needles]
    cores = [stop.core for stop in stops if stop is not None]
    signs = {core[0] for core in cores if core[:1] == core[1:2] and not core[0].isalnum() and not core[0].isspace()}
    found = []
    for sign in sorted(signs):
        if all(_begins_nothing(node, stop, sign) for stop in stops if stop is not None and stop.core[0] == sign):
            most = max(len(run) for core in (*known, *cores) for run in re.findall(f"{re.escape(sign)}*", core))
            found.append(rf"{re.escape(sign)}+(?={re.escape(sign)}{{{2 * most + 1}}})")
    return re.compile("|".join(found) or r"(?!)")


def _begins_nothing(node: Node, stop: Stop, sign: str) -> bool:
    """True when no call that `sign` begins can follow `stop`, nor is anything noted where none does."""
    spec = node.graph.network.spec
    if spec.code or isinstance(stop, LineEnd | NameLine | Unopened):
        return False
    if stop.core.strip(sign) and not isinstance(stop, Misspelt):
        return True  # it is not there, in the middle of a run
    stop = stop.of if isinstance(stop, Misspelt) else stop
    whole = not stop.core.strip(sign)
    if type(stop) is not Following or stop.calls is Calls.NOTHING or whole and len(stop.core) >= STRONG:
        return False
    for key in (*stop.path, stop.key):
        node = node.step(key).node
    taken = node.json and sign in '{["' or any(pattern.match(sign) for _, pattern in node.patterns)
    return not (spec.comments or node.text or node.escaped or taken)
