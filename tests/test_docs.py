"""The documentation is true: its commands and examples run, its links lead somewhere, and nothing is left out of it.

Fenced blocks are run page by page, each page in a folder of its own with a copy of `examples/`:

    ```console             commands after `$ ` (a line after `> ` goes on), then exactly what they print;
                           `...` alone on a line stands for any lines, `[exit N]` for a status other than 0
    ```yaml save=my.yaml   the block is written to a file first
    ```lark from=path      the block is a part of that file of the repository
    ```python              run when it begins with `# test`, a doctest when it has `>>>`
"""

from __future__ import annotations

import ast
import doctest
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from registries import own_registries

import toolect
from toolect._cli import main
from toolect._message import RepairKind, Status
from toolect._rendered import Part
from toolect._spec import entry, meaning
from toolect._spec.codec_model import CodecKind, LayoutKind, Spelling
from toolect._spec.costs import ROWS
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Computed, Gaps
from toolect._spec.shape_model import HoleKind
from tools import markdown_text
from tools.conformance import other_parsers
from tools.judge.ablation import LEDGER
from tools.pages import dialect_pages, leniency_page, limits_page

ROOT = Path(__file__).parent.parent
SINGLE = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "tools" / "README.md"]
PAGES = sorted([*SINGLE, *(ROOT / "docs").rglob("*.md")])
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]+\]\(([^)\s]+)\)")
_EXIT = re.compile(r"\[exit (\d+)\]")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what else its first line says, its text, and where it begins."""

    language: str
    options: dict[str, str]
    text: str
    line: int


def blocks(source: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for match in _FENCE.finditer(source):
        language, *rest = match["info"].split() or [""]
        options = dict(part.split("=", 1) for part in rest if "=" in part)
        yield Block(language, options, match["body"], source.count("\n", 0, match.start()) + 2)


# Running


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what it must print."""

    text: str
    expected: list[str]
    status: int


def commands(block: str) -> Iterator[Command]:
    """The commands of a console block, in order."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not parts[0], f"expected a command, got {parts[0]!r}"
    for part in parts[1:]:
        first, *lines = part.split("\n")
        text = [first]
        while lines and lines[0].startswith("> "):
            text.append(lines.pop(0)[2:])
        while lines and not lines[-1]:
            lines.pop()
        stated = _EXIT.fullmatch(lines[-1]) if lines else None
        yield Command("\n".join(text), lines[:-1] if stated else lines, int(stated[1]) if stated else 0)


def fits(expected: list[str], got: list[str]) -> bool:
    """True when the lines are those expected, `...` being any lines."""
    if "..." not in expected:
        return expected == got
    at = expected.index("...")
    rest = expected[at + 1 :]
    starts = range(at, len(got) + 1)
    return expected[:at] == got[:at] and any(fits(rest, got[start:]) for start in starts)


def environment() -> dict[str, str]:
    """Where the commands of this Python come first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "COLUMNS": "100", "PYTHONUTF8": "1"}


def run(page: str, source: str, folder: Path) -> list[str]:
    """Run all that a page shows, in `folder`; what did not go as it says."""
    wrong = []
    for block in blocks(source):
        where = f"{page}:{block.line}"
        if "save" in block.options:
            file = folder / block.options["save"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(block.text.encode())
        if "from" in block.options:
            whole = (ROOT / block.options["from"]).read_text(encoding="utf-8")
            if block.text not in whole:
                wrong.append(f"{where}: not a part of {block.options['from']}")
        if block.language == "console":
            wrong += [f"{where}: {problem}" for problem in _console(block.text, folder)]
        elif block.language == "python":
            wrong += [f"{where}: {problem}" for problem in _python(block, folder)]
    wrong += [f"{page}:{line}: needs {name}, which is saved later" for line, name in needed_early(source)]
    wrong += [f"{page}: {problem}" for problem in _doctest(source, folder)]
    return wrong


def needed_early(source: str) -> Iterator[tuple[int, str]]:
    """The examples that need a file which a later block saves: they run last here, but not for who reads along."""
    saved: set[str] = set()
    shown: list[Block] = []
    for block in blocks(source):
        if block.language == "python" and ">>>" in block.text:
            shown.append(block)
        name = block.options.get("save")
        if name is not None and name not in saved:
            saved.add(name)
            taken = re.compile(rf"\b(?:from|import) {re.escape(Path(name).stem)}\b|{re.escape(name)}")
            yield from ((early.line, name) for early in shown if taken.search(early.text))


def _console(block: str, folder: Path) -> Iterator[str]:
    for command in commands(block):
        done = _toolect(command.text, folder) or _shell(["bash", "-c", command.text], folder)
        got = done.stdout.rstrip("\n").split("\n") if done.stdout.strip("\n") else []
        if not fits(command.expected, got) or done.returncode != command.status:
            printed = f"printed (exit {done.returncode})\n{done.stdout}"
            expected = f"expected (exit {command.status})\n" + "\n".join(command.expected)
            yield f"$ {command.text}\n{printed}\n{expected}"


_PLAIN = re.compile(
    r"toolect(?P<words>(?: (?:[\w./:=-]+|'[^']*'|\"[^\"$`\\]*\"))*)"
    r"(?: 2>(?P<errors>&1|/dev/null))?(?P<rest> [|>] [^&]*)?"
)
"""A command that needs no shell, or one for what it prints."""


def _toolect(command: str, folder: Path) -> subprocess.CompletedProcess[str] | None:
    """A plain command, run in this process: its start takes longer than what most of them do."""
    if not (plain := _PLAIN.fullmatch(command)):
        return None
    with own_registries(), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner(env={"COLUMNS": "100"}).invoke(main, shlex.split(plain["words"]), prog_name="toolect")
    printed = done.stdout if plain["rest"] or plain["errors"] == "/dev/null" else done.output
    if not plain["rest"]:
        return subprocess.CompletedProcess(command, done.exit_code, printed)
    after = _shell(["bash", "-c", f"cat{plain['rest']}"], folder, done.output if plain["errors"] == "&1" else printed)
    status = after.returncode if plain["rest"].startswith(" |") else done.exit_code
    errors = "" if plain["errors"] else done.stderr
    return subprocess.CompletedProcess(command, status, errors + after.stdout)


def _python(block: Block, folder: Path) -> Iterator[str]:
    if block.text.startswith("# test\n"):
        done = _shell([sys.executable, "-W", "error", "-X", "utf8", "-c", block.text], folder)
        if done.returncode or done.stdout:
            yield f"exit {done.returncode}\n{done.stdout}"
    elif ">>>" not in block.text:
        ast.parse(block.text)


def _doctest(source: str, folder: Path) -> Iterator[str]:
    """All examples of a page after one another, on the lines where they stand."""
    lines = [""] * (source.count("\n") + 1)
    for block in blocks(source):
        if block.language == "python" and ">>>" in block.text:
            body = block.text.split("\n")
            lines[block.line - 1 : block.line - 1 + len(body)] = body
    if not any(lines):
        return
    shown = doctest.DocTestParser().get_doctest("\n".join(lines), {"__name__": "__main__"}, "page", None, 0)
    said: list[str] = []
    # In this process: most pages have examples, and a process of its own would take longer than they do.
    with own_registries(), pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # what a page opens is closed at its end
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(shown, out=said.append)
    for name, module in [*sys.modules.items()]:  # a page may import what lies in its folder, and others have one too
        if str(getattr(module, "__file__", None)).startswith(f"{folder}{os.sep}"):
            del sys.modules[name]
    if said:
        yield "".join(said)


def _shell(command: list[str], folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment(), input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples in it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


@every_page
def test_what_a_page_shows_happens(page: Path, folder: Path) -> None:
    """Every command and every example of a page does what the page says."""
    source = page.read_text(encoding="utf-8")
    wrong = run(str(page.relative_to(ROOT)), source, folder)
    assert not wrong, "\n\n".join(wrong)


# Links


def slug(heading: str) -> str:
    """The anchor of a heading, as the usual viewers make it."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.replace(" ", "-")


def anchors(source: str) -> set[str]:
    """The anchors of a page."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", _FENCE.sub("", source), re.MULTILINE):
        anchor, again = slug(heading), 0
        while (f"{anchor}-{again}" if again else anchor) in found:
            again += 1
        found.add(f"{anchor}-{again}" if again else anchor)
    return found


def broken(page: Path, source: str) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in _LINK.findall(_FENCE.sub("", source)):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path
        if path and not target.exists():
            yield f"{link}: there is no {path}"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8") if path else source):
            yield f"{link}: no heading makes #{anchor}"


def each_page(wrong: Callable[[Path, str], Iterable[str]]) -> list[str]:
    """What is wrong with any page of git."""
    return [
        f"{page.relative_to(ROOT)}: {what}" for page in PAGES for what in wrong(page, page.read_text(encoding="utf-8"))
    ]


def test_links_lead_somewhere() -> None:
    """Every link within the repository leads to a file, and to a heading of it."""
    assert each_page(broken) == []


_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.py|(?:[\w-]+/)+)`")


def unknown_files(source: str) -> list[str]:
    """The Python files and the folders that a page names and that are not there: their paths may begin anywhere.

    Those that the page itself saves are.
    """
    saved = {block.options.get("save") for block in blocks(source)}
    return [
        name for name in _FILE.findall(source) if name not in saved and f"/{name.rstrip('/')}/\n" not in known_files()
    ]


@functools.cache
def known_files() -> str:
    """The files and folders of the repository, one on each line."""
    folders = [ROOT / name for name in ("src", "tools", "tests", "docs", "grammars", "examples")]
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    return "".join(f"/{path.relative_to(ROOT)}/\n" for path in paths)


def test_files_that_are_named_are_there() -> None:
    """Every Python file and folder that a page names is one of the repository."""
    assert each_page(lambda _, source: unknown_files(source)) == []


def test_every_page_is_linked() -> None:
    """From the README one can reach every page."""
    reached: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        links = _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
        todo += [(page.parent / link.partition("#")[0]).resolve() for link in links if not link.startswith("http")]
    assert set(PAGES) <= reached, sorted(set(PAGES) - reached)


# Nothing left out


REFERENCE = "docs/guide/dialects.md"
WORDS: dict[str, list[str]] = {
    "field": list(entry.FIELDS),
    "policy": list(entry.POLICIES),
    "setting of a policy": [setting for settings in entry.POLICIES.values() for setting in settings],
    "gap": [field.encode_name for field in msgspec.structs.fields(Gaps)],
    "computed text": [member.value for member in Computed],
    "role": [str(role) for role in meaning._KINDS],
    **{
        what: [member.value for member in kind]
        for what, kind in {
            "slot": SlotKind,
            "hole": HoleKind,
            "codec": CodecKind,
            "layout": LayoutKind,
            "spelling of values": Spelling,
        }.items()
    },
}
API: dict[str, type[StrEnum]] = {"status": Status, "repair": RepairKind, "part": Part}


def missing(source: str, words: list[str]) -> list[str]:
    """The words that a page does not have as code."""
    return [word for word in words if f"`{word}`" not in source]


@pytest.mark.parametrize("what", WORDS)
def test_the_reference_is_complete(what: str) -> None:
    """Every word of the spec language is in the reference."""
    source = (ROOT / REFERENCE).read_text(encoding="utf-8")
    assert missing(source, WORDS[what]) == []


def test_every_field_has_its_heading() -> None:
    """The reference has a section for each field of an entry."""
    headings = re.findall(r"^### (.+)$", (ROOT / REFERENCE).read_text(encoding="utf-8"), re.MULTILINE)
    assert [field for field in entry.FIELDS if not any(f"`{field}`" in heading for heading in headings)] == []


@pytest.mark.parametrize("what", API)
def test_the_python_page_is_complete(what: str) -> None:
    """Every status, repair and part is on the page about Python."""
    source = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    assert missing(source, [member.value for member in API[what]]) == []


def test_the_python_page_tells_what_is_public() -> None:
    """Its table has the functions of the package, and the modules that the package's own docstring says are public."""
    source = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert missing(source, [name for name in toolect.__all__ if name.islower()] + ["Conversation"]) == []
    public = re.findall(r"`(\w+)`", str(toolect.__doc__).partition("the modules")[2])
    assert {*re.findall(r"`toolect\.(\w+)`", source)} == {*public}


def test_every_event_is_documented() -> None:
    """The page about events has them all."""
    import toolect._events

    names = [n for n, v in vars(toolect._events).items() if isinstance(v, type) and v.__module__ == "toolect._events"]
    assert missing((ROOT / "docs" / "guide" / "events.md").read_text(encoding="utf-8"), names) == []


def test_the_readme_tells_of_dialects() -> None:
    """How many there are, and of twelve one call, which they read, their grammar and models."""
    source = (ROOT / "README.md").read_text(encoding="utf-8")
    many = len(toolect.dialects())
    assert f": {many} formats," in source and f"Twelve of {many}," in source
    rows = re.findall(r"^\| \[`(\S+)`\]\(grammars/\S+\.lark\) \| `(.*)` \| (.*) \|$", source, re.MULTILINE)
    assert len(rows) == 12
    for name, text, models in rows:
        message = toolect.dialect(name).parse(text.replace("\\|", "|").replace("↵", "\n"))
        assert [(call.name, call.arguments) for call in message.runnable] == [("get_time", {"place": "Rome"})], name
        assert {*re.findall(r"`(\S+)`", models)} <= {*toolect.registry.spec(name).models}, name
    assert source.index("| `malformed` |") < len("".join(source.splitlines(keepends=True)[:60]))


def test_other_packages_have_a_page() -> None:
    """Each one that the index names is executed and linked, with their calls beside ours."""
    for page in (ROOT / "docs" / "coming-from").glob("[!R]*.md"):
        source = page.read_text(encoding="utf-8")
        assert "| toolect |\n| --- | --- |" in source and ">>> import" in source, page


def test_the_changelog_is_by_release() -> None:
    """Releases with their versions, the newest first; what is not released stands above them."""
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    released = [tuple(map(int, version.split("."))) for version in versions if version != "Unreleased"]
    assert released == sorted(released, reverse=True) and versions.index("Unreleased") == 0
    assert toolect.__version__ == versions[1]


# Nothing that only this machine has


def private(source: str) -> list[str]:
    """The paths of this machine in a page."""
    own = {str(ROOT), str(ROOT.parent), str(Path.home()), tempfile.gettempdir(), os.path.realpath(sys.prefix)} - {"/"}
    return sorted(path for path in own if re.search(re.escape(path) + r"(?![\w-])", source))


def test_no_page_knows_this_machine() -> None:
    """No page holds a path of the machine it was written on."""
    assert each_page(lambda _, source: private(source)) == []


def test_no_page_installs_from_an_index() -> None:
    """As long as there is none that has toolect: it is installed from a checkout, or from a wheel."""
    assert "on no package index yet" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert each_page(lambda _, source: re.findall(r"pip install\s+(?:-\S+\s+)*'?toolect\b", source)) == []


# These tests can fail

WRONG = {
    "other output": "```console\n$ echo a\nb\n```\n",
    "more output": "```console\n$ echo a; echo b\na\n```\n",
    "less output": "```console\n$ echo a\na\nb\n```\n",
    "no such output around any lines": "```console\n$ echo a; echo b; echo c\n...\nd\n```\n",
    "an unstated status": "```console\n$ exit 3\n```\n",
    "another status": "```console\n$ exit 3\n[exit 2]\n```\n",
    "a status that did not come": "```console\n$ true\n[exit 1]\n```\n",
    "an unknown dialect": "```console\n$ toolect parse examples/hermes.txt --dialect nothing\n```\n",
    "a failing assertion": "```python\n# test\nassert 1 == 2\n```\n",
    "printing what is not shown": "```python\n# test\nprint(1)\n```\n",
    "a wrong doctest": "```python\n>>> 1 + 1\n3\n```\n",
    "a file that is saved later": "```python\n>>> from a import b\n```\n\n```python save=a.py\nb = 1\n```\n",
    "a part of another file": "```lark from=grammars/hermes.lark\nstart: (content)*\n```\n",
}
RIGHT = {
    "output": "```console\n$ echo a\na\n$ true\n```\n",
    "a command of two lines": "```console\n$ cat <<X\n> a b\n> X\na b\n```\n",
    "any lines": "```console\n$ seq 5\n1\n...\n5\n$ seq 5\n...\n$ seq 5\n1\n...\n3\n...\n```\n",
    "a status": "```console\n$ echo a >&2; exit 3\na\n[exit 3]\n```\n",
    "no final newline": "```console\n$ printf a\na\n```\n",
    "a saved file": "```text save=in/a.txt\nx\n```\n\n```console\n$ cat in/a.txt\nx\n```\n",
    "an example": "```python\n# test\nimport os\nassert os.listdir('examples')\n```\n",
    "doctests that go on": "```python\n>>> a = 1\n```\n\ntext\n\n```python\n>>> a\n1\n```\n",
    "a part of a file": "```lark from=grammars/hermes.lark\ncontent: TEXT\n```\n",
}


@pytest.mark.parametrize("why", WRONG)
def test_a_wrong_page_is_found_out(why: str, folder: Path) -> None:
    """What does not happen as shown is a failure."""
    assert run("page.md", WRONG[why], folder)


@pytest.mark.parametrize("why", RIGHT)
def test_a_right_page_passes(why: str, folder: Path) -> None:
    """What happens as shown is none."""
    assert run("page.md", RIGHT[why], folder) == []


def test_wrong_links_are_found_out(tmp_path: Path) -> None:
    """A link to no file, and one to no heading, are failures; those in code are no links."""
    (tmp_path / "b.md").write_text("# The `x`, a part\n")
    source = "[a](b.md) [a](b.md#the-x-a-part) [a](#c) [a](c.md)\n# C\n```\n[a](d.md)\n```\n"
    assert list(broken(tmp_path / "a.md", source)) == ["c.md: there is no c.md"]
    assert list(broken(tmp_path / "a.md", "[a](b.md#y)")) == ["b.md#y: no heading makes #y"]


def test_left_out_words_and_own_paths_are_found_out() -> None:
    """A word that is not there, and a path of this machine, are failures."""
    assert missing("`about` and source", ["about", "source"]) == ["source"]
    assert private(f"see {ROOT}/README.md")
    assert private(f"{Path.home()}/x")
    assert not private("`/usr/share`")


def test_limits_are_collected() -> None:
    """Constants that say what is beyond them are in the table, those of one name beside each other, others are not."""
    table = limits_page.page()
    assert "| `_values.json_lexemes.MAX_DEPTH` | 200 | Open brackets of a JSON value | `malformed` |" in table
    assert "| `_spec.document.MAX_DEPTH` | 50 |" in table
    assert "| `_spec.costs.FAR` | 256 |" in table
    assert "ranking.WORTH_NAMING" not in table


def test_a_file_that_is_not_there_is_found_out() -> None:
    """A page may name a file by its last parts; what is nowhere is found."""
    source = "`tools/reports.py` `peers/` `_building/` `src/toolect/_events.py` `_building/nonsuch.py` `nonsuch/` `a`"
    assert unknown_files(source) == ["_building/nonsuch.py", "nonsuch/"]


# What the pages of dialects say


def test_what_a_dialect_refuses() -> None:
    """Refused messages are listed with the reason, carried ones are not."""
    rows = dict(dialect_pages.refused(toolect.dialect("qwen3-coder")))
    kept = "a call keeps the id that it came with"
    assert "comes back as None" in rows[kept]
    assert "a key with a blank" not in rows
    holding = next(title for title in rows if title.startswith("a string that holds"))
    assert "`<parameter=`" in holding
    assert "`</parameter>`" not in holding
    assert "`<think>`" not in holding
    assert not any("two calls" in title for title in rows)
    assert kept not in dict(dialect_pages.refused(toolect.dialect("openai-chat")))


def test_every_entry_stands_on_its_page() -> None:
    """The entries, as they are cut out of the file, are all of it but comments and empty lines."""
    cut = "".join(dialect_pages._texts().values())
    whole = re.sub(r"^#.*", "", dialect_pages.ENTRIES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert whole.split() == cut.split()


def test_figures_are_merged(tmp_path: Path) -> None:
    """A run replaces what it measured, and leaves the rest."""
    path = tmp_path / "figures.json"
    calls = [("hermes", "calls", held) for held in (True, False, None)]
    other_parsers.write_figures(path, [*calls, ("json", "pass", True)])
    other_parsers.write_figures(path, [("hermes", "strict", True), ("json", "pass", False)])
    found = other_parsers.read_figures(path)
    assert found == {"hermes": {"calls": (1, 2), "strict": (1, 1)}, "json": {"pass": (0, 1)}}


@pytest.mark.parametrize("text", ["a", "`", "a``b", "``` x ```", "a|b", "a\nb"])
def test_code_is_whole(text: str) -> None:
    """Code holds backticks, and is one cell of a table; a fence is longer than those in the block."""
    shown = markdown_text.code(text)
    ticks = len(shown) - len(shown.lstrip("`"))
    assert "`" * ticks not in text
    assert "\n" not in shown
    assert re.sub(r"\\\|", "", shown).count("|") == 0
    (block,) = blocks(markdown_text.fenced(f"{text}\n```\n{text}") + "\n")
    assert block.text == f"{text}\n```\n{text}\n"


def test_each_cost_is_in_the_ledger() -> None:
    """The ledger has the rows of the table, and the page shows each with what it is for."""
    assert list(json.loads(LEDGER.read_text("utf-8"))["rows"]) == [*ROWS]
    page = leniency_page.page()
    assert all(f"| `{name}`" in page for name in ROWS)
