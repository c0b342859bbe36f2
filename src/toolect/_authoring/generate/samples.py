"""Messages with their wire text: as rendering writes them, and as the grammar allows them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from random import Random

import msgspec

from toolect._authoring.generate.random_messages import message, minimal
from toolect._authoring.generate.sampler import KEYS, Option, Walked, Walker
from toolect._compiled import Dialect, checking
from toolect._extras import MissingExtraError
from toolect._message import Call, Json, Message
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of
from toolect._spec.leaves import reached
from toolect._values.toolset import ToolSchemas, tool_schemas

TRIES = 100
"""Tries to draw a message that the dialect can carry, and a text that is read as it is meant."""
MISSED = 10
"""Texts in a row that lead to a rule and take nothing new, after which it is left."""
REPEATED = 500
"""Texts in a row that were there before, after which no new one is looked for."""


class Sample(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """A message and its wire text: with `tools` declared, the text is read as this message."""

    message: Message
    text: str
    tools: list[Json]
    canonical: bool = True
    """True for a text that rendering wrote; one from the grammar may be spelled in any way that is read."""


def samples(
    dialect: Dialect, count: int, seed: int, *, hostile: bool = False, tools: Sequence[Json] = ()
) -> Iterator[Sample]:
    """`count` representable messages, rendered: small ones for each feature first, then drawn ones.

    The `hostile` ones are all drawn, and so are those that call the `tools`. Where the dialect carries nothing that is
    drawn, or nothing drawn is valid for the tools' schemas, there are fewer.
    """
    random, declared = Random(seed), tool_schemas(tools)
    check = _checked(declared)
    small = iter(()) if hostile or tools else minimal(dialect)
    done = failed = 0
    while done < count and failed < TRIES:
        drawn = next(small, None) or message(dialect, random, hostile=hostile, tools=declared)
        valid = check is None or not any(check(call).violations for call in drawn.calls)
        if (sample := rendered(dialect, drawn, tools) if valid else None) is not None:
            yield sample
        done, failed = (done + 1, 0) if sample is not None else (done, failed + 1)


def _checked(declared: ToolSchemas) -> Callable[[Call], Call] | None:
    """Validator of calls of declared tools; None for none, or without the library that validates."""
    with suppress(MissingExtraError):
        return checking(declared, declared.declared)
    return None


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

    The first ones take every option of the grammar that they can, those too that are read and never written; those
    that are read with repairs come after the others. What follows is drawn.
    """
    random, walker = Random(seed), Walker(dialect.spec)
    return islice(chain(_covering(dialect, walker, random), _drawn(dialect, walker, random)), count)


def _covering(dialect: Dialect, walker: Walker, random: Random) -> Iterator[Sample]:
    """Texts each of which takes an option that none before it takes."""
    met = set[Option]()
    repaired: list[tuple[Sample, frozenset[Option]]] = []
    held = reached(dialect.spec.rules)
    for rule in (name for name in dialect.spec.rules if name in held):
        missed = 0
        while missed < MISSED:
            walked = walker.walk(random, rule, met)
            missed += 1
            if walked is not None and not walked.taken <= met and (found := _read(dialect, walked)) is not None:
                if found.message.exact:
                    met |= walked.taken
                    missed = 0
                    yield found
                else:
                    repaired.append((found, walked.taken))
    for found, taken in repaired:
        if not taken <= met:
            met |= taken
            yield found


def _drawn(dialect: Dialect, walker: Walker, random: Random) -> Iterator[Sample]:
    """Texts at random: of some tries the first that is read without repairs, else any."""
    while True:
        best = None
        for _ in range(TRIES):
            best = derivation(dialect, walker, random) or best
            if best is not None and best.message.exact:
                break
        if best is None:
            return
        yield best


def derivation(dialect: Dialect, walker: Walker, random: Random) -> Sample | None:
    """A text with the message that it is read as; nothing when that is something else than was written."""
    walked = walker.walk(random)
    return None if walked is None else _read(dialect, walked)


def _read(dialect: Dialect, walked: Walked) -> Sample | None:
    """The sample of a walk. The tools that it calls are declared, with arguments of any type."""
    own = (codec.key for codec in dialect.spec.codecs.values() if codec.key is not None)
    properties: dict[str, Json] = {key: {} for key in (*KEYS, *own)}
    parameters = {"type": "object", "properties": properties}
    tools: list[Json] = [{"name": name, "parameters": parameters} for name in dict.fromkeys(walked.names)]
    message = dialect.parse(walked.text, tools)
    if len(message.calls) != walked.calls or not all(call.runnable for call in message.calls):
        return None
    return Sample(message, walked.text, tools, canonical=False)
