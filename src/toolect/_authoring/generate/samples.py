"""Messages with their wire text: as rendering writes them, and as the grammar allows them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random

import msgspec

from toolect._authoring.generate.minimal import minimal
from toolect._authoring.generate.random_messages import message
from toolect._authoring.generate.sampler import KEYS, Alternative, Walker, alternatives
from toolect._compiled import Dialect
from toolect._message import Json, Message
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of
from toolect._values.toolset import tool_schemas

TRIES = 100
"""How often a message is drawn anew that the dialect cannot carry, and a walk is that is read as something else."""
REPEATED = 500
"""Texts in a row that were there before, after which no new one is looked for."""


class Sample(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """A message and its wire text: with `tools` declared, the text is read as this message."""

    message: Message
    text: str
    tools: list[Json]
    canonical: bool = True
    """True for a text that rendering wrote; one from the grammar may be spelled in any way that is read."""
    taken: frozenset[Alternative] = frozenset()
    """The alternatives of the grammar that the text takes, where it was written by walking the grammar."""


def samples(
    dialect: Dialect, count: int, seed: int, *, hostile: bool = False, tools: Sequence[Json] = ()
) -> Iterator[Sample]:
    """`count` representable messages, rendered: small ones for each feature first, then drawn ones.

    The `hostile` ones are all drawn, and so are those that call the `tools`. Where the dialect carries nothing that is
    drawn, there are fewer.
    """
    random, declared = Random(seed), tool_schemas(tools)
    small = iter(()) if hostile or tools else minimal(dialect)
    done = failed = 0
    while done < count and failed < TRIES:
        drawn = next(small, None) or message(dialect, random, hostile=hostile, tools=declared)
        if (sample := rendered(dialect, drawn, tools)) is not None:
            yield sample
        done, failed = (done + 1, 0) if sample is not None else (done, failed + 1)


def mixed(dialect: Dialect, seed: int, *, hostile: bool = False, tools: Sequence[Json] = ()) -> Iterator[Sample]:
    """Samples and derivations in turn, no text twice, as long as there are any.

    Nothing but samples when they are `hostile`, or call the `tools`.
    """
    sources = [samples(dialect, sys.maxsize, seed, hostile=hostile, tools=tools)]
    if not hostile and not tools:
        sources.append(derivations(dialect, sys.maxsize, seed))
    seen: set[int] = set()
    while sources:
        for source in tuple(sources):
            new = (sample for sample in islice(source, REPEATED) if hash(sample.text) not in seen)
            found = next(new, None)
            if found is None:
                sources.remove(source)
            else:
                seen.add(hash(found.text))
                yield found


def rendered(dialect: Dialect, message: Message, tools: Sequence[Json] = ()) -> Sample | None:
    """The sample that a message makes, if the dialect can carry it; with the ids that are on the wire.

    The tools are declared, or else those that it calls.
    """
    tools = [*tools] or tools_of(message)
    try:
        text = str(dialect.render(message, tools))
    except RenderError:
        return None
    return Sample(dialect.parse(text, tools), text, tools)


def derivations(dialect: Dialect, count: int, seed: int) -> Iterator[Sample]:
    """`count` texts that the grammar allows, each with the message that it is read as.

    The first ones take all alternatives in turn, those too that are read and never written; the others are drawn. An
    alternative that no text was found for which is read as what it was written for is passed over.
    """
    random, walker = Random(seed), Walker(dialect.spec)
    left = dict.fromkeys(alternatives(dialect.spec))
    done = 0
    while done < count:
        aim = next(iter(left), None)
        found = _best(dialect, walker, random, aim)
        if found is None and aim is None:
            return
        taken = frozenset((aim,)) if found is None else found.taken
        left = {alternative: None for alternative in left if alternative not in taken}
        if found is not None:
            done += 1
            yield found


def _best(dialect: Dialect, walker: Walker, random: Random, aim: Alternative | None) -> Sample | None:
    """A text that takes the alternative `aim`: one that is read without repairs, if such a one is drawn."""
    best = None
    for _ in range(TRIES):
        found = derivation(dialect, walker, random, aim)
        if found is not None and found.message.exact:
            return found
        best = best or found
    return best


def derivation(dialect: Dialect, walker: Walker, random: Random, aim: Alternative | None = None) -> Sample | None:
    """A text that takes the alternative `aim`; nothing when it would be read as something else.

    The tools that it calls are declared, with arguments of any type.
    """
    walked = walker.walk(random, aim)
    if walked is None:
        return None
    own = (codec.key for codec in dialect.spec.codecs.values() if codec.key is not None)
    properties: dict[str, Json] = {key: {} for key in (*KEYS, *own)}
    parameters = {"type": "object", "properties": properties}
    tools: list[Json] = [{"name": name, "parameters": parameters} for name in dict.fromkeys(walked.names)]
    message = dialect.parse(walked.text, tools)
    if len(message.calls) != walked.calls or not all(call.runnable for call in message.calls):
        return None
    return Sample(message, walked.text, tools, canonical=False, taken=walked.taken)


def unreached(dialect: Dialect, samples: Iterable[Sample]) -> list[Alternative]:
    """The alternatives of the grammar that none of the samples takes."""
    taken = frozenset[Alternative]().union(*(sample.taken for sample in samples))
    return [alternative for alternative in alternatives(dialect.spec) if alternative not in taken]
