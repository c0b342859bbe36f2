"""Loading specs: what a good one means, and that every mistake is a diagnostic."""

from __future__ import annotations

from pathlib import Path

import pytest
import spec_cases
from hypothesis import given
from hypothesis import strategies as st
from spec_cases import SpecCase

from toolect._diagnostic import Diagnostic, Place, SpecError, Text, concise, draw, shown
from toolect._spec import model, policies
from toolect._spec.codec_model import Codec, CodecKind, Layout, LayoutKind, Spelling
from toolect._spec.entry import POLICIES
from toolect._spec.grammar_model import Alt, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.lark_rules import MAX_PARTS, MAX_RULES
from toolect._spec.load import load_spec, load_specs
from toolect._spec.model import Role, Spec
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Member, Obj, OneOf, Shape
from toolect.registry import shipped

TEXT, JSON = Slot(SlotKind.TEXT), Slot(SlotKind.JSON)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec(text: str, grammar: str, name: str = "d", **others: str) -> Spec:
    """The spec of an entry and a grammar, in the current folder."""
    write(text, **{name: grammar}, **others)
    return load_spec("dialects.yaml", name)


def write(text: str, **grammars: str) -> None:
    """A `dialects.yaml` and the grammars beside it; `__` in a name is a folder."""
    Path("dialects.yaml").write_text(text, "utf-8")
    for name, grammar in grammars.items():
        path = Path("grammars", *name.split("__")).with_suffix(".lark")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(grammar, "utf-8")


# Mistakes


@pytest.mark.parametrize("case", [c for c in spec_cases.all_cases() if "error[" in c.expected], ids=str)
def test_mistake(case: SpecCase, folder: Path) -> None:
    """A wrong spec is described as lint does, and never raises anything but SpecError; the others of its file load."""
    case.write(folder)
    specs, found = load_specs("dialects.yaml", shipped())
    errors = [d for d in found if d.severity == "error"]
    assert all(draw(d) in case.expected or concise(d) in case.expected for d in errors)  # folded under one like it
    for name in ("d", "e", "f"):
        if name in specs and not errors:
            assert load_spec("dialects.yaml", name, shipped()) == specs[name]
        elif name not in specs:
            with pytest.raises(SpecError, match=r"\Aerror\["):
                load_spec("dialects.yaml", name, shipped())


@given(st.text(alphabet="ab:{}[]\"'|-? $/.,\n\t#&*!%@>~é｜\x00", max_size=80))
def test_any_text_is_a_spec_or_a_diagnostic(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No text makes the loader raise."""
    path = tmp_path_factory.mktemp("any") / "dialects.yaml"
    path.write_text(text, "utf-8")
    specs, found = load_specs(path)
    assert specs or found
    for diagnostic in found:
        assert draw(diagnostic)
        assert "\n" not in concise(diagnostic)


@given(st.text(alphabet="start: abTEXT\"'()[]|*+?~12/\\\n%->{}.", max_size=60))
def test_any_text_is_a_grammar_or_a_diagnostic(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No grammar makes the loader raise."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "grammars").mkdir()
    (folder / "dialects.yaml").write_text("d: {map: {start: content}}", "utf-8")
    (folder / "grammars" / "d.lark").write_text("start: TEXT\n%declare TEXT\n" + text, "utf-8")
    specs, found = load_specs(folder / "dialects.yaml")
    assert specs or found


# The shipped specs


def test_shipped_specs_are_sound() -> None:
    """All shipped entries load, without a word."""
    specs, found = load_specs(shipped())
    assert not found, "\n\n".join(map(draw, found))
    assert specs
    for name, one in specs.items():
        assert load_spec(shipped(), name) == one


def test_the_default_of_a_policy_is_its_first_setting() -> None:
    """What nobody says is the first of the settings that there are, in the model and in an entry."""
    defaults = {name: getattr(policies.Policies(), name) for name in policies.Policies.__struct_fields__}
    assert defaults == {name: settings[0] for name, settings in policies.POLICIES.items()}
    assert [*POLICIES.values()] == [*policies.POLICIES.values()]


# Grammars


@pytest.mark.usefixtures("folder")
def test_rules_become_expressions() -> None:
    """Every construct of the grammar language has its expression."""
    rules = spec(
        "d: {map: {content: content, a: call, a/TEXT: call.name, b: call, WORD: call.name}}",
        """
        start: content? (a | b)* [c] d+ ()
        content: TEXT
        a: "<a>" TEXT "</a>"
        b: WORD "\\"x\\"\\n" "\\\\"
        c: MARK PAIR
        d: "1"~2 "2"~0..2
        MARK: "m" | OTHER
        OTHER: "n" | "o"
        PAIR: "p" ("q" | "r")
        WORD: /[a-z]+/i
        %declare TEXT
        """,
    ).rules
    repeat = Repeat(Literal("2"), 0, once=True)
    assert list(rules) == ["start", "content", "a", "b", "c", "d"]
    assert rules["start"].expr == Seq(
        (
            Repeat(Ref("content"), 0, once=True),
            Repeat(Alt((Ref("a"), Ref("b"))), 0),
            Repeat(Ref("c"), 0, once=True),
            Repeat(Ref("d"), 1),
        )
    )
    assert rules["content"].expr == TEXT
    assert rules["a"].expr == Seq((Literal("<a>"), TEXT, Literal("</a>")))
    assert rules["b"].expr == Seq((Pattern("(?i:[a-z]+)", "WORD"), Literal('"x"\n'), Literal("\\")))
    assert rules["c"].expr == Seq((Literal("m", ("n", "o"), "MARK"), Literal("pq", ("pr",), "PAIR")))
    assert rules["d"].expr == Seq((Literal("1"), Literal("1"), Repeat(Seq((Literal("2"), repeat)), 0, once=True)))
    assert rules["a"].place == Place("grammars/d.lark", 4, 9)


@pytest.mark.usefixtures("folder")
def test_aliases_become_rules() -> None:
    """An alternative with an alias is a rule of its own, at the place of the alias."""
    rules = spec(
        "d: {map: {one: call, one/TEXT: call.name, two: call, two/TEXT: call.id, content: content}}",
        'start: "1" TEXT -> one\n     | "2" TEXT -> two\n     | "3" TEXT -> two\n     | content\n'
        "content: TEXT\n%declare TEXT\n",
    ).rules
    assert rules["start"].expr == Alt((Ref("one"), Ref("two"), Ref("content")))
    assert rules["one"].expr == Seq((Literal("1"), TEXT))
    assert rules["two"].expr == Alt((Seq((Literal("2"), TEXT)), Seq((Literal("3"), TEXT))))
    assert rules["one"].place == Place("grammars/d.lark", 1, 20, 3)


@pytest.mark.usefixtures("folder")
def test_imported_values_keep_their_names() -> None:
    """Rules of a value language have their own names, own places, and are marked."""
    rules = spec(
        "d: {map: {call: call, NAME: call.name, call/value: call.arguments}}",
        "%import .values.v (value)\n%import common.DIGIT\nstart: call\ncall: NAME value\nNAME: /[a-z]/ DIGIT\n",
        values__v="// values\nvalue: string | list\n"
        'list: "[" (value NAME)*\nstring: "<" ESCAPED ">"\nNAME: /;/\n%declare ESCAPED\n',
    ).rules
    assert {name: rule.value for name, rule in rules.items()} == {
        "start": False,
        "call": False,
        "value": True,
        "list": True,
        "string": True,
    }
    assert rules["value"].expr == Alt((Ref("string"), Ref("list")))
    assert rules["value"].place == Place("grammars/values/v.lark", 2, 1, 5)
    assert rules["string"].expr == Seq((Literal("<"), Slot(SlotKind.ESCAPED), Literal(">")))
    items = Repeat(Seq((Ref("value"), Pattern(";", "values__v__NAME"))), 0)
    assert rules["list"].expr == Seq((Literal("["), items))
    assert rules["call"].expr == Seq((Pattern("[a-z][0-9]", "NAME"), Ref("value")))


@pytest.mark.usefixtures("folder")
def test_a_grammar_may_build_on_another() -> None:
    """A shared grammar is imported, and changed, as Lark allows."""
    rules = spec(
        "d: {map: {content: content}}",
        '%import .base (start, content, X)\n%override X: "y" | "z"\n%extend content: "q" TEXT\n%declare TEXT\n',
        base='start: content\ncontent: TEXT X other\nother: "o"\nX: "x"\n%declare TEXT\n',
    ).rules
    plain = Seq((TEXT, Literal("y", ("z",), "X"), Ref("other")))
    assert rules["content"].expr == Alt((Seq((Literal("q"), TEXT)), plain))
    assert list(rules) == ["content", "start", "other"]
    assert not any(rule.value for rule in rules.values())


@pytest.mark.parametrize(
    ("call", "more", "said"),
    [
        ('"<" open NAME JSON', "".join(f'r{n}: "<r{n}>"\n' for n in range(MAX_RULES)), f"{MAX_RULES} rules"),
        ("(" + " | ".join(f'"<m{n}>"' for n in range(MAX_PARTS)) + ") NAME JSON", "", f"{MAX_PARTS} parts"),
        ('((("<m>" ~ 64) ~ 64) ~ 64) ~ 64 NAME JSON', "", f"{MAX_PARTS} parts"),
        ('((("<m>" ~ 0..64) ~ 0..64) ~ 0..64) ~ 0..64 NAME JSON', "", f"{MAX_PARTS} parts"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_grammar_that_is_too_large_is_refused(call: str, more: str, said: str) -> None:
    """Neither loading it nor the first answer would end soon."""
    call = call.replace("open", "r0")
    grammar = f"start: (content | call)*\ncontent: TEXT\ncall: {call}\n{more}NAME: /[a-z]+/\n%declare TEXT JSON\n"
    with pytest.raises(SpecError, match=f"expected at most {said} in a grammar"):
        spec("d: {map: {content: content, call: call, NAME: call.name, call/JSON: $arguments}}", grammar)


@pytest.mark.usefixtures("folder")
def test_conflicts_do_not_stop_a_spec() -> None:
    """What LALR(1) cannot decide is a warning."""
    write("d: {map: {a: content, b: content}}", d="start: a | b\na: TEXT\nb: TEXT\n%declare TEXT\n")
    specs, found = load_specs("dialects.yaml")
    assert list(specs) == ["d"]
    assert [(d.check, d.severity) for d in found] == [("lalr-conflict", "warning")]


# Shapes


SHAPES = {
    "$arguments": Hole(HoleKind.ARGUMENTS),
    "{name: $name, a: $arguments.text}": Obj(
        (Member(("name",), Hole(HoleKind.NAME)), Member(("a",), Hole(HoleKind.ARGUMENTS_TEXT)))
    ),
    "{'a|b': $arguments, id?: $id}": Obj(
        (Member(("a", "b"), Hole(HoleKind.ARGUMENTS)), Member(("id",), Hole(HoleKind.ID), optional=True))
    ),
    "[{$name: $arguments}]": Many(Keyed(Hole(HoleKind.ARGUMENTS))),
    "{any: [$arguments, {a: $arguments}]}": OneOf(
        (Hole(HoleKind.ARGUMENTS), Obj((Member(("a",), Hole(HoleKind.ARGUMENTS)),)))
    ),
    "{mixed: [{t: $content}, $arguments]}": Many(
        OneOf((Obj((Member(("t",), Hole(HoleKind.CONTENT)),)), Hole(HoleKind.ARGUMENTS)))
    ),
    "{'t??': {const: [a, 1]}, a: $arguments}": Obj(
        (
            Member(("t",), OneOf((Const("a"), Const(1))), optional=True, written=False),
            Member(("a",), Hole(HoleKind.ARGUMENTS)),
        )
    ),
    "{c?: $content, l: [{n: $name, a: $arguments}]}": Obj(
        (
            Member(("c",), Hole(HoleKind.CONTENT), optional=True),
            Member(
                ("l",),
                Many(Obj((Member(("n",), Hole(HoleKind.NAME)), Member(("a",), Hole(HoleKind.ARGUMENTS))))),
            ),
        )
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("text", SHAPES)
def test_shape(text: str) -> None:
    """A YAML pattern means a shape."""
    role = "" if "$name" in text else "    call: call\n"
    read = spec(f"d:\n  map:\n{role}    call/JSON: {text}\n", "start: call\ncall: JSON\n%declare JSON\n")
    assert read.shapes == {"call/JSON": SHAPES[text]}


@pytest.mark.usefixtures("folder")
def test_named_shapes() -> None:
    """A shape of the field `shapes` stands wherever it is named, also where an entry inherits or replaces it."""
    write(
        "d:\n  shapes: {call: {name: $name, arguments: $arguments}, list: [$call]}\n"
        "  map: {call/JSON: {calls: $list}}\n"
        "e:\n  extends: d\n  shapes: {call: {tool: $name, arguments: $arguments}}\n",
        d="start: call\ncall: JSON\n%declare JSON\n",
    )
    specs, found = load_specs("dialects.yaml")
    assert found == []

    def calls(key: str) -> Shape:
        call = Obj((Member((key,), Hole(HoleKind.NAME)), Member(("arguments",), Hole(HoleKind.ARGUMENTS))))
        return Obj((Member(("calls",), Many(call)),))

    assert {name: read.shapes["call/JSON"] for name, read in specs.items()} == {"d": calls("name"), "e": calls("tool")}


@pytest.mark.usefixtures("folder")
def test_constants_are_typed_as_in_json() -> None:
    """Only what JSON would type is typed; the booleans and numbers of YAML 1.1 are strings."""
    constants = {
        "null": None, "true": True, "1": 1, "-1.5e3": -1500.0, "no": "no", "on": "on", "1_0": "1_0", "012": "012",
        "'1'": "1", "Null": "Null", "~": "~", "0x1": "0x1", "2001-01-01": "2001-01-01",
    }  # fmt: skip
    fields = ", ".join(f"k{n}: {text}" for n, text in enumerate(constants))
    read = spec(
        f"d: {{map: {{call: call, call/JSON: {{a: $arguments, {fields}}}}}}}",
        "start: call\ncall: JSON\n%declare JSON\n",
    )
    shape = read.shapes["call/JSON"]
    assert isinstance(shape, Obj)
    found = [field.shape.value for field in shape.fields if isinstance(field.shape, Const)]
    assert [(type(v), v) for v in found] == [(type(v), v) for v in constants.values()]


# Entries


GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<call>" JSON "</call>"\n%declare TEXT JSON\n'
ENTRY = """
d:
  about: "a"
  source: "s"
  models: ["o/m-*"]
  aliases: ["dd"]
  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}
  values:
    content/TEXT: {codec: schema, spelling: python, untyped: text, quoted: "<"}
    call/JSON: {codec: json, layout: rows 2}
  gaps: {before call: "\\n\\n", between calls: "\\n"}
  prefill: {"<c><call>": content, "<s>": start}
  end: ["<e>"]
  reserved: ["none"]
  misspellings: {"<call>": ["<cal>"]}
  policies: {key-order: sorted, after-calls: drop}
"""


@pytest.mark.usefixtures("folder")
def test_every_field() -> None:
    """The fields of an entry arrive in the spec."""
    read = spec(ENTRY, GRAMMAR)
    assert (read.name, read.about, read.source, read.models, read.aliases) == ("d", "a", "s", ("o/m-*",), ("dd",))
    assert read.roles == {"content": Role.CONTENT, "call": Role.CALL}
    assert read.codecs == {
        "content/TEXT": Codec(
            CodecKind.SCHEMA,
            Spelling.PYTHON,
            CodecKind.TEXT,
            quoted="<",
        ),
        "call/JSON": Codec(CodecKind.JSON, layout=Layout(LayoutKind.ROWS, 2)),
    }
    assert read.gaps == model.Gaps("\n\n", "\n")
    assert read.prefill == {"<c><call>": "content", "<s>": "start"}
    assert read.end == ("<e>",)
    assert read.no_call == ("none",)
    assert read.misspellings == {"<call>": ("<cal>",)}
    assert read.policies == policies.Policies(key_order="sorted", after_calls="drop")
    assert read.place == Place("dialects.yaml", 2, 1)


@pytest.mark.usefixtures("folder")
def test_extends() -> None:
    """A variant has the other's fields below its own, and its grammar with other markers."""
    variant = (
        'e:\n  extends: d\n  markers: {"<call>": "<tool>"}\n  gaps: {before call: " "}\n  prefill: {"<call>": start}\n'
    )
    write(ENTRY + variant, d=GRAMMAR)
    one, two = load_spec("dialects.yaml", "d"), load_spec("dialects.yaml", "e")
    assert two.rules["call"].expr == Seq((Literal("<tool>"), JSON, Literal("</call>")))
    assert two.gaps == model.Gaps(" ", "\n")
    assert (two.about, two.models, two.aliases, two.source) == ("", (), (), "s")
    assert two.misspellings == {"<tool>": ("<cal>",)}
    assert two.prefill == {"<c><tool>": "content", "<s>": "start", "<call>": "start"}
    assert (two.shapes, two.codecs, two.policies, two.end) == (one.shapes, one.codecs, one.policies, one.end)


@pytest.mark.usefixtures("folder")
def test_extends_with_a_grammar_of_its_own() -> None:
    """A variant's own grammar wins, and inherited keys that it does not have are left out."""
    text = "d:\n  map: {content: content, call: call, call/JSON: $arguments}\n"
    write(text + "e:\n  extends: d\n  map: {a: content}\n", d=GRAMMAR, e='start: a\na: "a" TEXT\n%declare TEXT\n')
    assert load_spec("dialects.yaml", "e").roles == {"a": Role.CONTENT}


def test_extends_an_entry_of_another_file(folder: Path) -> None:
    """`base` is a file whose entries may be extended too."""
    entry = "  map: {content: content, call: call, call/JSON: $arguments}\n"
    write(f"c:\n{entry}d:\n{entry}", c=GRAMMAR, d=GRAMMAR)
    (folder / "mine.yaml").write_text("e:\n  extends: c\n  end: ['x']\nd:\n  extends: d\n  end: ['y']\n")
    specs, found = load_specs("mine.yaml", "dialects.yaml")
    assert not found
    assert (specs["e"].end, specs["d"].end) == (("x",), ("y",))


@pytest.mark.usefixtures("folder")
def test_one_entry_does_not_read_other_grammars() -> None:
    """Mistakes elsewhere in the file do not matter to one entry."""
    text = "d:\n  map: {content: content, call: call, call/JSON: $arguments}\ne:\n  mpa: {}\n"
    assert spec(text, GRAMMAR).name == "d"
    with pytest.raises(SpecError, match="no entry is named `dd`"):
        load_spec("dialects.yaml", "dd")


# Drawing


def test_draw_counts_cells() -> None:
    """A full-width character takes two cells, and a combining one none."""
    diagnostic = Diagnostic("c", "m", Place("f", 1, 5, 2), label="here", help="do", texts=shown("w\n", "r", "v\n"))
    drawn = draw(diagnostic, {"f": "｜e\u0301xab\n"}).split("\n")
    assert drawn == [
        "error[c]: m",
        " --> f:1:5",
        "  |",
        "1 | ｜e\u0301xab",
        "  |     ^^ here",
        '  = given:   "w\\n"',
        '  = written: "v\\n"',
        "  = read as: r",
        "  = help: do",
    ]
    assert concise(diagnostic) == "f:1:5: error[c]: m"


def test_draw_shows_where_texts_differ() -> None:
    """Texts stand below each other from the same character on, however long; signs that look alike by their numbers."""
    long = "x" * 100
    texts = Text("given", f"{long}\n<a>", 102), Text("written", f"{long}\n<\u0430>", 102, "they differ here")
    given, written, caret = draw(Diagnostic("c", "m", Place("/nowhere", 1, 1), texts=texts)).split("\n")[2:]
    assert given.removeprefix("  = given:   ") == f'"…{"x" * 58}\\n<a>"'
    assert written.removeprefix("  = written: ") == f'"…{"x" * 58}\\n<\u0430>"'
    assert caret[written.index("\u0430") :] == "^ they differ here: U+0061 and U+0430"


def test_draw_tells_how_many_places_are_left_out() -> None:
    """Of very many places the first are drawn."""
    related = tuple((Place("/nowhere", line, 1), "") for line in range(30))
    drawn = draw(Diagnostic("c", "m", Place("/nowhere", 1, 1), related=related))
    assert drawn.endswith("= and 18 more places")


def test_draw_survives_odd_places() -> None:
    """Missing files, places outside of the text, control characters and endless lines are drawn too."""
    text = {"f": "\x1b[31m" + "x" * 10_000}
    assert draw(Diagnostic("c", "m", Place("/nowhere", 1, 1))) == "error[c]: m\n --> /nowhere:1:1"
    assert draw(Diagnostic("c", "m", Place("f", 9, 1)), text) == "error[c]: m\n --> f:9:1"
    assert "\x1b" not in draw(Diagnostic("c", "m", Place("f", 1, 1)), text)
    assert max(map(len, draw(Diagnostic("c", "m", Place("f", 1, 9000, 500)), text).split("\n"))) < 300
    assert draw(Diagnostic("c", "m", Place("f", 1, 10**6)), text)
