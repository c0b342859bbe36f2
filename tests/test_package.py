"""The package as a whole: its public names, what importing it brings along, and sharing it between threads."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import shares
import shipped_corpus

import toolect
from toolect import Call, Content, Message, Reasoning, RenderError, UnknownNameError
from toolect._conversion import Conversion
from toolect._message import Status
from toolect.registry import shipped

if TYPE_CHECKING:
    from toolect._compiled import Dialect

SOURCES = Path(toolect.__file__).parent
GENERAL = {"functools", "json", "openai", "text", "python", "react", "pythonic"}
"""Names of dialects that are also words."""

CALL = Call("f", {"a": [1, None]}, id="1", status=Status.REPAIRED, raw="f(a=[1, None])", span=(3, 17))
VALUES = [
    CALL,
    Content("é\ud83d", (0, 2)),
    Reasoning("so", (0, 2)),
    Status.TRUNCATED,
    Message((Content("x"), CALL)),
    Conversion("x", Message((Content("x"),))),
    UnknownNameError("x", ("y", "z")),
    RenderError("name", "does not match", "a b"),
]


def test_public_names() -> None:
    """There are few, all of them exist, and no other name without an underscore but modules is in the package."""
    assert len(toolect.__all__) <= 40
    assert list(toolect.__all__) == sorted(toolect.__all__)
    for name in toolect.__all__:
        assert getattr(toolect, name).__doc__
    others = {name for name in vars(toolect) if not name.startswith("_")} - set(toolect.__all__)
    modules = {path.stem for path in SOURCES.iterdir()}
    assert others - modules == {"annotations"}


@pytest.mark.parametrize("name", toolect.__all__)
def test_public_names_are_picklable(name: str) -> None:
    """A public class or function is itself again in another process."""
    public = getattr(toolect, name)
    assert pickle.loads(pickle.dumps(public)) is public


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_public_values_are_picklable(value: Any) -> None:
    """What the library gives out comes back from a pickle with all its parts."""
    again = pickle.loads(pickle.dumps(value))
    assert type(again) is type(value)
    assert parts(again) == parts(value)


def test_dialects_are_picklable() -> None:
    """A dialect that has been used, also on deep values, can be sent to another process, and reads there as here.

    A seventh of the dialects is drawn (`--all`: each).
    """
    deep: list[Any] = ["x"]  # an empty list is nothing to dialects of elements
    for _ in range(60):
        deep = [deep]
    for name in shares.share(toolect.dialects(), 24, "picklable"):
        dialect = toolect.dialect(name)
        dialect.parse(dialect.render(Message((Call("f", {"a": deep}),))))
        again = pickle.loads(pickle.dumps(dialect))
        for case in spread(name, 4):
            assert read(again, case) == read(dialect, case), str(case)


def parts(value: Any) -> object:
    """All that a value consists of, also what does not count when two are compared."""
    if isinstance(value, msgspec.Struct):
        return type(value).__name__, [parts(part) for part in msgspec.structs.astuple(value)]
    if isinstance(value, list | tuple):
        return [parts(item) for item in value]
    return (str(value), vars(value)) if isinstance(value, Exception) else value


# Threads


def spread(name: str, count: int) -> list[shipped_corpus.Case]:
    """About so many cases of a dialect, from all over its corpus: which to take matters little here."""
    cases = shipped_corpus.cases_of(name)
    return cases[:: max(1, len(cases) // count)]


def read(dialect: Dialect, case: shipped_corpus.Case) -> list[object]:
    """What a dialect says of a case, whole and streamed."""
    stream = dialect.stream(**case.options)
    events = [event for at in range(0, len(case.text), 3) for event in stream.feed(case.text[at : at + 3])]
    events += stream.close()
    return [parts(dialect.parse(case.text, **case.options)), parts(events), parts(stream.message)]


@pytest.fixture
def _many_switches() -> Any:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("_many_switches")
@pytest.mark.parametrize("name", shares.share(toolect.dialects(), 14, "threads"))
def test_threads_share_a_dialect(name: str) -> None:
    """Eight threads that use one new dialect at once, each in an order of its own, read what one thread reads.

    A quarter of the dialects is drawn (`--all`: each); what threads share is made by the same code in all.
    """
    make = type(toolect.dialect(name))
    texts = spread(name, 8)
    alone = make(toolect.dialect(name).spec)
    expected = [read(alone, case) for case in texts]
    shared = make(toolect.dialect(name).spec)
    ready = threading.Barrier(8)
    wrong: list[object] = []

    def work(number: int) -> None:
        ready.wait()
        try:
            for i in range(len(texts)):
                at = (i + number * len(texts) // 8) % len(texts)
                if read(shared, texts[at]) != expected[at]:
                    wrong.append(str(texts[at]))
        except Exception as error:  # a thread's error would not fail the test
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Imports and sources


MISSING = [
    ("starlette", "import toolect.serve", "serve"),
    ("prometheus_client", "import toolect.serve", "serve"),
    ("openai", "import toolect.agent.pydantic_ai", "pydantic-ai"),
    ("openai", "import toolect.agent.openai_agents", "openai-agents"),
    ("uvicorn", "from toolect._extras import *; raise MissingExtraError('uvicorn', extra_with('uvicorn'))", "serve"),
]


@pytest.mark.parametrize(("package", "code", "extra"), MISSING)
def test_a_package_that_is_missing_is_named_with_its_extra(package: str, code: str, extra: str) -> None:
    """It is the extra of what was asked for, and none of our own."""
    blocked = f"import sys; sys.modules[{package!r}] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False, timeout=300)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("toolect.MissingExtraError: expected ") and f"[{extra}]" in last


def test_import_brings_little_along() -> None:
    """Importing the package loads nothing that only reads grammars, repairs JSON, or serves the command line."""
    heavy = ["click", "json_repair", "lark", "openai", "rich", "yaml"]
    code = f"import sys, toolect; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


def test_no_source_names_a_dialect() -> None:
    """What a dialect needs is in its spec: Python code knows none of them by name."""
    names = re.findall(r"^([\w.-]+):", shipped().read_text("utf-8"), re.MULTILINE)
    assert set(names) >= GENERAL & set(toolect.dialects()) and len(names) == len(toolect.dialects())
    forms = {form for name in names for form in (name, name.replace("-", "_"))} - GENERAL
    named = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})(?![\w-])")
    for path in SOURCES.rglob("*.py"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert not named.search(line), f"{path}:{number}: {line.strip()}"
