"""The command `lint`: what it looks at, how it reports and exits, and how it brings a corpus up to date."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import toolect
from toolect._authoring import corpus
from toolect._authoring.lint import lint, runner
from toolect._authoring.lint.formats import FORMATS
from toolect._authoring.lint.subject import changes, corpus_folder
from toolect._cli import lint as lint_command
from toolect._cli import main
from toolect._diagnostic import Diagnostic, Place, Text, draw, warning
from toolect._message import Json
from toolect._model_ids import specificity
from toolect._spec.lalr import MAX_PARTS

GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<call>" JSON "</call>"\n%declare TEXT JSON\n'
ENTRY = "d:\n  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}\n"
CALL = '<call>{"name": "f", "arguments": {"n": 1}}</call>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a spec whose only fault is that it has no corpus."""
    monkeypatch.chdir(tmp_path)
    write("dialects.yaml", ENTRY)
    write("grammars/d.lark", GRAMMAR)
    return tmp_path


def write(path: str, text: str) -> None:
    """Write a file in the current folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


def run(*words: str) -> Result:
    """Run `toolect lint`."""
    return CliRunner().invoke(main, ["lint", "--jobs", "1", *words])


# What is looked at


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [[], ["dialects.yaml"], ["."], ["grammars/d.lark"], ["--only", "d"]], ids=str)
def test_finds_the_entries(words: list[str]) -> None:
    """A spec is found by its name, its folder, or one of its grammars; problems are exit status 1."""
    result = run(*words, "--format", "concise", "--check", "missing-corpus")
    assert result.output == "dialects.yaml:1:1: warning[missing-corpus]: the dialect `d` has no corpus\n"
    assert result.exit_code == 1


@pytest.mark.usefixtures("folder")
def test_a_grammar_stands_for_those_that_use_it() -> None:
    """Entries use a grammar of their own name, one that they extend, and one that is imported."""
    write("dialects.yaml", f"{ENTRY}e:\n  extends: d\nf:\n  extends: d\nother: {{extends: hermes}}\n")
    write("grammars/f.lark", GRAMMAR.replace("content: TEXT", "%import .shared.base (content)"))
    write("grammars/shared/base.lark", "content: TEXT\n%declare TEXT\n")
    for grammar, names in {"grammars/d.lark": "de", "grammars/shared/base.lark": "f"}.items():
        found = re.findall("the dialect `(.)` has no corpus", run(grammar, "--format", "concise").output)
        assert "".join(found) == names


@pytest.mark.usefixtures("folder")
def test_clean_specs() -> None:
    """No problem is exit status 0, and said."""
    write("dialects.yaml", "# toolect: allow missing-corpus it is not public\n" + ENTRY)
    result = run()
    assert (result.output, result.exit_code) == ("no problems found\n", 0)
    assert run("--format", "concise").output == ""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-"], "expected a YAML file or a dialect, got standard input"),
        (["nothing.yaml"], "expected a YAML file, got nothing at `nothing.yaml`"),
        (["grammars/e.lark"], "expected a YAML file, got nothing at `grammars/e.lark`"),
        (["grammars"], "expected a folder with YAML files, got none in `grammars`"),
        (["stray/x.lark"], "expected a grammar that some entry uses, got `stray/x.lark`"),
        (["hermse"], "expected a YAML file or a dialect, got `hermse`: did you mean `hermes`"),
        (["--only", "e"], "expected an entry of `dialects.yaml`, got `e`"),
        (["--check", "missing-corpora"], "expected a check, got `missing-corpora`: did you mean `missing-corpus`?"),
    ],
    ids=str,
)
def test_misuse(words: list[str], says: str) -> None:
    """What cannot be looked at is said in a sentence, with exit status 2."""
    write("stray/x.lark", GRAMMAR)
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.output


@pytest.mark.usefixtures("folder")
def test_broken_yaml_and_broken_grammars() -> None:
    """Where no entry can be read the grammars are looked at all the same."""
    write("dialects.yaml", "d:\n  map: {call: call\n")
    write("grammars/d.lark", 'start: (call\ncall: "<call>"\n')
    write("grammars/e.lark", "start: calls\n")
    found = [(d.check, d.place.path) for d in lint(Path("dialects.yaml")).diagnostics]
    assert found == [
        ("yaml-syntax", "dialects.yaml"),
        ("grammar-syntax", "grammars/d.lark"),
        ("undefined-name", "grammars/e.lark"),
    ]


@pytest.mark.usefixtures("folder")
def test_one_entry_is_compared_with_the_others() -> None:
    """What is found by comparing is found of one entry alone too, and allowed by a comment at the entry."""
    text = f'{ENTRY}e:\n  aliases: ["hermes"]\n{ENTRY[3:]}'
    write("dialects.yaml", text)
    write("grammars/e.lark", GRAMMAR)
    (found,) = lint(Path("dialects.yaml"), ["e"], ["shadowed-name"]).diagnostics
    assert found.place.line == 4
    assert not lint(Path("dialects.yaml"), ["d"], ["shadowed-name"]).diagnostics
    write("dialects.yaml", text.replace("e:\n  ali", "e:  # toolect: allow shadowed-name for a test\n  ali"))
    assert not lint(Path("dialects.yaml"), ["e"], ["shadowed-name"]).diagnostics


@pytest.mark.usefixtures("folder")
def test_processes_share_the_dialects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several find what one finds."""
    monkeypatch.setattr(runner, "WORTH_STARTING", 1)
    write("dialects.yaml", ENTRY + ENTRY.replace("d:", "e:", 1))
    write("grammars/e.lark", GRAMMAR)
    alone = lint(Path("dialects.yaml"))
    assert {d.place.line for d in alone.diagnostics if d.check == "missing-corpus"} == {1, 3}
    assert lint(Path("dialects.yaml"), jobs=2) == alone


def test_the_installed_package_comes_without_corpora() -> None:
    """Nothing is missing where `dialects.yaml` lies inside of the package."""
    assert corpus_folder(Path(toolect.__file__).parent / "data" / "dialects.yaml") is None
    assert corpus_folder(Path("dialects.yaml")) == Path("tests/corpus")


@pytest.mark.usefixtures("folder")
def test_a_large_grammar_is_not_tried_in_full() -> None:
    """The tables of a grammar with many parts are not built, and that is said."""
    names = [f"r{n}" for n in range(MAX_PARTS // 3)]
    rules = "".join(f'{name}: "<{name}>" TEXT "</{name}>"\n' for name in names)
    write("grammars/d.lark", GRAMMAR.replace("(content |", f"({' | '.join(names)} | content |") + rules)
    write(
        "dialects.yaml", ENTRY.replace("{content", "{" + "".join(f"{name}: content, " for name in names) + "content", 1)
    )
    start = time.process_time()
    found = lint(Path("dialects.yaml"), checks=["too-large"]).diagnostics
    assert f"more than {MAX_PARTS} parts" in found[0].message
    assert time.process_time() - start < 20


@pytest.mark.usefixtures("folder")
def test_explains_checks() -> None:
    """A check's page is Markdown, and all checks are listed with their first sentences."""
    assert (
        CliRunner()
        .invoke(main, ["spec", "checks", "missing-corpus"])
        .output.startswith("# missing-corpus\n\nFinds dialects without a corpus")
    )
    assert re.search(
        r"^unused-allow +Finds comments", CliRunner().invoke(main, ["spec", "checks"]).output, re.MULTILINE
    )


# Reports

ODD = Diagnostic(
    "missing-corpus",
    "50% of\r\nit, :: \x1b[31m\ud800",
    Place("a b,c:d.yaml", 3, 5, 2),
    label="here",
    help="do",
    texts=(
        Text("given", "\x00\u202e\udfff" + "x" * 100_000, 50_000),
        Text("written", "\x1b[0m" * 10_000, 30_000, "\x1b"),
        Text("read as", "\x1b" + "y" * 100_000, wire=False),
    ),
    related=((Place("d.lark", 1, 1), "there"),),
)
PLAIN = warning("unused-allow", "nothing", Place("b.yaml", 1, 1))


@pytest.mark.parametrize("form", FORMATS)
def test_reports_are_safe(form: str) -> None:
    """Control characters and lone surrogates are escaped, whatever the format; nothing found is no problem."""
    text = "".join(FORMATS[form]([ODD, PLAIN]))
    assert text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", text)
    assert isinstance("".join(FORMATS[form]([])), str)


def test_long_texts_are_cut_for_people() -> None:
    """A drawn text has its beginning and its end; other programs get it whole."""
    assert len(draw(ODD)) < 3000
    (first, _) = (json.loads(line) for line in FORMATS["json"]([ODD, PLAIN]))
    assert [(one["label"], one["text"]) for one in first["texts"]] == [(one.label, one.text) for one in ODD.texts]


def test_json_lines() -> None:
    """What a diagnostic holds, without what is empty."""
    first, second = (json.loads(line) for line in FORMATS["json"]([ODD, PLAIN]))
    place = {"path": "b.yaml", "line": 1, "column": 1, "length": 1}
    assert second == {"check": "unused-allow", "severity": "warning", "message": "nothing", "place": place}
    assert first["related"] == [{"place": {"path": "d.lark", "line": 1, "column": 1, "length": 1}, "label": "there"}]
    assert set(first) == {"check", "severity", "message", "place", "label", "texts", "help", "related"}


def test_github_commands() -> None:
    """A workflow command is one line; what ends a property or a line is escaped."""
    first, second = "".join(FORMATS["github"]([ODD, PLAIN])).splitlines()
    assert first.startswith(
        "::error file=a b%2Cc%3Ad.yaml,line=3,col=5,title=toolect%3A missing-corpus::50%25 of%0D%0Ait, :: "
    )
    assert second == "::warning file=b.yaml,line=1,col=1,title=toolect%3A unused-allow::nothing"


def test_sarif() -> None:
    """The log has what SARIF 2.1.0 requires: of a log, a run, a tool, a rule, a result and a location."""
    log = json.loads("".join(FORMATS["sarif"]([ODD, PLAIN])))
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    driver = one["tool"]["driver"]
    assert driver["name"] == "toolect"
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == sorted(set(rules))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["help"]["text"] and rule["help"]["markdown"]
    for result in one["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        assert result["message"]["text"]
        assert result["locations"]
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            _check_location(place)
    first, second = one["results"]
    assert first["relatedLocations"][0]["message"] == {"text": "there"}
    assert "relatedLocations" not in second


def _check_location(place: Json) -> None:
    physical = place["physicalLocation"]
    assert re.fullmatch(r"[\w./%-]+", physical["artifactLocation"]["uri"]), "expected a URI"
    region = physical["region"]
    assert region["startLine"] >= 1 and region["startColumn"] >= 1 and region["endColumn"] >= region["startColumn"]


# Cases first


@pytest.mark.usefixtures("folder")
def test_a_law_reports_a_dialect_once() -> None:
    """One misspelled closer is one finding, with the texts that show it; other cases are named, no more is tried."""
    cases = [case(title, f"{text}{CALL}", f'{said}call f {{"n": 1}}') for title, text, said in TEXTS]
    write("corpus/d.txt", "\n".join(cases))
    write("grammars/d.lark", GRAMMAR.replace('"</call>"', '"</cll>"'))
    (found,) = json_of()
    assert found["check"] == "failing-case"
    assert {"path": "grammars/d.lark", "line": 3, "column": 21, "length": 8} in [
        one["place"] for one in found["related"]
    ]
    assert found["related"][-1]["label"] == "`B` fails too"
    assert {one["label"]: one["text"] for one in found["texts"]} == {
        "given": CALL,
        "written": CALL.replace("</call>", "</cll>"),
        "read as": 'call f {"n": 1}; status repaired; repair misspelled-marker',
    }


TEXTS = [("A", "", ""), ("B", "So: ", 'content "So: "\n')]


def json_of(*words: str) -> list[Json]:
    """What lint finds, as other programs get it."""
    return [json.loads(line) for line in run("--format", "json", *words).output.splitlines()]


@pytest.mark.usefixtures("folder")
def test_what_is_allowed_is_not_judged_where_cases_fail() -> None:
    """A dialect whose cases fail is tried no further: a comment that may allow something is not called useless."""
    write("dialects.yaml", ENTRY.replace("d:", "d:  # toolect: allow injection a value may hold anything"))
    write("corpus/d.txt", case("A", CALL, "call f {}"))
    assert [one["check"] for one in json_of()] == ["failing-case"]
    write("corpus/d.txt", case("A", CALL, 'call f {"n": 1}'))
    assert [one["check"] for one in json_of()] == ["uncovered", "unused-allow"]


@pytest.mark.usefixtures("folder")
def test_what_is_allowed_is_not_judged_where_nothing_could_be_read() -> None:
    """A grammar that cannot be read is one finding: a comment that allows something is not called useless."""
    write("dialects.yaml", ENTRY.replace("d:", "d:  # toolect: allow missing-corpus it is not public"))
    write("grammars/d.lark", GRAMMAR.replace("JSON ", "("))
    assert [one["check"] for one in json_of()] == ["grammar-syntax"]


# Corpora


def case(title: str, text: str, said: str = "", *attributes: str) -> str:
    """A case as it stands in a file."""
    return f"===\n{title}\n{''.join(f'{a}{chr(10)}' for a in attributes)}===\n{text}\n---\n{said}\n"


UPDATES = {
    "a new one": (case("A", CALL), 'call f {"n": 1}', (), "wrote `A`"),
    "one that is not canonical": (
        case("A", '<call>{"arguments": {}, "name": "f"}</call>'), "call f {}", (("parse-only", ""),),
        "wrote `A`, marked `:parse-only`",
    ),
    "one with repairs": (
        case("A", CALL[:-7], "", ":parse-only", ":observed m"),
        'call f {"n": 1}\n  status repaired\n  repair implied-closer', (("lenient", ""), ("observed", "m")),
        "wrote `A`, marked `:lenient`",
    ),
    "another reading": (case("A", CALL, 'call f {"n": 2}'), 'call f {"n": 1}', (), "updated `A`"),
    "the same": (case("A", CALL, 'call f {"n":1}'), 'call f {"n":1}', (), None),
    "one that cannot be understood": (case("A", CALL, "call f {"), 'call f {"n": 1}', (), "updated `A`"),
    "an error": (case("A", CALL, "call g {}", ":error malformed"), "call g {}", (("error", "malformed"),), None),
    "an error without a text": (
        case("A", CALL[:20], "call f {}\n  status truncated", ":error truncated"),
        'call f {}\n  status truncated\n  text ""',
        (("error", "truncated"),), "wrote the texts of `A`",
    ),
    "an error that says nothing": (
        case("A", CALL[:20], "", ":error truncated"), 'call f {}\n  status truncated\n  text ""',
        (("error", "truncated"),), "wrote `A`",
    ),
    "one to skip": (case("A", CALL, "call g {}", ":skip x"), "call g {}", (("skip", "x"),), None),
    "a call that is cut off": (
        case("A", CALL[:20]), "", (),
        "left `A`: a call is truncated; if that is right, write `:error truncated`",
    ),
    "a call that breaks": (case("A", CALL[:20], "call f {}"), "call f {}", (), "left `A`: a call is truncated"),
    "unusable tools": (case("A", CALL, "", ":tools no"), "", (("tools", "no"),), "left `A`: cannot use `:tools no`"),
    "a policy": (
        case("A", "<call>{}</call>", "", ":policy malformed=content"), 'content "<call>{}</call>"',
        (("parse-only", ""), ("policy", "malformed=content")), "wrote `A`, marked `:parse-only`",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", UPDATES)
def test_update(name: str) -> None:
    """New expectations are written with the attributes that hold; errors, and what looks like one, are left alone."""
    source, expected, attributes, said = UPDATES[name]
    write("corpus/d.txt", source)
    result = run("--update", "--accept", "--check", "missing-corpus")
    (found,) = corpus.read(Path("corpus/d.txt"))
    assert (found.expected, found.attributes) == (expected, attributes)
    if said is None:
        assert result.stderr == ""
        assert Path("corpus/d.txt").read_text() == source
    else:
        assert result.stderr.startswith(f"corpus/d.txt:1: {said}")


@pytest.mark.usefixtures("folder")
def test_update_changes_nothing_that_held(tmp_path: Path) -> None:
    """A case that is not read any more as it says is left, and so is a new text that is read with repairs."""
    cases = [case(t, f"{text}{CALL}", f'{said}call f {{"n": 1}}') for t, text, said in TEXTS] + [case("C", CALL[:-7])]
    write("corpus/d.txt", "\n".join(cases))
    write("grammars/d.lark", GRAMMAR.replace('"<call>"', '"<cal>"'))
    before = (tmp_path / "corpus/d.txt").read_bytes()
    said = run("--update").stderr
    assert (tmp_path / "corpus/d.txt").read_bytes() == before
    assert 'left `A`: `call f {"n": 1}` would become `content "<call>"`; `--accept`' in said
    assert "left `C`: the text is read with repairs: `:lenient` would say that this is right; `--accept`" in said
    assert "updated `A`" in run("--update", "--accept").stderr


@pytest.mark.usefixtures("folder")
def test_a_file_of_tools_that_is_missing() -> None:
    """It is said where the case names it, and no check fails for it."""
    write("corpus/d.txt", case("A", CALL, 'call f {"n": 1}', ":tools none"))
    found = json_of()
    assert "failed-check" not in [one["check"] for one in found]
    (said,) = (one["message"] for one in found if one["check"] == "unreadable-corpus")
    assert said == "cannot use `:tools none`: no such file or directory: `corpus/tools/none.json`"
    assert "unreadable-corpus" in run("--check", "broken-round-trip").output


@pytest.mark.usefixtures("folder")
def test_looks_again_when_a_file_changes() -> None:
    """A change of the grammar is seen, as is one of the corpus; nothing is said twice."""
    looks = changes([Path("dialects.yaml")])
    next(looks)
    write("grammars/d.lark", GRAMMAR + "// another\n")
    next(looks)
    write("corpus/d.txt", case("A", CALL))
    next(looks)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"===\nA\n:no\n===\n\n---\n", "corpus/d.txt:3: left as it is: unknown attribute `:no`"),
        (b"===\r\nA\r\n===\r\n\r\n---\r\n", "corpus/d.txt:1: left as it is: expected lines that end with `\\n`"),
        (b"na\xefve", "corpus/d.txt:1: left as it is: expected UTF-8"),
    ],
    ids=str,
)
def test_update_leaves_what_cannot_be_read(source: bytes, says: str) -> None:
    """A file that does not keep the format is not written, and why is said."""
    write("corpus/d.txt", "")
    Path("corpus/d.txt").write_bytes(source)
    assert says in run("--update").stderr
    assert Path("corpus/d.txt").read_bytes() == source


def test_update_says_when_a_file_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be written is misuse."""
    write("corpus/d.txt", case("A", CALL))

    def refuse(self: Path, _: bytes) -> int:
        raise PermissionError(13, "Permission denied", str(self.relative_to(folder) if self.is_absolute() else self))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    result = run("--update")
    assert result.exit_code == 2
    assert "expected a corpus that can be written, got `Permission denied` at `corpus/d.txt`" in result.stderr


# Patterns of model ids


def test_what_patterns_say() -> None:
    """Fixed characters count, then whether the first is fixed."""
    assert specificity("ab*") > specificity("*ab") > specificity("a*?")


def test_a_name_is_looked_at_as_all_that_it_names() -> None:
    """The chat that has the name of its dialect is looked at, too; a chat by another name is not."""
    names = ("apertus", "hermes", "chatml")
    files = {name: sorted(path.name for path in lint_command._resolved(name)) for name in names}
    assert files == {"apertus": ["chats.yaml", "dialects.yaml"], "hermes": ["dialects.yaml"], "chatml": ["chats.yaml"]}
