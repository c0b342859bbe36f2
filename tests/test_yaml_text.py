"""Arguments as YAML: what is read, what is refused, and that what is written comes back."""

from __future__ import annotations

import re
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolect._authoring.generate import random_values as values
from toolect._message import same_json
from toolect._spec.codec_model import Codec, CodecKind, Spelling
from toolect._values.codec import decode_arguments
from toolect._values.schema import Schema
from toolect._values.yaml_text import MAX_YAML, read_yaml, write_yaml

ANY = st.text(st.characters(exclude_categories=()), max_size=12)
ODD = ["no", "~", "1", "1e3", "a: b", "- a", "# a", "x\n y\n", "\n", " a", "'", "\x85", "\ufeff", "</a>", "a\n\nb\n\n"]


def unicode(random: Random) -> str:
    """Text that is odd in YAML, or anywhere; without lone surrogates, which are not Unicode."""
    return values.hostile(ODD, random).encode(errors="ignore").decode()


YAML = Codec(CodecKind.JSON, Spelling.YAML)


@given(st.randoms(use_true_random=False))
def test_what_is_written_is_read_back(random: Random) -> None:
    """Any arguments in Unicode come back."""
    value = {unicode(random): values.value(random, unicode, unicode) for _ in range(random.randint(0, 4))}
    for column in (0, 2, 5):
        text = write_yaml(value, column)
        assert same_json(read_yaml(text, None, column), value), text
    for inner in value.values():
        assert same_json(read_yaml(write_yaml(inner)), inner), inner


@pytest.mark.parametrize("indent", ["", " ", "    ", "      "])
def test_blocks_are_read_wherever_they_stand(indent: str) -> None:
    """The grammar has four blanks before the first line: those of a model may be others before all lines."""
    text = f"port: Brest\n{indent}at:\n{indent}  day: 2\n{indent}note: |-\n{indent}  a\n\n{indent}  b"
    assert read_yaml(text, None, 4) == {"port": "Brest", "at": {"day": 2}, "note": "a\n\nb"}
    assert read_yaml("port:\n    day: 2", None, 4) == {"port": None, "day": 2}
    assert read_yaml("port:\n      day: 2", None, 4) == {"port": {"day": 2}}


@given(ANY | st.text("a:-#&*!|>'\"{}[],? \n\t%@`0~<", max_size=24))
def test_nothing_but_a_value_error(text: str) -> None:
    """Any text is a mapping, or refused in one way."""
    try:
        decode_arguments(YAML, text, None)
    except ValueError:
        return


REFUSED = {
    "an alias": "a: &x [1]\nb: *x",
    "an anchor alone": "a: &x 1",
    "a tag": "a: !!str 1",
    "a local tag": "a: !thing 1",
    "two documents": "a: 1\n---\nb: 2",
    "a list": "- a",
    "a scalar": "just text",
    "a mapping as a key": "? {a: 1}\n: b",
    "a key twice": "a: 1\na: 2",
    "a line that is no entry": "a: 1\nb",
    "brackets without end": "a: " + "[" * 100_000,
    "deep blocks": "a:\n" + "- " * 10_000 + "x",
    "a huge text": "a: " + "x" * MAX_YAML,
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    """What is not a plain mapping is refused, soon."""
    start = time.process_time()
    with pytest.raises(ValueError, match=r"expected|cannot read|nested"):
        decode_arguments(YAML, REFUSED[what], None)
    assert time.process_time() - start < 5


TWICE = "expected each key once: the key `a` comes twice"
FURTHER = f"{TWICE}, further in the second time"


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("a: 1\na: 2", 0, TWICE),
        ("a: 1\n  a: 2", 0, FURTHER),
        ("\"a\": 1\n\n  # well\n  'a': 2", 0, FURTHER),
        ("b: 1\na: 1\nc:\n  d: 1\ne: 1\n    a: 2", 0, FURTHER),
        ("b:\n  a: 1\n    a: 2", 0, FURTHER),
        ("a: 1\n  a: 2", 2, TWICE),
        ("a: 1\n  a: 2", 4, TWICE),
        ("a: 1\n  b: 2", 0, "expected keys of one mapping below one another, got `b` further in than those before it"),
        ("b:\n  a: 1\nc: 1\n  a: 2", 0, "expected keys of one mapping below one another, got `a` further in than"),
        ("a: {b: 1\n  a: 2", 0, "cannot read the YAML: did not find"),
        ("a: b: c", 2, "cannot read the YAML: mapping values are not allowed"),
    ],
)
def test_a_key_that_stands_further_in(text: str, column: int, why: str) -> None:
    """That is the reason, and that it comes twice; also where the first line stands elsewhere than the others."""
    with pytest.raises(ValueError, match=rf"\A{re.escape(why)}"):
        read_yaml(text, None, column)


def test_schemas_reach_inside() -> None:
    """A declared string stays text wherever it stands."""
    inner = {"type": "object", "properties": {"zip": {"type": "string"}}}
    schema = {"properties": {"to": inner, "codes": {"type": "array", "items": {"type": "string"}}}}
    assert read_yaml("to: {zip: 01234, no: 4}\ncodes: [1, 2]\nfree: [1]", Schema(schema)) == {
        "to": {"zip": "01234", "no": 4},
        "codes": ["1", "2"],
        "free": [1],
    }
