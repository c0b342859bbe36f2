"""Contracts of imports hold; what import-linter has no contract for: names, docstrings, heirs of compiled classes."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import grimp
import pytest

from toolect import registry
from tools.house.figures import SOURCE, counted

ROOT = Path(__file__).resolve().parents[1]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
GRAPH = grimp.build_graph("toolect", include_external_packages=True, cache_dir=None)
MODULES = {"toolect", *GRAPH.find_descendants("toolect")}
PACKAGES = {name for name in MODULES if GRAPH.find_children(name)}


def lint_imports(project: Path) -> int:
    """The exit status of `lint-imports` with the contracts of a file."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", str(project)]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode


def test_imports_keep_the_contracts() -> None:
    """Those of `pyproject.toml`, which `make lint` shows with what breaks them."""
    assert lint_imports(ROOT / "pyproject.toml") == 0


@pytest.mark.parametrize(
    ("was", "broken"),
    [
        ('"__main__",\n  "testing | _cli | types",', '"testing | _cli | types",\n  "__main__",'),
        ('"_message",\n  "_chat_completion",', '"_message | _chat_completion",'),
        ('"_transcript",', ""),
    ],
    ids=["higher package", "neighbour", "no place"],
)
def test_a_broken_contract_is_found(was: str, broken: str, tmp_path: Path) -> None:
    """The command fails where the order has no room for an import, or no place for a package."""
    assert was in PROJECT
    (tmp_path / "pyproject.toml").write_text(PROJECT.replace(was, broken), encoding="utf-8")
    assert lint_imports(tmp_path / "pyproject.toml") == 1


def circle(graph: grimp.ImportGraph) -> list[str]:
    """Modules that import one another in a ring; one of siblings is what import-linter finds, too."""
    try:
        TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def namesakes(files: Iterable[Path]) -> list[str]:
    """The names that several modules have."""
    return sorted(name for name, n in Counter(file.stem for file in files).items() if n > 1 and name != "__init__")


def imported_from_outside(graph: grimp.ImportGraph, package: str) -> set[str]:
    """The modules right below a package that others import, or import from."""
    inside = {package, *graph.find_descendants(package)}
    return {name.split(".")[2] for name in inside - {package} if graph.find_modules_that_directly_import(name) - inside}


def heirs(modules: Iterable[ModuleType], compiled: Collection[str]) -> list[str]:
    """The classes of modules that are made from a class of a compiled one."""
    classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    own = (one for one in classes if one.__module__ not in compiled)
    return sorted(one.__qualname__ for one in own if any(base.__module__ in compiled for base in one.__mro__))


def test_no_circle_among_files() -> None:
    """No file imports itself by way of others, a package's `__init__.py` included."""
    assert not circle(GRAPH)


def clauses(source: str) -> list[str]:
    """Docstrings of a source that begin with a clause in place of a noun or a verb, those of attributes, too."""
    expressions = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    texts = (one.value for one in expressions if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return [text for text in texts if re.match(r"(What|How|Where|When|Who|Whoever|Whose|Which|Whether)\b", text)]


PUBLIC_TWICE = {"Chat", "DialectModel", "Form", "Loss", "Place"}
"""Class names that two public modules have, each for its own thing."""


def test_no_two_classes_of_one_name() -> None:
    """A traceback and an import list say which class is meant."""
    found = Counter(
        node.name
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in found.items() if count > 1} == PUBLIC_TWICE


def test_a_docstring_begins_with_a_noun_or_a_verb() -> None:
    """It names the thing, so that it can be searched for."""
    files = [path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.py")]
    assert [(path.name, text) for path in files for text in clauses(path.read_text("utf-8"))] == []


def test_no_two_modules_of_one_name() -> None:
    """A module is found by its name alone, in src, tools and tests."""
    assert not namesakes(path for folder in ("src", "tools", "tests") for path in (ROOT / folder).rglob("*.py"))


def test_a_package_says_what_others_import() -> None:
    """The docstring of each internal package names its modules that are imported from outside, and no others."""
    for package in PACKAGES & GRAPH.find_children("toolect"):
        if package.startswith("toolect._"):
            named = str(import_module(package).__doc__).partition("Others import")[2]
            assert set(re.findall(r"`(\w+)`", named)) == imported_from_outside(GRAPH, package), package


def test_the_library_imports_neither_tools_nor_tests() -> None:
    """What is installed does without what only the repository has."""
    assert "click" in GRAPH.modules
    assert not GRAPH.modules & {"tools", *(path.stem for path in (ROOT / "tests").glob("*.py"))}


def test_no_class_is_made_from_a_compiled_one() -> None:
    """Outside of what the compiled build compiles: making an object of such a class fails there."""
    hook = tomllib.loads(PROJECT)["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    include, exclude = (
        tuple(word.removeprefix("/src/").removesuffix(".py").replace("/", ".") for word in hook[key])
        for key in ("include", "exclude")
    )
    compiled = {name for name in MODULES - PACKAGES if f"{name}.".startswith(tuple(f"{word}." for word in include))}
    compiled -= {*exclude}
    assert {"toolect._search.answer_search", "toolect._building.draft"} <= compiled
    assert not {"toolect._building", "toolect._detection.traits"} & compiled
    others = []
    for name in MODULES - compiled - {"toolect.__main__"}:
        with suppress(ModuleNotFoundError):  # of another project's package that is not installed here
            others.append(import_module(name))
    assert len(others) > 300
    assert not heirs(others, compiled)


def test_calls_are_counted() -> None:
    """The functions of toolect that a run calls, each time it does; those of others are not counted."""
    dialect = registry.dialect("hermes")
    calls = counted(lambda: (dialect.parse("Hi."), dialect.parse("Hi."), json.dumps({})))
    assert {name: n for (_, name), n in calls.items()}["Dialect.parse"] == 2
    assert all(Path(file).is_relative_to(SOURCE) for file, _ in calls)


def test_what_is_wrong_is_found() -> None:
    """A ring through a package's own module, two modules of one name, what is imported from outside, an heir."""
    graph = grimp.ImportGraph()
    arrows = ("t.a", "t"), ("t", "t._b.c"), ("t._b.c", "t.a"), ("t._b.c", "t._b.d"), ("t._b", "t._b.d"), ("t", "t._b")
    for importer, imported in arrows:
        graph.add_import(importer=importer, imported=imported)
    assert {*circle(graph)} == {"t", "t.a", "t._b.c"}
    assert imported_from_outside(graph, "t._b") == {"c"}
    assert clauses('"""Size."""\nx = 1\n"""How large it is."""\ny = "What"') == ["How large it is."]
    assert namesakes(map(Path, ("a/x.py", "b/x.py", "b/y.py", "a/__init__.py", "b/__init__.py"))) == ["x"]
    fast, slow = ModuleType("fast"), ModuleType("slow")
    exec("class A: ...\nclass Own(A): ...", vars(fast))
    vars(slow)["A"] = vars(fast)["A"]
    exec("class X(A): ...\nclass Y(X): ...\nclass Z: ...", vars(slow))
    assert heirs([fast, slow], {"fast"}) == ["X", "Y"]
