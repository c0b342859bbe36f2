"""Chooses between the dialects that several guesses at the tools make, and tells when the choice is not certain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from toolect._shown import cut, one_line
from toolect.authoring.scaffold.code_calls import code_calls
from toolect.authoring.scaffold.draft_grammar import literals
from toolect.authoring.scaffold.guesses import Guess, is_markup, worth
from toolect.authoring.scaffold.json_calls import FEW, json_values
from toolect.authoring.scaffold.pieces import has_markers
from toolect.authoring.scaffold.thoughts import SPEAKS_OF_THINKING
from toolect.message import Call, Message, dumps

LIKELIER = 80
"""Characters that a dialect may take more for each point that its guess is likelier."""
ODD = 25
"""Characters that a word counts for in a marker if it may be data."""
UNWRITTEN = 60
"""Characters that it counts for if the samples are not written again as they are."""
MARGIN = 12
"""Characters that another dialect, which reads other calls, may take more before the choice is certain."""
BEFORE = 8
"""Characters before a name that are shown of the text around it."""
MAX_SHOWN = 32
"""Characters of that text."""


class Option(NamedTuple):
    """A dialect that a guess makes, with what it reads."""

    guess: Guess
    sound: bool
    written: int
    """Whether most samples are written again as they are."""
    messages: Sequence[Message]
    """What is read."""
    grammar: str
    lost: int
    """Characters that the samples say, and that are given out nowhere."""

    @property
    def calls(self) -> list[Call]:
        """All calls that are read."""
        return [call for message in self.messages for call in message.calls]

    def rank(self) -> tuple[float, ...]:
        """What tells the better one of two: samples that are read, then how little it takes to say them."""
        return self.clean, self.sound, LIKELIER * self.guess.score - self.length

    @property
    def clean(self) -> int:
        """Samples that are read without calls being overlooked, or arguments in another one."""
        joined = self._joined()
        return sum(not calls_unseen(message) and not joined(message) for message in self.messages)

    def _joined(self) -> Callable[[Message], bool]:
        """What tells of a message that a text in it has further arguments in it; that no call has two shows it."""
        sign = re.search(r'KEY "\s*([^\w\s\\"])', self.grammar)
        if sign is None or any(len(call.arguments or ()) > 1 for call in self.calls):
            return lambda _: False
        further = re.compile(rf"\s[\w-]+{re.escape(sign[1])}[^\s{re.escape(sign[1])}]")
        return lambda message: any(
            isinstance(value, str) and further.search(value) is not None
            for call in message.calls
            for value in (call.arguments or {}).values()
        )

    @property
    def length(self) -> int:
        """Characters of the grammar, and of what the samples say in it, each name and key once."""
        calls = self.calls
        words = [word for call in calls for word in (call.name, *(call.arguments or ()))]
        values = [value for call in calls for value in (call.arguments or {}).values()]
        said = self.lost + sum(len(message.content) for message in self.messages)
        said += sum(len(value if isinstance(value, str) else dumps(value)) for value in values)
        said += ODD * sum(isinstance(value, str) and _MARKED.search(value) is not None for value in values)
        said += ODD * len(odd(self.grammar)) + UNWRITTEN * (not self.written)
        return len(self.grammar) + said + len("".join({*words})) + len(words)


def calls_unseen(message: Message) -> bool:
    """True for an answer that looks as if something was called in it, though nothing is."""
    text = message.content
    return not message.calls and (
        has_markers(text) or next(chain(json_values(text), code_calls(text).marks), None) is not None
    )


_MARKED = re.compile(r"[\"']>|</|\A<!\[CDATA\[|<[|｜]|[|｜]>|\A([\"']).*\1\Z|, \w+=[\w\"'\[{]", re.DOTALL)
"""What a value has in it that begins too early, or ends too late."""


def odd(grammar: str) -> list[str]:
    """The words in the markers of a grammar that markup is not usually made of: they may be data."""
    words = [word for text in literals(grammar) for word in re.findall(r"[^\W_](?:\w|[.-]\w)*", text)]
    return list(dict.fromkeys(word for word in words if not is_markup(word)))


def prosaic(option: Option) -> bool:
    """True where markers that few calls show have words in them that stand alone: those are prose."""
    apart = {word.strip(".,!?") for text in literals(option.grammar) for word in text.split()}
    return len(option.calls) < FEW and not option.guess.told and any(word in apart for word in odd(option.grammar))


def uncertain(options: Sequence[Option], texts: Sequence[str]) -> str:
    """Why the first of the options may be wrong, though it reads the samples; "" if nothing says so."""
    best = options[0]
    calls = best.calls
    names = list(dict.fromkeys(call.name for call in calls))
    say = f"{_SAY}{_likely(texts, names)}"
    if len(calls) < FEW or len(names) < 2:
        if words := odd(best.grammar):
            return f"`{words[0]}` was taken for markup, {_UNSHOWN}: {say}"
        if any(worth(name) <= 0 for name in names) and best.guess.told < 1:
            return f"`{names[0]}` was taken for the name of a tool{_around(texts, names[0])}, {_UNSHOWN}: {say}"
    between = "\n".join(_rules(best.grammar, "start|calls"))
    if words := odd(between):
        return f"`{words[0]}` was taken for what divides calls: {say}"
    if words := _seen_once(best):
        return f"`{words[0]}` was taken for what is around a text, in one answer alone: {say}"
    if any(map(calls_unseen, best.messages)):
        return f"an answer in which nothing is called looks as if something was: {say}"
    said = [(call.name, dumps(call.arguments)) for call in calls]
    for other in options[1:]:
        near = other.sound and other.clean == best.clean and other.rank()[-1] > best.rank()[-1] - MARGIN
        if near and [(call.name, dumps(call.arguments)) for call in other.calls] != said:
            return f"the calls may be of `{names[0]}`, or of `{other.calls[0].name}` with other arguments: {say}"
    return ""


def _likely(texts: Sequence[str], names: Sequence[str]) -> str:
    """What that is for a word of the samples that looks most like the name of a tool, and was not taken for one."""
    words = (word for text in texts for word in re.findall(r"[^\W\d](?:\w|[.-]\w)*", text))
    word = next((word for word in words if worth(word) > 0 and word not in names), "")
    return f"; for `{word}` that is `--name {word}`" if word else ""


def _around(texts: Sequence[str], name: str) -> str:
    """Where a name stands first, in words."""
    found = next(filter(None, (re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for text in texts)), None)
    if found is None:
        return ""
    start = max(found.start() - BEFORE, found.string.rfind("\n", 0, found.start()) + 1)
    return f" in `{cut(one_line(found.string[start:]), MAX_SHOWN)}`"


def _seen_once(option: Option) -> list[str]:
    """The odd words around reasoning, or around content, that one answer alone has."""
    counts = {
        "think": sum(bool(message.reasoning) for message in option.messages),
        "text": sum(bool(message.content) for message in option.messages),
    }
    rules = [line for rule, count in counts.items() if count < 2 for line in _rules(option.grammar, rule)]
    return [word for line in rules if not SPEAKS_OF_THINKING.search(line.partition(":")[2]) for word in odd(line)]


def _rules(grammar: str, names: str) -> list[str]:
    return re.findall(rf"^(?:{names}): .*", grammar, re.MULTILINE)


_UNSHOWN = "which so few calls do not show"
_SAY = "say with --tools, or with --name and --key, which words are names and keys"
