"""Packages import downwards, files import in no circle, and no two modules have one name."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from toolect import registry
from tools.house.call_counts import SOURCE, counted
from tools.house.heirs import compiled_modules, heirs
from tools.house.imports import ORDER, Import, circles, imports, modules, part, upward

ROOT = Path(__file__).resolve().parents[1]
KNOWN = modules(ROOT / "src")


@cache
def every_import() -> list[Import]:
    """Every import of the sources."""
    return list(imports(KNOWN))


def test_packages_import_downwards() -> None:
    """Every package imports itself and lower floors only, also within functions and for type checkers."""
    wrong = [f"{KNOWN[one.module]}:{one.line}: {one.module} imports {one.target}" for one in upward(every_import())]
    assert not wrong, "\n".join(wrong)


def test_every_package_is_on_a_floor() -> None:
    """The order has every package and module at the top, and no other."""
    assert sorted(" ".join(ORDER).split()) == sorted({*map(part, KNOWN)})


def test_no_circle_among_files() -> None:
    """No file imports itself by way of others."""
    groups = circles(every_import())
    assert not groups, "\n".join(" ".join(group) for group in groups)


def layers(page: str) -> list[list[str]]:
    """The modules that each row of the page's table of layers names, the lowest first."""
    rows = page.partition("| layer |")[2].partition("\n\n")[0].splitlines()[2:]
    return [re.findall(r"`(\w+)`", row.split("|")[1]) for row in rows]


def climbing(rows: list[list[str]], found: Iterable[Import]) -> list[Import]:
    """The imports, by way of others or not, by which a layer knows a higher one."""
    floor = {f"toolect._reading.{name}": at for at, names in enumerate(rows) for name in names}
    targets: dict[str, set[str]] = {}
    for one in found:
        targets.setdefault(one.module, set()).add(one.target)
    wrong = []
    for module, at in floor.items():
        met, todo = {module}, [module]
        while todo:
            new = {name for name in targets.get(todo.pop(), ()) if name.startswith("toolect._reading.")} - met
            met |= new
            todo += new
        wrong += [Import(module, 0, name) for name in sorted(met) if floor.get(name, at) > at]
    return wrong


def test_layers_of_reading_look_down() -> None:
    """What the page of how it works says of layers is so: none knows a higher one, not even by way of others."""
    rows = layers((ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8"))
    assert len(rows) > 6 and {f"toolect._reading.{name}" for row in rows for name in row} <= set(KNOWN)
    assert not climbing(rows, every_import())


def namesakes(files: Iterable[Path]) -> list[str]:
    """The names that several modules have."""
    return sorted(name for name, n in Counter(file.stem for file in files).items() if n > 1 and name != "__init__")


def test_no_two_modules_of_one_name() -> None:
    """A module is found by its name alone, in src, tools and tests."""
    files = [path for folder in ("src", "tools", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert not namesakes(files)


def test_a_package_says_what_others_import() -> None:
    """The docstring of each internal package names its modules that are imported from outside, and no others."""
    for package in [name for name in KNOWN if name.startswith("toolect._") and KNOWN[name].stem == "__init__"]:
        if package.count(".") > 1:
            continue
        doc = ast.get_docstring(ast.parse(KNOWN[package].read_text(encoding="utf-8"))) or ""
        outside = (one.target for one in every_import() if part(one.module) != part(package))
        taken = {target.split(".")[2] for target in outside if target.startswith(f"{package}.")}
        assert set(re.findall(r"`(\w+)`", doc.partition("Others import")[2])) == taken, package


def test_the_library_imports_neither_tools_nor_tests() -> None:
    """What is installed does without what only the repository has."""
    own = {"tools", *(path.stem for path in (ROOT / "tests").glob("*.py"))}
    assert not [one for one in every_import() if one.target.partition(".")[0] in own]


def test_no_class_is_made_from_a_compiled_one() -> None:
    """Outside of what the compiled build compiles: making an object of such a class fails there."""
    compiled = compiled_modules(KNOWN, ROOT)
    assert {"toolect.compiled", "toolect._reading.watcher"} <= compiled < KNOWN.keys()
    assert not {"toolect._reading", "toolect._detection.traits"} & compiled
    wrong = [f"{KNOWN[one.module]}:{one.line}: {one.name} is made from {one.base}" for one in heirs(KNOWN, compiled)]
    assert not wrong, "\n".join(wrong)


def test_calls_are_counted() -> None:
    """The functions of toolect that a run calls, each time it does; those of others are not counted."""
    dialect = registry.dialect("hermes")
    calls = counted(lambda: (dialect.parse("Hi."), dialect.parse("Hi."), json.dumps({})))
    assert {code.co_qualname: n for code, n in calls.items()}["Dialect.parse"] == 2
    assert all(Path(code.co_filename).is_relative_to(SOURCE) for code in calls)


# These tests can fail


@pytest.fixture
def house(tmp_path: Path) -> list[Import]:
    """The imports of a made-up tree: `low.a` imports upwards in a function, `high` in a circle."""
    files = {
        "t/__init__.py": "",
        "t/low/__init__.py": "",
        "t/low/a.py": "import json\n\ndef f():\n    from t import high\n    from .b import x\n",
        "t/low/b.py": "x = 1\n",
        "t/high/__init__.py": "from t.high.c import y\nfrom ..low import b\n",
        "t/high/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import t.high\n",
        "t/mid.py": "import t.low.a, t.beside\n",
        "t/beside.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return list(imports(modules(tmp_path)))


def test_an_import_that_goes_up_is_found_out(house: list[Import]) -> None:
    """Imports of a higher floor, of a neighbour and of what is on no floor are found, with their lines."""
    wrong = [Import("t.low.a", 4, "t.high"), Import("t.mid", 1, "t.beside")]
    assert sorted(upward(house, ["low", "mid beside", "high"])) == wrong
    assert sorted(upward(house, ["low", "beside", "mid", "high"])) == wrong[:1]
    assert Import("t.mid", 1, "t.beside") in upward(house, ["low", "mid", "high"])
    assert list(upward(house, ["beside", "high low", "mid"])) != []


def test_a_layer_that_looks_up_is_found_out() -> None:
    """Also where another module stands between."""
    found = [
        Import("toolect._reading.a", 1, "toolect._reading.b"),
        Import("toolect._reading.b", 1, "toolect._reading.c"),
    ]
    assert climbing([["a"], ["c"]], found) == [Import("toolect._reading.a", 0, "toolect._reading.c")]
    assert not climbing([["c"], ["a"]], found)


def test_a_circle_is_found_out(house: list[Import]) -> None:
    """A ring is found, also where an import is for type checkers only; relative imports count."""
    assert circles(house) == [["t.high", "t.high.c"]]
    assert Import("t.high", 2, "t.low.b") in house
    assert Import("t.low.a", 5, "t.low.b") in house
    ring = [Import("a", 1, "b"), Import("b", 1, "c"), Import("c", 1, "a"), Import("d", 1, "a"), Import("e", 1, "e")]
    assert circles(ring) == [["a", "b", "c"], ["e"]]


def test_an_heir_is_found_out(tmp_path: Path) -> None:
    """By its own name, by that of its module or of a package that passes it on, also in a function."""
    files = {
        "t/__init__.py": "from t.fast import A as B\n",
        "t/fast.py": "class A: ...\nclass Own(A): ...\n",
        "t/a.py": "from t.fast import A\nclass X(A[int]): ...\nclass Y(X): ...\n",
        "t/b.py": "def f():\n    from t import fast, B\n    class X(fast.A, B): ...\n",
        "t/c.py": "import t.fast\nimport t.fast as quick\nclass X(t.fast.A): ...\nclass Y(quick.A, dict): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = sorted(heirs(modules(tmp_path), {"t.fast"}))
    assert [(one.module, one.line, one.name) for one in found] == [
        ("t.a", 2, "X"), ("t.b", 3, "X"), ("t.b", 3, "X"), ("t.c", 3, "X"), ("t.c", 4, "Y"),
    ]  # fmt: skip
    assert {one.base for one in found} == {"t.fast.A"}


def test_namesakes_are_found_out() -> None:
    """Two modules of one name are found, packages not."""
    assert namesakes(map(Path, ("a/x.py", "b/x.py", "b/y.py", "a/__init__.py", "b/__init__.py"))) == ["x"]
