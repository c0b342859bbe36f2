"""What speaks for each of several dialects at one place of a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from toolect._detection.bare import BRACKETS
from toolect._detection.guest import HARD, Claim, Guest
from toolect._detection.index import Hit
from toolect._detection.stretch import FENCE
from toolect._reading.probe import past_blank
from toolect.message import Repair

FIRST_STEP = 16
"""Characters of the first pieces that dialects are tried on; later ones are half as long as all before them."""
LAST_STEP = 1 << 16
PATIENCE = 1024
"""Characters for which a dialect that does not know yet keeps the others waiting. Beyond it: they go on without it."""
_NAME = re.compile(r"[^\W\d](?:[\w.:/-]*\w)?\Z")
_WORDS = re.compile(r"_*[^\W_A-Z]+(?:_+[^\W_A-Z]+)+\Z")
"""Words with underscores between them, as programs name what can be called, and pages and prose do not."""


def _json_at(hit: Hit, text: str) -> int:
    """Where the JSON begins that `hit` opens, which might as well be no call; -1 for none."""
    if not hit.opener.json or hit.opener.strong:
        return -1
    at = hit.end - 1 if hit.opener.core in BRACKETS else past_blank(text, hit.end)
    return at if text[at : at + 1] in ("{", "[") else -1


def _written(hit: Hit, text: str) -> bool:
    """True when what follows is spelled as the dialects of `hit` write it."""
    opener, end = hit.opener, hit.end + len(hit.opener.trail)
    if opener.core in BRACKETS or opener.free or opener.patterns:
        return True
    return text.startswith(opener.trail, hit.end) and (
        text[end : end + 1] in tuple(opener.json) or text.startswith(opener.follows, end)
    )


def _worded(hit: Hit, text: str) -> bool:
    """True when a name follows that something of the dialects' own has to come after, where JSON might have stood."""
    at = past_blank(text, hit.end)
    return bool(hit.opener.json and hit.opener.then) and text[at : at + 1] not in tuple(hit.opener.json)


def step_after(read: int) -> int:
    """How long the piece is that dialects are tried on after `read` characters."""
    return min(max(FIRST_STEP, read // 2), LAST_STEP)


class Setting(NamedTuple):
    """What counts besides the text itself."""

    tools: Collection[str]
    """The names of the declared tools."""
    order: Mapping[str, int]
    """The dialects, those met most often first."""
    last: str
    """The dialect that read the last call."""
    shown: bool
    """The place is inside of a code block."""


class Evidence:
    """The openers at a place, and what they say about the dialects that they are of."""

    __slots__ = ("_free", "_hits", "_openers", "_worded", "_written", "setting")

    def __init__(self, hits: Sequence[Hit], setting: Setting, text: str) -> None:
        """`hits` are all those at a place of `text`."""
        self.setting = setting
        self._written = {name for hit in hits if _written(hit, text) for name in hit.names}
        self._free = {name for hit in hits if hit.opener.free for name in hit.names}
        self._worded = {name for hit in hits if _worded(hit, text) for name in hit.names}
        self._hits = hits
        self._openers: dict[str, list[Hit]] = {}
        for hit in hits:
            for name in hit.names:
                self._openers.setdefault(name, []).append(hit)

    @property
    def thinks(self) -> bool:
        """True when what begins here is no call: reasoning, or content."""
        return not any(hit.opener.call for hit in self._hits)

    @property
    def openers(self) -> frozenset[str]:
        """What begins something here, as their grammars have it."""
        return frozenset(hit.opener.core for hit in self._hits)

    @property
    def longest(self) -> int:
        """The index where the longest opener ends."""
        return max(hit.end for hit in self._hits)

    @property
    def dialects(self) -> frozenset[str]:
        """The dialects that may be meant."""
        return frozenset(self._openers)

    @property
    def sure(self) -> bool:
        """There is one dialect, and the opener alone says that it is meant."""
        if len(self._openers) > 1 or self.setting.shown:
            return False
        (name, hits), = self._openers.items()  # fmt: skip
        return all(hit.opener.strong for hit in hits) and not self._wordy(name)

    def free(self, name: str) -> bool:
        """True when any text may follow an opener of a dialect."""
        return name in self._free

    def strong(self, name: str) -> bool:
        """True when an opener of a dialect says that a call was meant, whatever follows."""
        return any(hit.opener.strong for hit in self._openers[name])

    def bare(self, text: str) -> tuple[int, frozenset[str]]:
        """Where in `text` the JSON begins of which a call may be, and the dialects of which nothing else begins here.

        Only what is written in any text opens it: a code block, or nothing.
        """
        starts = [_json_at(hit, text) for hit in self._hits]
        at = max(starts)
        if at < 0:
            return at, frozenset()
        found = {name for hit, start in zip(self._hits, starts, strict=True) if start == at for name in hit.names}
        others = {name for hit, start in zip(self._hits, starts, strict=True) if start != at for name in hit.names}
        return at, frozenset(found - others)

    def declared(self, name: str) -> bool:
        """True for the name of a declared tool."""
        return name in self.setting.tools

    def perfect(self, name: str, calls: Sequence[Claim], flat: bool, repairs: Sequence[Repair]) -> bool:
        """True when no dialect can fit better than `name` does, which has read `calls`."""
        if repairs or not calls or self.free(name) or not all(call.good and self.named(call.name) for call in calls):
            return False
        tools = self.setting.tools
        return (not tools or any(call.name in tools for call in calls)) and self.meant(name, calls, flat, repairs)

    def ranked(self, likely: Collection[str] = (), among: Iterable[str] | None = None) -> list[str]:
        """Those `among` the dialects that may be meant, the likeliest last: that of the last call, the `likely` ones,
        those that write what follows as it is, those that are met most often.
        """
        names = list(self._openers if among is None else among)
        if len(names) < 2:
            return names
        last, order, written, free = self.setting.last, self.setting.order, self._written, self._free
        return sorted(
            names,
            key=lambda name: (name != last, name not in likely, name not in written, name in free, order[name]),
            reverse=True,
        )

    def named(self, name: str) -> bool:
        """True for what may be a tool's name."""
        return name in self.setting.tools or _NAME.match(name) is not None

    def meant(self, name: str, calls: Sequence[Claim], flat: bool, repairs: Iterable[Repair]) -> bool:
        """False for what its form alone does not show to be a call, when nothing else does.

        Any word may be a name. A short marker may be chance, and a code block may show an example: then a call that can
        be read must follow, and when no tools were declared it must look like a call of one. When tools were declared,
        a call of another one must be beyond doubt. One of a declared tool that the text cuts off is meant, too.
        """
        if not calls:
            return True
        hits, tools = self._openers[name], self.setting.tools
        strong = self.strong(name)
        if self._wordy(name) and not any(call.good or self._cut_off(call) for call in calls):
            return False
        nameless = all(call.cut and not call.name for call in calls)  # their dialect says that they are calls
        if tools and not nameless and not any(call.name in tools for call in calls):
            return strong and not self.setting.shown and not any(r.kind in HARD for r in repairs)
        if not tools and not strong and self._wordy(name) and not self._tool_like(name, calls[0]):
            return False
        if flat and any(hit.opener.json and hit.opener.core in BRACKETS for hit in hits):
            return any(call.name in tools for call in calls)
        return strong or nameless or all((call.good or call.cut) and self.named(call.name) for call in calls)

    def takes(self, guest: Guest) -> bool:
        """True when something of the dialect of a guest begins here, and is meant."""
        return guest.taken and not guest.refused and self.meant(guest.name, guest.calls, guest.flat, guest.repaired())

    def fitness(self, guest: Guest) -> tuple[int, bool, bool, int, int, int, int, bool, int]:
        """How well the dialect of a guest fits the text: the greatest is the best."""
        calls, repairs, setting = guest.calls, guest.repaired(), self.setting
        declared = sum(call.name in setting.tools for call in calls)
        named = sum(self.named(call.name) for call in calls)
        odd = sum(call.name != "" for call in calls) - named
        broken = sum(not call.good for call in calls) + 2 * odd
        hard = sum(repair.kind in HARD for repair in repairs)
        return (
            min(declared, 1), not self.free(guest.name), guest.spoken, -broken, min(named, 1), -hard,
            hard - len(repairs), guest.name == setting.last, -setting.order[guest.name],
        )  # fmt: skip

    def _wordy(self, name: str) -> bool:
        """True when the opener of a dialect is followed by a name: any word might be one."""
        openers = [hit.opener for hit in self._openers[name]]
        wordy = any(o.patterns or not o.needle for o in openers)
        return wordy and (name in self._worded or not any(o.json and o.needle for o in openers))

    def _cut_off(self, call: Claim) -> bool:
        """True for a call of a declared tool that the text cuts off, perhaps in its name."""
        return call.cut and call.name != "" and any(tool.startswith(call.name) for tool in self.setting.tools)

    def _tool_like(self, name: str, call: Claim) -> bool:
        """True when a call without a marker looks like that of a tool: pages and sources are full of `<li>` and `f()`.

        Either its name is of several words, or arguments stand between its parentheses.
        """
        openers = [hit.opener for hit in self._openers[name]]
        code = any(o.core.startswith(FENCE) or "(" in o.follows + o.then for o in openers)
        return _WORDS.match(call.name) is not None or code and call.told
