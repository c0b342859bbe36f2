"""Finds settings of an entry that change nothing."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import pairwise, product

from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.document import Table
from toolect._spec.model import Role, Spec
from toolect.authoring.laws import same
from toolect.authoring.lint.attempt import attempt
from toolect.authoring.lint.subject import Subject
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, Severity
from toolect.message import Call, Segment

_MAPPINGS = ("values", "gaps", "prefill", "ids", "misspellings", "costs", "policies")
_TYPED = (CodecKind.JSON, CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
_FOR = {"untyped": (CodecKind.SCHEMA,), "spelling": _TYPED, "layout": _TYPED}
"""Option of a codec → the codecs that know it."""
_SAME = ("it is the default", "the entry that it extends says the same, or it is the default")
"""Why a setting says nothing new, which is no mistake: of an entry that stands alone, of one that extends another."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each setting that the entry could do without."""
    for keys in _settings(subject.loaded.entry.table, subject.spec.shapes):
        why = _useless(subject, keys)
        if why:
            idle = why not in _SAME
            yield Diagnostic(
                "unused-setting",
                f"`{keys[-1]}` changes nothing in `{keys[0]}`" if len(keys) > 1 else f"`{keys[0]}` changes nothing",
                subject.places.entry(*keys),
                Severity.ERROR if idle else Severity.WARNING,
                label=why,
                witness=keys[-1],
                help="leave it out",
            )


def _settings(table: Table, shapes: Container[str]) -> Iterator[tuple[str, ...]]:
    """The ways to all settings, the options of a codec among them; the codec itself where a shape says what is read."""
    for field, value in table.entries:
        if field.text in _MAPPINGS and isinstance(value, Table):
            for key, inner in value.entries:
                yield field.text, key.text
                if field.text == "values" and isinstance(inner, Table):
                    options = [name.text for name, _ in inner.entries]
                    yield from (("values", key.text, o) for o in options if o != "codec" or key.text in shapes)
        elif field.text in ("end", "reserved"):
            yield (field.text,)


def _useless(subject: Subject, keys: tuple[str, ...]) -> str:
    """Why the setting at `keys` is of no use; empty when it is of use."""
    spec, without = subject.spec, subject.without(*keys)
    if without is None:
        return ""
    if without == spec:
        inherited = subject.loaded.entry.table.get("extends") is not None
        return _SAME[inherited]
    match keys:
        case ("gaps", gap):
            return "" if _has_gap(subject, without, gap) else "nothing is written or read otherwise without it"
        case ("values", slot, *option) if slot in spec.shapes and option in ([], ["codec"]):
            codec = spec.codecs[slot]
            told = codec.kind is CodecKind.JSON or (codec == Codec(codec.kind)) == bool(option)
            return "" if told else f"a shape says what the slot holds, `{codec.kind}` does not"
        case ("values", slot, option):
            return _foreign(option, spec.codecs[slot])
        case ("misspellings", marker):
            return _well_spelled(subject, without, marker)
        case ("policies", "repeated-keys") if spec.policies.repeated_keys == "list":
            objects = any(rule.value and rule.name == Role.OBJECT for rule in spec.rules.values())
            return "" if objects else "only in an `object` of a value language neighbours are a list"
    return ""


def _has_gap(subject: Subject, without: Spec, gap: str) -> bool:
    """True when something is written in another way without the gap, or calls apart by it are read in another way; and
    where nothing can be written in which it stands, which others tell.
    """
    other, shown = Dialect(without), [trial.message.segments for trial in subject.trials if trial.text]
    if not any(_stands(gap, *pair) for segments in shown for pair in pairwise(segments)):
        return True
    if any(attempt(other, trial.message).text != trial.text for trial in subject.trials):
        return True
    space = subject.spec.gaps.between_calls if gap == "between calls" else subject.spec.gaps.before_call
    calls = (str(trial.text) for trial in subject.trials if trial.text and len(trial.message.segments) == 1)
    texts = (call + space + call for call in calls)
    return any(not same(subject.dialect.parse(text), other.parse(text)) for text in texts)


def _stands(gap: str, before: Segment, after: Segment) -> bool:
    """True when a gap stands between these two."""
    return type(after) is Call and (type(before) is Call) == (gap == "between calls")


def _foreign(option: str, codec: Codec) -> str:
    """Why an option is not for this codec."""
    return "" if codec.kind in _FOR.get(option, (codec.kind,)) else f"the codec `{codec.kind}` does not know it"


def _well_spelled(subject: Subject, without: Spec, marker: str) -> str:
    """Why none of the misspellings of a marker is of use: without them, what has them is read alike."""
    other = Dialect(without)
    texts = [(str(trial.text), trial.tools) for trial in subject.trials if trial.text and marker in trial.text][:4]
    for wrong in subject.spec.misspellings.get(marker, ()):
        for (text, tools), often in product(texts, (1, -1)):
            spelled = text.replace(marker, wrong, often)
            if not same(subject.dialect.parse(spelled, tools), other.parse(spelled, tools)):
                return ""
    return "without it, texts with the misspelling are read alike" if texts else ""
