"""What samples show of a dialect beside names and arguments: numbers around calls, ids, and what one of them hides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolect.authoring.lint.runner import lint
from toolect.authoring.scaffold import Sample, Scaffold, scaffold
from toolect.message import Json


def tool(name: str, **kinds: str) -> Json:
    """A declared tool; its parameters with their types."""
    return {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}},
    }


TOOLS = [
    tool("get_tide", port="string", days="integer"),
    tool("find_ship", ship="string", tags="array", opts="object", limit="integer"),
    tool("list_ports"),
]
CALLS: list[tuple[str, dict[str, Json]]] = [
    ("get_tide", {"port": "Brest", "days": 3}),
    ("find_ship", {"ship": "HMS Victory"}),
    ("list_ports", {}),
    ("get_tide", {"port": "Le Havre", "days": 10}),
]


def induced(texts: list[str], tools: list[Json] | None = None) -> Scaffold:
    """The dialect of samples."""
    samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
    return scaffold("new", samples, Path("new.yaml"), tools)


def spec(made: Scaffold) -> str:
    """The entry of a new dialect."""
    return made.files[Path("new.yaml")]


def said(made: Scaffold) -> list[list[tuple[str, Json]]]:
    """The calls of each sample."""
    return [[(call.name, call.arguments) for call in one.calls] if one is not None else [] for one in made.messages]


# Numbers around calls


def operations(*calls: tuple[str, dict[str, Json]], **beside: Json) -> str:
    """Calls in a list, with something beside it."""
    return f"<<ops>>{json.dumps({**beside, 'ops': [{'fn': name, 'in': given} for name, given in calls]})}<</ops>>"


@pytest.mark.parametrize("number", [2, 0, 1.5])
def test_a_number_beside_a_list_of_calls(number: float) -> None:
    """It is a constant that may be missing; where few answers show it, that is said."""
    texts = [
        operations(CALLS[0], v=number),
        f"Hm.\n{operations(*CALLS[1:3], v=number)}",
        operations(CALLS[3], v=number),
    ]
    made = induced(texts, TOOLS)
    assert made.sound and f'{{"v?": {number}, ops: [{{fn: $name, in: $arguments}}]}}' in spec(made), made.doubt
    assert not made.unwritten and made.dialect.parse(operations(CALLS[1])).clean
    few = induced(texts[:2], TOOLS)
    assert said(few) == [CALLS[:1], CALLS[1:3]] and '"v?"' in spec(few)
    assert few.doubt == f"`{number}` was taken for a constant, which so few answers do not show"


@pytest.mark.parametrize("other", [3, True, None])
def test_what_is_not_always_the_same_beside_calls_is_no_constant(other: Json) -> None:
    """The shape is found all the same, and what it leaves out is said."""
    texts = [operations(CALLS[0], v=2), f"Hm.\n{operations(*CALLS[1:3], v=other)}", operations(CALLS[3], v=2)]
    made = induced(texts, TOOLS)
    assert said(made) == [CALLS[:1], CALLS[1:3], CALLS[3:]]
    assert "call/JSON: {ops: [{fn: $name, in: $arguments}]}" in spec(made)
    assert made.doubt.startswith("what `v` holds is given out nowhere")


@pytest.mark.parametrize("value", [False, None])
def test_a_word_beside_a_list_of_calls(value: Json) -> None:
    """`false` and `null` may be otherwise: the shape leaves them out, and no markers are made of JSON."""
    texts = [operations(CALLS[0], done=value), operations(*CALLS[1:3], done=value)]
    made = induced(texts, TOOLS)
    assert "call/JSON: {ops: [{fn: $name, in: $arguments}]}" in spec(made)
    assert value is None or made.doubt.startswith("what `done` holds is given out nowhere")  # null says nothing


# Ids


def element(name: str, given: dict[str, Json], id_: str) -> str:
    """A call in tags that has an id."""
    inner = "".join(f'  <in name="{key}">{value}</in>\n' for key, value in given.items())
    return f'<act ref="{name}" id="{id_}">\n{inner}</act>'


@pytest.mark.parametrize(
    ("ids", "form"),
    [
        (("a1", "a2"), '{form: "a{index}", first: 1}'),
        (("call_0", "call_1"), '{form: "call_{index}"}'),
        (("c-01", "c-02"), '{form: "c-{index}", first: 1, digits: 2}'),
        (("1", "2"), '{form: "{index}", first: 1}'),
        (("x7f", "b9q"), '{form: "call_{index}"}'),
    ],
)
@pytest.mark.parametrize("form_of", ["element", "json"])
def test_ids_are_made_as_the_samples_have_them(ids: tuple[str, str], form: str, form_of: str) -> None:
    """What stands before the number, where it begins, and how many digits it has."""

    def written(name: str, given: dict[str, Json], id_: str) -> str:
        if form_of == "element":
            return element(name, given, id_)
        return f"<act>{json.dumps({'id': id_, 'name': name, 'arguments': given})}</act>"

    texts = [
        written(*CALLS[0], ids[0]),
        f"Two.\n{written(*CALLS[1], ids[0])}\n{written(*CALLS[3], ids[1])}",
        f"So.\n{written(*CALLS[3], ids[0])}\n{written(*CALLS[0], ids[1])}",
    ]
    made = induced(texts, TOOLS)
    numbered = ids == ("1", "2") and form_of == "element"  # no id: which call of the answer it is
    assert not made.unread and ("{written: $index}" if numbered else f"ids: {form}") in spec(made), spec(made)


def test_ids_that_go_on_from_answer_to_answer() -> None:
    """What they begin with is seen; the first number is that of the first answer."""
    texts = [element(*CALLS[0], "t4"), element(*CALLS[1], "t5") + "\n" + element(*CALLS[3], "t6")]
    made = induced(texts, TOOLS)
    assert 'ids: {form: "t{index}"' in spec(made), spec(made)


def test_numbers_before_names(tmp_path: Path) -> None:
    """They are ids or numbers, counted as in the samples; no key begins with the sign before them."""
    texts = ["Plan:\n#1 get_tide -> port=Brest; days=3;\n#2 find_ship -> ship=HMS Victory; limit=10;"]
    made = induced([*texts, "#1 get_tide -> port=Oslo; days=1;"], TOOLS)
    assert made.sound and ("$index" in spec(made) or 'ids: {form: "{index}", first: 1}' in spec(made))
    text = str(made.dialect.render(made.dialect.parse(texts[0], TOOLS), TOOLS))
    assert text == texts[0]
    for path, content in made.files.items():
        target = tmp_path / path.name if path.suffix == ".yaml" else tmp_path / path.parts[-2] / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")
    laws = ("failing-case", "broken-round-trip", "unwritable-message")
    assert [one for one in lint(tmp_path / "new.yaml", checks=laws).diagnostics if one.check in laws] == []


# One sample alone

BLOCKS = [
    "Sure.\n\ncall:\n  tool: get_tide\n  with:\n    port: Brest\n    days: 3\n",
    "call:\n  tool: find_ship\n  with:\n    ship: how to sail\n    tags:\n      - a\n      - b\n"
    "    opts:\n      k: v\n    limit: 10\n",
]


@pytest.mark.parametrize("more", [[], [BLOCKS[1].replace("sail", "row")]])
def test_what_one_sample_shows_counts_with_tools_too(more: list[str]) -> None:
    """Where the others hide it, as without tools."""
    made = induced([*BLOCKS, *more], TOOLS)
    assert said(made)[0] == [CALLS[0]]
    assert made.unread[0] == "Sample 2" and "Sample 1" in made.doubt
