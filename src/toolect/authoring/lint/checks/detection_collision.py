"""Finds dialects whose texts are taken for another one, which reads them otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from toolect import _cache as cache
from toolect import registry
from toolect._detection.index import Index, index
from toolect._detection.ranking import among, candidates
from toolect._detection.traits import traits
from toolect.authoring.corpus import describe
from toolect.authoring.generate.minimal import OSLO, ROME, TEXT, THOUGHT
from toolect.authoring.lint.subject import Group
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call, Message, Segment
from toolect.rendered import Unrepresentable

_VALUES = Call("set", {"a": "b", "n": 3, "f": 0.5, "t": True, "z": None, "l": [1, "b"], "o": {"k": "v"}})
_MESSAGES: tuple[tuple[Segment, ...], ...] = (
    (TEXT, ROME),
    (ROME, OSLO),
    (_VALUES,),
    (Call("f", {}),),
    (THOUGHT, ROME),
    (THOUGHT, TEXT, ROME, OSLO),
)
"""What every dialect writes as far as it can; the first alone is tried of those that are only compared with."""


def compare(group: Group) -> Iterator[Diagnostic]:
    """A diagnostic for each dialect with a text that is taken for another one."""
    known, texts = _index(group), _texts(group)
    for name in group.specs:
        own = name in group.subjects
        for text in texts.get(name, ()):
            if not own and not any(other in group.subjects for other in candidates(known, text)):
                continue
            found = among(text, known, group.dialects.__getitem__, None, 1, "")
            taken = found[0].dialects if found else (name,)
            if name not in taken and (own or taken[0] in group.subjects):
                yield _told(group, text, name, group.dialects[taken[0]])
                break


def _told(group: Group, text: str, name: str, other: Dialect) -> Diagnostic:
    here, there = (name, other.name) if name in group.subjects else (other.name, name)
    return warning(
        "detection-collision",
        f"a text of `{name}` is taken for `{other.name}`, which reads it otherwise",
        group.specs[here].place,
        related=((group.specs[there].place, "the other one"),) if there in group.names else (),
        witness=text,
        reading="; ".join(line.strip() for line in describe(other.parse(text)).splitlines()),
        help="tell them apart by a marker; allow it with a reason if models do write both",
    )


def _texts(group: Group) -> dict[str, list[str]]:
    """What the dialects write; what a shipped one does that is only compared with has been found out before."""
    made = cache.state("_graph/*.py", "_rendering/*.py", "_values/*.py")
    key = cache.key([registry.fingerprint().encode(), made])
    found = cache.load("texts", key, dict[str, list[str]]) or {}
    home = str(registry.shipped())
    packed = {name: dialect for name, dialect in group.others.items() if dialect.spec.place.path == home}
    if packed.keys() - found:
        found |= {name: list(_written(dialect, _MESSAGES[:1])) for name, dialect in packed.items()}
        cache.store("texts", key, found)
    return {name: found[name] for name in packed} | {
        name: list(_written(dialect, _MESSAGES if name in group.subjects else _MESSAGES[:1]))
        for name, dialect in group.dialects.items()
        if name not in packed
    }


def _written(dialect: Dialect, messages: Iterable[tuple[Segment, ...]]) -> Iterator[str]:
    for segments in messages:
        with suppress(Unrepresentable):
            yield str(dialect.render(Message(segments)))


def _index(group: Group) -> Index:
    """What is known of the dialects by their texts; of shipped ones that has been found out before."""
    found = index().traits
    return Index(
        found[name] if name in found and name in group.others else traits(s) for name, s in group.specs.items()
    )
