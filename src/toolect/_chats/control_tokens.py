"""The tokens that turns begin and end with, distinguished from prose by how they look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from toolect._chats.chat_grammar import TURNS, frame_of
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves

_TOKEN = re.compile(r"<[|｜][^|｜<>]*[|｜]>|<\|[^\s<>]*>|<[^\s<>|]*\|>|</?[a-z_]+[\w-]*>|\[/?[A-Z][A-Z_]*\]|\S+")


def tokens_of(spec: ChatSpec) -> tuple[str, ...]:
    """The control tokens in the texts that turns begin and end with, the end tokens of the model among them."""
    texts: list[str] = []
    for name, rule in spec.rules.items():
        role = spec.roles.get(name)
        if role is ChatRole.ANSWER:
            texts += frame_of(rule.expr)
        elif name == "start" or role in TURNS:
            texts += [part.text for part in leaves(rule.expr) if isinstance(part, Literal)]
    return tuple(dict.fromkeys([*spec.end, *control_tokens(texts)]))


def control_tokens(texts: Iterable[str]) -> list[str]:
    """The control tokens in texts around turns; all their words, where none looks like one."""
    found = [token for text in texts for token in _TOKEN.findall(text) if len(token) > 2]
    return [token for token in found if not token.isalnum() and token[0] in "<["] or found


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of these texts, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)")


@lru_cache(4096)
def rarest(word: str) -> str:
    """The sign of a word that stands in texts least often; the word itself where all of its signs are common."""
    sign = min(word, key=_frequency)
    return word if is_common(sign) else sign


def has_any(signs: Iterable[str], text: str) -> bool:
    """True when one of the signs stands in the text."""
    for sign in signs:  # noqa: SIM110 - `any` takes twice as long for the few that there are
        if sign in text:
            return True
    return False


class Needles:
    """Tells fast whether a text holds one of some words: those with a rare sign are looked for where that stands."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words: list[str] = []
        """Words that hold no other one of them: the others are found by these."""
        for word in sorted(words, key=len):
            if not has_any(self.words, word):
                self.words.append(word)
        around: dict[str, list[str]] = {}
        for word in self.words:
            around.setdefault(rarest(word), []).append(word)
        self._alone = [one for words in around.values() if len(words) == 1 for one in words]
        self._ways = [_around(sign, words) for sign, words in around.items() if len(words) > 1]
        self.within: Callable[[str], object] = (
            self._ways[0].search if len(self._ways) == 1 and not self._alone else self._is_within
        )
        """Is true when one stands in the text."""

    def _is_within(self, text: str) -> bool:
        for way in self._ways:  # an expression that begins with one sign jumps from one to the next
            if way.search(text):
                return True
        return has_any(self._alone, text)


def _around(sign: str, words: Iterable[str]) -> re.Pattern[str]:
    """Finds words where the first `sign` of each stands."""
    parts = (word.partition(sign) for word in words)
    ways = ((f"(?<={re.escape(before + sign)})" if before else "") + re.escape(after) for before, _, after in parts)
    return re.compile(f"{re.escape(sign)}(?:{'|'.join(ways)})")


def _frequency(sign: str) -> tuple[bool, bool]:
    """Rough frequency of a sign in texts, as a sort key."""
    return sign.isspace() or sign.isalnum(), is_common(sign)


def is_common(sign: str) -> bool:
    """True for the signs of words, sentences, names and Markdown."""
    return sign.isalnum() or sign.isspace() or sign in ".,:;!?'\"()-*#_`"
