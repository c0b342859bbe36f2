"""What samples say that a new dialect does not give out, or not as it is.

That is prose, names and numbers in markup; members of JSON that are dropped; content with markup around it; names that
are ids.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from toolect._shown import cut, one_line
from toolect._spec.holes import holes, members
from toolect._spec.model import Role
from toolect._spec.shape_model import Const, HoleKind
from toolect._values.toolset import tool_schemas
from toolect.authoring.derivation import Leaf, LeafKind, derive
from toolect.authoring.scaffold.draft_grammar import literals
from toolect.authoring.scaffold.guesses import is_markup
from toolect.authoring.scaffold.json_calls import FEW, NUMBERED, json_values
from toolect.authoring.scaffold.odd_values import odd_values
from toolect.authoring.scaffold.overlooked import keys_in_markers, overlooked
from toolect.authoring.scaffold.pasted import Sample
from toolect.authoring.scaffold.structured_calls import object_in
from toolect.authoring.scaffold.thoughts import SPEAKS_OF_THINKING
from toolect.compiled import Dialect
from toolect.message import Call, Content, Json, Message, dumps

MAX_SHOWN = 60
"""Characters of what is withheld that are shown."""


def withheld(dialect: Dialect, grammar: str, samples: Sequence[Sample], tools: Sequence[Json] | None) -> str:
    """Why samples that are read may say more than the dialect gives out; "" if nothing speaks for it."""
    found = [derive(dialect, sample.text, tools, prefix=sample.prefix) for sample in samples]
    messages = [one.message for one in found]
    leaves = [[node for _, node in one.tree.walk() if isinstance(node, Leaf)] for one in found]
    texts = [one.text for one in found]
    return next(
        chain(
            keys_in_markers(grammar, messages, tools),
            _in_markers(grammar, texts, leaves, messages, tool_schemas(tools)),
            overlooked(grammar, messages, tools),
            _thoughtful(grammar),
            _unclosed(grammar) if len(samples) == 1 else (),
            _dropped(dialect, texts, leaves, messages),
            _marked(messages),
            _names(messages) if not tools else (),
            odd_values(texts, leaves, messages),
        ),
        "",
    )


# In markup


_WORD = r"[^\W\d_]+(?:['’]\w+)?"
_SENTENCE = re.compile(rf"{_WORD}(?:,? {_WORD}){{3,}}|{_WORD}(?:,? {_WORD})+[.!?…](?=[\s<\[]|\Z)")
"""Four words in a row, or two and what ends a sentence."""
_APART = re.compile(r"(?<!\S)([^\W\d_]{2,})[,.:;!?…。！？]*(?!\S)")
"""A word that no sign of markup touches."""


def _is_prose(word: re.Match[str]) -> bool:
    """True for a word that markup is not usually made of, nor written in capitals; of other letters, for any."""
    return not word[1].isascii() or not word[1].isupper() and not is_markup(word[1])


def _in_markers(
    grammar: str,
    texts: Sequence[str],
    leaves: Sequence[Sequence[Leaf]],
    messages: Sequence[Message],
    declared: Iterable[str],
) -> Iterator[str]:
    """Names that are called or declared, sentences and numbers in the markers of a grammar."""
    calls = [call for message in messages for call in message.calls]
    names = {name for name in (*declared, *(call.name for call in calls)) if not is_markup(name)}
    given = literals(grammar)
    shown = [{leaf.name for leaf in here if leaf.kind is LeafKind.MARKER} for here in leaves]
    glued = {
        leaf.name
        for text, here in zip(texts, leaves, strict=True)
        for leaf in here
        if leaf.kind is LeafKind.MARKER and text[max(leaf.span[0] - 1, 0) : max(leaf.span[0], 0)].strip()
    }
    for marker in dict.fromkeys(name for here in shown for name in sorted(here)):
        text = one_line(marker)
        words = re.findall(r"\w+(?:[.-]\w+)*", marker)
        own = any(marker in one for one in given)  # and not a name that comes again
        if name := next((word for word in words if own and word in names), None):
            yield f"`{name}` was taken for markup in `{cut(text, MAX_SHOWN)}`, and is the name of a tool"
        apart = (word for word in _APART.finditer(marker) if word.start() or marker not in glued)
        said = _SENTENCE.search(marker) or next(filter(_is_prose, apart), None)
        if said and sum(marker in here for here in shown) < FEW:
            yield f"`{cut(said[0], MAX_SHOWN)}` was taken for markup, which so few samples do not show"
        number = next((word for word in words if re.search(r"\d", word)), None)
        seen = sum(leaf.name == marker for here in leaves for leaf in here)
        if number is not None and min(seen, len(calls)) < FEW:
            yield f"`{number}` was taken for markup, which so few calls do not show"


# In JSON


def _dropped(
    dialect: Dialect,
    texts: Sequence[str],
    leaves: Sequence[Sequence[Leaf]],
    messages: Sequence[Message],
) -> Iterator[str]:
    """Members of JSON that are given out nowhere: texts, and what is not always the same."""
    constants = [*_constants(dialect)]
    constant = {value for _, value in constants}
    seen: Counter[tuple[str, str]] = Counter()
    other: dict[str, list[str]] = defaultdict(list)
    for text, here, message in zip(texts, leaves, messages, strict=True):
        seen.update((key, dumps(value)) for inner in _values(text, here) for key, value in _scalars(inner))
        for key, value in _lost(text, here, message, constant):
            other[key].append(value)
    for key, found in other.items():
        if len({*found}) > 1 or len(found) < FEW or found[0].startswith('"'):
            shown = ", ".join(dict.fromkeys(found))
            yield f"what `{one_line(key)}` holds is given out nowhere: {cut(one_line(shown), MAX_SHOWN)}"
    calls = sum(len(message.calls) for message in messages)
    for key, fixed in constants:
        if isinstance(fixed, str) and re.search(r"\d", fixed) and calls < FEW:
            yield f"`{cut(one_line(fixed), MAX_SHOWN)}` was taken for a constant, which so few calls do not show"
        if isinstance(fixed, int | float) and seen[key, dumps(fixed)] < FEW:
            yield f"`{dumps(fixed)}` was taken for a constant, which so few answers do not show"


def dropped(dialect: Dialect, text: str) -> list[str]:
    """What members of JSON hold in a text that the dialect reads, and does not give out."""
    if not any(HoleKind.NAME in holes(shape) for shape in dialect.spec.shapes.values()):
        return []
    found = derive(dialect, text)
    leaves = [node for _, node in found.tree.walk() if isinstance(node, Leaf)]
    constant = {value for _, value in _constants(dialect)}
    return [value for _, value in _lost(text, leaves, found.message, constant)]


def _constants(dialect: Dialect) -> Iterator[tuple[str, Json]]:
    """What shapes have that is always the same, each with its key."""
    for shape in dialect.spec.shapes.values():
        yield from ((key, inner.value) for key, inner in members(shape) if isinstance(inner, Const))


def _lost(text: str, leaves: Sequence[Leaf], message: Message, constant: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """The members of JSON that are given out nowhere, each with its key."""
    given = {dumps(value) for value in (*constant, *_given(message))}
    for value in _values(text, leaves):
        yield from ((key, shown) for key, one in _scalars(value) if (shown := dumps(one)) not in given)


def _values(text: str, leaves: Sequence[Leaf]) -> Iterator[Json]:
    """The JSON that calls are in."""
    for leaf in leaves:
        if leaf.kind is LeafKind.SLOT and Role.NAME in leaf.fills:
            yield from (value for _, _, value in json_values(text[slice(*leaf.span)]))


def _given(message: Message) -> Iterator[Json]:
    """The texts, numbers and words that a message has in it."""
    yield from (message.content, message.reasoning)
    for segment in message.segments:
        yield segment.text if not isinstance(segment, Call) else segment.name
    for call in message.calls:
        yield call.id
        yield from (value for _, value in _scalars(call.arguments or {}))


def _scalars(value: Json, key: str = "") -> Iterator[tuple[str, Json]]:
    """What objects and lists hold at last, each after its key, also those that are JSON in a string."""
    inner = object_in(value) if isinstance(value, str) else None
    value = value if inner is None else inner
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _scalars(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _scalars(one, key)
    else:
        yield key, value


# Around content


def _thoughtful(grammar: str) -> Iterator[str]:
    """Markers of content that speak of thinking."""
    for opener in re.findall(r'^text: "((?:[^"\\]|\\.)*)"', grammar, re.MULTILINE):
        if SPEAKS_OF_THINKING.search(opener):
            yield f"`{cut(opener, MAX_SHOWN)}` was taken for what content begins with, and may begin reasoning"


def _unclosed(grammar: str) -> Iterator[str]:
    """A marker that content begins with, which one sample shows, and none that ends it: what follows may be that."""
    if match := re.search(r'^text: ("(?:[^"\\]|\\.)*") TEXT$', grammar, re.MULTILINE):
        yield f"one sample does not show what ends the content that begins with `{cut(match[1][1:-1], MAX_SHOWN)}`"


def _marked(messages: Sequence[Message]) -> Iterator[str]:
    """Content that is JSON where nothing is called, or that begins with a sign before a call, as prose does not."""
    for message in messages:
        text = message.content.strip()
        if not message.calls and text[:1] == "{" and any(end == len(text) for _, end, _ in json_values(text)):
            yield f"`{cut(one_line(text), MAX_SHOWN)}` is content: calls are in JSON that has what is said in it, too"
        for segment in message.segments if message.calls else ():
            text = segment.text.strip() if isinstance(segment, Content) else ""
            if text and _is_sign(text[0]):
                shown = cut(one_line(text), MAX_SHOWN)
                yield f"`{shown}` is content: if that begins with markup, or is reasoning, write it into the grammar"


def _is_sign(sign: str) -> bool:
    """True for a sign that prose does not begin with."""
    kind = unicodedata.category(sign)
    return kind[0] in "PSZC" and kind != "So" and sign not in "\"'“‘«„¿¡…—"


# In names


def _names(messages: Sequence[Message]) -> Iterator[str]:
    """Names that are all numbered, or have digits between their letters: ids look like that."""
    names = [call.name for message in messages for call in message.calls]
    if names and all(map(NUMBERED.fullmatch, names)):
        yield f"`{one_line(names[0])}` was taken for the name of a tool, and looks like an id"
