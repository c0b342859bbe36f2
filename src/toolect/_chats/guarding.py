"""Keeps texts in their slots: what would end one, or begin a turn, is found and made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolect._chats.chat_grammar import TURNS, frame_of
from toolect._chats.ops import Fill
from toolect._chats.slot_runs import inner_texts
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.leaves import leaves
from toolect._spec.model import Literal, Rule
from toolect.compiled import Dialect
from toolect.rendered import Part

_WORDS = (Part.CONTENT, Part.REASONING)
SPLITTER = "\u200b"
"""A space without width: it keeps the signs of a marker from being one."""
_TOKEN = re.compile(r"<[|｜][^|｜<>]*[|｜]>|<\|[^\s<>]*>|<[^\s<>|]*\|>|</?[a-z_]+[\w-]*>|\[/?[A-Z][A-Z_]*\]|\S+")


class Guardian:
    """What may not stand in the texts of a chat."""

    def __init__(self, spec: ChatSpec, dialect: Dialect) -> None:
        self.tokens = tokens_of(spec)
        """The markers that turns are made of: no text may hold them."""
        self._spec = spec
        self._own: dict[str, re.Pattern[str]] = {}
        around = (text for rule, role in spec.roles.items() if role is ChatRole.RESULT for text in _around(spec, rule))
        self._none_of = (_NoneOf(self.tokens), _NoneOf({*around}), _NoneOf(markers_of(dialect)))

    def clean(self, held: Sequence[tuple[str, Fill, int]]) -> bool:
        """True when no text can break out of its slot; else each has to be looked at."""
        tokens, around, markers = self._none_of
        return (
            tokens.stands_in([text for text, _, _ in held])
            and around.stands_in([text for text, op, _ in held if op.role is ChatRole.RESULT])
            and markers.stands_in([text for text, op, _ in held if op.part in _WORDS])
        )

    def breaks(self, text: str, op: Fill) -> str:
        """The first marker in `text` that would break out of its slot; empty for none."""
        found = (self._own.get(op.rule) or self._pattern(op)).search(text)
        return found[0] if found else ""

    def harmless(self, text: str, op: Fill) -> str:
        """`text` with a sign without width in each of its markers."""
        return split_markers(text, self._pattern(op))

    def _pattern(self, op: Fill) -> re.Pattern[str]:
        own = self._own.get(op.rule)
        if own is None:
            inner = inner_texts(self._spec) if op.slot in (ChatSlot.ANSWER, ChatSlot.CALLS) else ()
            tokens = {token for token in self.tokens if not any(token in text for text in inner)}
            own = self._own[op.rule] = any_of({*tokens, *_following(self._spec, op)})
        return own


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these texts, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)")


def split_markers(text: str, markers: re.Pattern[str]) -> str:
    """`text` with a sign without width in each of its markers."""
    return markers.sub(lambda match: match[0][:1] + SPLITTER + match[0][1:], text)


def tokens_of(spec: ChatSpec) -> tuple[str, ...]:
    """The control tokens in the texts that turns begin and end with; the end tokens of the model are among them."""
    texts: list[str] = []
    for name, rule in spec.rules.items():
        role = spec.roles.get(name)
        if role is ChatRole.ANSWER:
            texts += frame_of(rule.expr)
        elif name == "start" or role in TURNS:
            texts += _literals(rule)
    return tuple(dict.fromkeys([*spec.end, *control_tokens(texts)]))


def control_tokens(texts: Iterable[str]) -> list[str]:
    """What of texts around turns looks like a control token; their words, where nothing does."""
    found = [token for text in texts for token in _TOKEN.findall(text) if len(token) > 2]
    return [token for token in found if not token.isalnum() and token[0] in "<["] or found


def _literals(rule: Rule) -> list[str]:
    return [part.text for part in leaves(rule.expr) if isinstance(part, Literal)]


def _following(spec: ChatSpec, op: Fill) -> list[str]:
    """What ends a text that stands in a rule of results: the markers after it."""
    return _around(spec, op.rule) if op.role is ChatRole.RESULT else []


def _around(spec: ChatSpec, rule: str) -> list[str]:
    found = [text.strip() for text in _literals(spec.rules[rule])]
    return [text for text in found if len(text) > 2]


def markers_of(dialect: Dialect) -> set[str]:
    """The markers of calls and of their parts."""
    graph = dialect.graph()
    return {*graph.openers, *graph.parts}


class _NoneOf:
    """Tells fast that no marker stands in many texts."""

    def __init__(self, markers: Iterable[str]) -> None:
        self._markers = any_of(markers)
        self._signs = {min(marker, key=_frequency) for marker in markers}

    def stands_in(self, texts: Sequence[str]) -> bool:
        """True when none of the markers stands in any of the texts."""
        whole = "\0".join(texts)
        return not any(sign in whole for sign in self._signs) or self._markers.search(whole) is None


def _frequency(sign: str) -> tuple[bool, bool]:
    """How often a sign stands in texts, roughly."""
    return sign.isspace() or sign.isalnum(), sign in ".,:;!?'\"()-*#"
