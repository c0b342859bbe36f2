"""What the linter says: one file of cases for each check, good ones and bad ones; how reports are written."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import spec_cases
from spec_cases import SpecCase

from toolect import registry
from toolect._authoring.lint import catalogue, lint
from toolect._diagnostic import Diagnostic, SpecError, draw
from toolect._spec import load

CASES = spec_cases.all_cases()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_says_what_is_expected(
    case: SpecCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The check finds just what stands below the spec."""
    monkeypatch.chdir(tmp_path)
    case.write(tmp_path)
    drawn = "\n\n".join(map(draw, lint(Path(case.spec), checks=[case.path.stem]).diagnostics))
    if request.config.getoption("--update"):
        spec_cases.update(case, drawn)
    else:
        assert drawn == case.expected


RUN = {**catalogue.CHECKS, **catalogue.COMPARED, **catalogue.CHATS}


@pytest.mark.parametrize("name", catalogue.pages())
def test_every_check_is_shown_and_explained(name: str) -> None:
    """A check has a good case, a bad case in which it is what is found, and a page with nothing left out."""
    page = str(catalogue.pages()[name])
    assert re.findall("^## (.*)", page, re.MULTILINE) == ["Why is this bad?", "Example", "Use instead"]
    assert not re.search(r"^## .*\n+(##|\Z)", page, re.MULTILINE)  # no part is empty
    assert re.match("(Finds|Tells) ", page)
    if name == "failed-check":  # no spec brings it about, see the next test
        return
    cases = [case for case in CASES if case.path.stem == name]
    assert any(not case.expected for case in cases)
    assert any(f"[{name}]" in case.expected for case in cases)


@pytest.mark.parametrize("table", ["CHECKS", "COMPARED"])
def test_a_check_that_fails_is_told(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that raises is reported at the dialect or the file, and keeps no other one from running."""

    def fail(_: object) -> Iterator[Diagnostic]:
        raise ZeroDivisionError("no rules")

    for other in ("CHECKS", "COMPARED"):
        checks = {"missing-corpus": catalogue.CHECKS["missing-corpus"]} if other == "CHECKS" else {}
        monkeypatch.setattr(catalogue, other, checks | ({"vague-model": fail} if other == table else {}))
    monkeypatch.chdir(tmp_path)
    CASES[0].write(tmp_path)
    Path("dialects.yaml").write_text("# a comment\nd:\n  map: {content: content, call: call, call/JSON: $arguments}\n")
    found = lint(Path("dialects.yaml")).diagnostics
    assert sorted(d.check for d in found) == ["failed-check", "missing-corpus"]
    (failed,) = (d for d in found if d.check == "failed-check")
    assert failed.message == "the check `vague-model` could not finish: ZeroDivisionError: no rules"
    assert failed.place.line == (2 if table == "CHECKS" else 1)


def test_what_reading_finds_is_documented() -> None:
    """A page without a function belongs to what reading a spec finds, or lint itself; and all of that has a page."""
    folders = [Path(inspect.getfile(load)).parent, Path(inspect.getfile(catalogue)).parent]
    trees = [ast.parse(path.read_text("utf-8")) for folder in folders for path in sorted(folder.glob("*.py"))]
    named = {name for tree in trees for node in ast.walk(tree) for name in _named(node)}
    assert catalogue.pages().keys() - RUN == named - RUN.keys()
    assert RUN.keys() <= catalogue.pages().keys()


def _named(node: ast.AST) -> Iterator[str]:
    """The check that a call notes something under, or hands on for it; that of a module, in its constant `CHECK`."""
    match node:
        case ast.Call(ast.Attribute(attr="error" | "warning"), [ast.Constant(value=str(name)), *_]):
            yield name
        case ast.Call(ast.Name(id="warning" | "Diagnostic"), [ast.Constant(value=str(name)), *_]):
            yield name
        case ast.Call(ast.Name(), [_, *rest]):
            yield from (a.value for a in rest if isinstance(a, ast.Constant) and re.fullmatch(_KEBAB, str(a.value)))
        case ast.Assign([ast.Name(id="CHECK")], ast.Constant(value=str(name))):
            yield name


_KEBAB = r"[a-z]+(-[a-z]+)+"


@pytest.mark.parametrize("regex", ["([a-z]+)+;", "[a-z]*[a-z]*;", "(a?){30}a{30}", "([a-z])\\1", "(?:(?=a*b)[ab])+"])
def test_what_might_not_end_is_not_loaded(tmp_path: Path, regex: str) -> None:
    """A dialect with an expression that is slow, or may be, is refused, and no text is read with it."""
    grammar = f'start: (content | call)*\ncontent: TEXT\ncall: "<call:" NAME ">"\nNAME: /{regex}/\n%declare TEXT\n'
    files = {
        "dialects.yaml": "d: {map: {content: content, call: call, NAME: call.name}}\n",
        "grammars/d.lark": grammar,
        "corpus/d.txt": f'===\nA case that does not hold\n===\n<call:{"a" * 20}\n---\ncontent ""\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = {d.check for d in lint(tmp_path / "dialects.yaml").diagnostics}
    assert "backtracking-regex" in found
    assert "failing-case" not in found
    with pytest.raises(SpecError, match="backtracking-regex"):
        registry.load(tmp_path / "dialects.yaml")


@pytest.mark.parametrize("name", ["a", "b"])
def test_one_of_two_that_collide(tmp_path: Path, name: str) -> None:
    """A collision is reported for whichever of the two dialects lint looks at."""
    path = tmp_path / "dialects.yaml"
    path.write_text('a: {models: ["m/*"]}\nb: {models: ["m/*"]}\n', "utf-8")
    assert "duplicate-model" in [d.check for d in lint(path, only=[name]).diagnostics]
