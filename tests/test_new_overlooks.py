"""What `toolect new` says of samples whose values or calls it does not see: it counts none of them as read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toolect
from toolect.authoring.scaffold import Sample, Scaffold, known, scaffold
from toolect.cli import main
from toolect.message import Json


def tool(name: str, **kinds: str) -> Json:
    """A declared tool; its parameters with their types."""
    return {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}},
    }


TOOLS = [tool("get_tide", port="string", days="integer"), tool("find_ship", ship="string", limit="integer")]
CALLS: list[tuple[str, dict[str, Json]]] = [
    ("get_tide", {"port": "Brest", "days": 3}),
    ("find_ship", {"ship": "HMS Victory", "limit": 12}),
    ("get_tide", {"port": "Le Havre", "days": 10}),
]


def induced(texts: list[str], tools: list[Json] | None = None) -> Scaffold:
    """The dialect of samples."""
    samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
    return scaffold("new", samples, Path("new.yaml"), tools)


def new(folder: Path, texts: list[str], *words: str) -> Result:
    """What the command says of samples; `TOOLS` are in a file."""
    files = [folder / f"{i}.txt" for i in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text, "utf-8")
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    return CliRunner().invoke(main, ["new", "mine", *map(str, files), *words, "--into", str(folder)])


# Lengths


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize(
    "form", ["%ARG {key} {length}\n{value}\n", "-{key} {length}:{value}\n", "<in {key}>{length}\n{value}</in>\n"]
)
def test_a_length_before_a_value_is_none_of_it(form: str, tools: list[Json] | None) -> None:
    """How long a value is cannot be declared, and so it is not claimed that the number is a part of it."""
    texts = []
    for name, given in CALLS:
        values = {key: str(value) for key, value in given.items()}
        inner = "".join(form.format(key=key, length=len(value), value=value) for key, value in values.items())
        texts.append(f"%CALL {name}\n{inner}%END")
    made = induced(texts, tools)
    assert not made.sound
    if not made.unread:
        assert "begins with its length" in made.doubt, made.doubt


def test_a_number_on_a_line_of_its_own() -> None:
    """It begins all values: it may count lines or items, and is none of them."""
    texts = [f"<go:note>\n<in:text>{i}\n{text}</in>\n</go>" for i, text in enumerate(["a b", "come at ten", "well"], 7)]
    tools = [tool("note", text="string")]
    assert "begins with a number in a line of its own" in induced(texts, tools).doubt
    assert induced([text.replace("8\n", "8 ").replace("9\n", "") for text in texts], tools).doubt == ""


# Calls in content

BRACKETS = [
    "Hm.\n[[get_tide port=Brest days=3]]",
    '[[find_ship ship="HMS Victory" limit=10]]',
    'Two.\n[[get_tide port="Le Havre" days=1]] [[find_ship ship="x" limit=2]]',
]
"""A text without quotes, as the reader of the others knows none."""


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_a_call_in_content_is_read(tools: list[Json] | None) -> None:
    """The opener of the draft, and a name that is called: that is no content."""
    made = induced(BRACKETS, tools)
    assert (made.read, made.unread) == (3, ())


def test_a_call_in_content_whose_name_is_called_nowhere() -> None:
    """The opener, a word where the name stands, and another one where the key stands: that is read as a call."""
    texts = [BRACKETS[1], 'So.\n[[find_ship ship="Emma" limit=2]]', '[[find_ship ship="a b" limit=7]]']
    made = induced([*texts, "[[get_tide port=Brest days=3]]"])
    assert (made.read, made.calls, made.unread) == (4, 4, ())
    assert not induced([*texts, f"I write [[names]] and [[more of them]] for this.\n{texts[2]}"]).unread


# Known dialects

INNER = [
    '<ops>{"v": "x", "ops": [{"fn": "get_tide", "in": {"port": "Brest", "days": 3}}]}</ops>',
    'Hm.\n<ops>{"v": "x", "ops": [{"fn": "find_ship", "in": {"ship": "Emma"}}, {"fn": "get_tide", "in": {}}]}</ops>',
]


def test_a_dialect_that_finds_other_tools_does_not_know_the_samples(tmp_path: Path) -> None:
    """With declared tools it has to call those, and no tag around them."""
    dialect = toolect.dialect("xml-tool-tag")
    samples = [Sample("", text) for text in INNER]
    assert known(dialect, samples) and not known(dialect, samples, TOOLS)
    plain = [Sample("", '<get_tide>{"port": "Brest"}</get_tide>')]
    assert known(dialect, plain, TOOLS)
    result = new(tmp_path, INNER, "--tools", str(tmp_path / "tools.json"))
    assert "reads this already" not in result.output and "2 of 2 samples are read clean, with 3 calls" in result.output


@pytest.mark.parametrize("words", [("--name", "get_tide", "--name", "find_ship")])
def test_names_that_are_given_count_for_known_dialects(words: tuple[str, ...], tmp_path: Path) -> None:
    """They are declared, too."""
    assert "reads this already" not in new(tmp_path, INNER, *words).output
