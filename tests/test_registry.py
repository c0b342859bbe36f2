"""Finding dialects by what users call them, and keeping loaded specs on disk."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import shares
from hypothesis import given, settings
from hypothesis import strategies as st

import toolect
from toolect import UnknownNameError
from toolect import _cache as cache
from toolect import registry as shipped_registry
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._dialect_registry import DialectShelf, Registry
from toolect._names import Names, near_misses, resolve
from toolect._spec import document as spec_document
from toolect._spec import grammar as spec_grammar
from toolect._spec.model import Spec
from toolect.registry import shipped

GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<call>" JSON "</call>"\n%declare TEXT JSON\n'
MAP = "map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLECT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def registry() -> Registry:
    """A registry of its own, with the shipped specs."""
    return Registry(shipped)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's file with one spec."""
    path = tmp_path / "mine.yaml"
    path.write_text(f"mine:\n  aliases: [my_own]\n  models: ['me/*']\n  {MAP}\n", "utf-8")
    (tmp_path / "grammars").mkdir()
    (tmp_path / "grammars" / "mine.lark").write_text(GRAMMAR, "utf-8")
    return path


def files() -> Iterator[Path]:
    """What the cache holds."""
    return cache.folder().glob("*")


# Names


SHELF = {
    "coder-3": Names(("coder_xml", "coder-3*"), ("Org/Model-Coder-*", "Org/Model-3.5-*")),
    "plain-3": Names(("plain", "plainly", "serve:agreed"), ("Org/Model-*B", "Other/Thing")),
    "loose": Names(("serve:plain", "train:only", "train:split"), ("Anything/*",)),
    "odd": Names(("serve:split",), ()),
}


@pytest.mark.parametrize(
    ("name", "dialect"),
    {
        "coder-3": "coder-3",
        "CODER_3": "coder-3",
        "Coder_XML": "coder-3",
        "coder-xml": "coder-3",
        "coder-3-beta": "coder-3",
        "plain": "plain-3",
        "Org/Model-8B": "plain-3",
        "org/model-8b": "plain-3",
        "Org/Model-Coder-30B": "coder-3",
        "Model-8B": "plain-3",
        "somebody/Model-8B": "plain-3",
        "Org/Model-8B-GGUF": "plain-3",
        "somebody/Model-8B-GPTQ-Int4": "plain-3",
        "Org/Model-8B-FP8-dynamic": "plain-3",
        "/disk/models/Model-8B-Q4_K_M.gguf": "plain-3",
        "Org/Model-8B:free": "plain-3",
        "Org/Model-Coder-30B-AWQ/": "coder-3",
        "Anything/at-all": "loose",
        "Thing": "plain-3",
        "serve:plain": "loose",
        "train:plain": "plain-3",
        "SERVE:Plain": "loose",
        "only": "loose",
        "serve:only": "loose",
        "agreed": "plain-3",
        "split": None,
        "train:split": "loose",
        "serve:split": "odd",
        "at-all": None,
        "model-8b:q4": "plain-3",
        "eu.model-coder-9b-v1:0": "coder-3",
        "org_Model-v3p5-8b": "coder-3",
        "accounts/any/models/model-v3p5-9b": "coder-3",
        "model-3-5-mini": "coder-3",
        "model-3-50-mini": None,
        "somebody/Model-8B-Embedding": None,
        "Org/Model": None,
        "": None,
        "*": None,
        "[": None,
    }.items(),
)
def test_resolve(name: str, dialect: str | None) -> None:
    """Names, aliases and model ids lead to a dialect, the most specific pattern first."""
    assert resolve(name, [SHELF]) == dialect


def test_the_last_shelf_wins() -> None:
    """What a user loaded later wins over an equal name or pattern."""
    later = {"mine": Names(("plain",), ("Org/Model-*B",))}
    assert resolve("plain", [SHELF, later]) == "mine"
    assert resolve("Org/Model-8B", [SHELF, later]) == "mine"
    assert resolve("plain-3", [SHELF, later]) == "plain-3"


def test_shipped_names_lead_home() -> None:
    """Every shipped name and alias leads to its dialect, and so does every model pattern read as an id."""
    for name in shipped_registry.dialects():
        spec = shipped_registry.spec(name)
        for known in (name, *(alias.replace("*", "0") for alias in spec.aliases)):
            assert shipped_registry.resolve(known) == name, known
        for pattern in spec.models:
            model = re.sub(r"(?<![-/])\*", "", pattern).replace("*", "x")
            assert shipped_registry.resolve(model) == name, pattern


NAMES = [line.split() for line in (Path(__file__).parent / "names.txt").read_text("utf-8").splitlines()[1:]]


def test_names_of_projects_and_models(registry: Registry) -> None:
    """What engines and trainers call a format, and the ids of models, lead to the dialect that reads it."""
    found = {name: registry.resolve(name) for name, _ in NAMES}
    assert found == dict(NAMES)
    assert set(found.values()) <= set(registry.dialects())


MODELS = Path(__file__).parent / "model_ids.txt"


def test_ids_of_models_lead_home(registry: Registry) -> None:
    """However a model is spelled: the dialect that it writes, or none; nothing is wrong in silence."""
    wrong = []
    for line in MODELS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            model, dialect = line.split()
            try:
                found = registry.resolve(model)
            except UnknownNameError:
                found = "-"
            if found != dialect:
                wrong.append(f"{model}: expected {dialect}, got {found}")
    assert wrong == []


KEPT_AS = (
    "/root/.cache/huggingface/hub/models--{hub}/snapshots/0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b", "models--{hub}/",
    r"C:\models\{name}-Q4_K_M.gguf", "/data/{folder}", "hf.co/{id}-GGUF:Q4_K_M", "{id}#accounts/x/deployments/ab12cd34",
    "{id}@main", "{id}:main", "hf:{id}", "openrouter/{id}:floor", "{id}-4.0bpw-h6-exl2", "{id}-GPTQ-Int4", "@{id}",
)  # fmt: skip
"""Where programs keep a model, and what they call it then."""


@pytest.mark.parametrize("form", KEPT_AS)
def test_ids_lead_home_however_they_are_kept(registry: Registry, form: str) -> None:
    """Law: a folder, a commit, a revision, a provider, a deployment or a quantisation is no part of a model's name."""
    lines = [line.split() for line in MODELS.read_text("utf-8").splitlines() if not line.startswith("#")]
    ids = [one for one, dialect in lines if dialect != "-" and re.fullmatch(r"[\w-]+/[A-Z][\w.-]+", one)]
    assert len(ids) > 200
    for one in shares.share(ids, 60, form):
        kept = form.format(
            id=one, hub=one.replace("/", "--"), name=one.partition("/")[2], folder=one.replace("/", "__")
        )
        assert registry.resolve(kept) == registry.resolve(one), kept


@given(st.text("abLl3p1.-_:/@* v", max_size=14))
@settings(max_examples=300)
def test_any_name_has_an_answer(name: str) -> None:
    """A name is a dialect's, or unknown: nothing else is raised."""
    assert resolve(name, [SHELF]) in (None, *SHELF)


def test_unknown_dialect_names_near_misses(registry: Registry) -> None:
    """A miss tells what might have been meant."""
    name = registry.dialects()[0]
    with pytest.raises(UnknownNameError, match=rf"did you mean .*'{name}'") as caught:
        registry.dialect("x" + name)
    assert name in caught.value.near
    assert isinstance(caught.value, LookupError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(UnknownNameError, match=r"see toolect\.dialects"):
        registry.dialect("\x00")


def test_unknown_model_names_near_patterns(registry: Registry) -> None:
    """A miss of a model id tells the nearest patterns, and how to add one."""
    pattern = next(p for name in registry.dialects() for p in registry.spec(name).models if "*" not in p)
    owner, _, model = pattern.partition("/")
    with pytest.raises(UnknownNameError, match=r"the nearest model patterns are .* under `models`") as caught:
        registry.dialect(f"{owner}/x{model}")
    assert pattern in caught.value.near
    with pytest.raises(UnknownNameError, match="load an entry with a pattern"):
        registry.dialect("nobody/\x00")


def test_split_words_are_named() -> None:
    """A word that projects use for different formats is not guessed; a miss names the qualified ones."""
    assert near_misses("split", [SHELF]) == ["serve:split", "train:split"]


# Dialects


def test_dialects_are_shared(registry: Registry) -> None:
    """However many threads ask by whatever name, there is one object."""
    name = registry.dialects()[0]
    alias = registry.spec(name).aliases[0]
    found: list[object] = []
    threads = [threading.Thread(target=lambda n=n: found.append(registry.dialect(n))) for n in [name, alias] * 8]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16
    assert len({id(one) for one in found}) == 1


def test_load(registry: Registry, mine: Path) -> None:
    """A user's specs are dialects like any other."""
    assert registry.load(mine) == ["mine"]
    assert "mine" in registry.dialects()
    assert registry.resolve("MY-OWN") == registry.resolve("me/model") == "mine"
    (call,) = registry.dialect("mine").parse('<call>{"name": "f", "arguments": {}}</call>').calls
    assert call == toolect.Call("f", {})


def test_load_over_a_shipped_dialect(registry: Registry, mine: Path) -> None:
    """A user's spec may extend a shipped one that stands alone, even under its name."""
    names = DialectShelf(shipped()).names
    name = next(name for name in sorted(names) if not names[name].extends)
    before = registry.dialect(name)
    mine.write_text(f"{name}:\n  extends: {name}\n  end: ['<mine>']\n", "utf-8")
    assert registry.load(str(mine)) == [name]
    assert registry.spec(name).end == ("<mine>",)
    assert registry.spec(name).rules == DialectShelf(shipped()).spec(name).rules
    assert registry.dialect(name) is not before


def test_load_reads_each_file_as_often_whatever_it_declares(
    registry: Registry, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries that extend one, however many, take no further look at the file, its base and their grammar."""
    read = []
    for module, name in ((spec_document, "_composed"), (spec_grammar, "read_source")):
        was = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, was=was, name=name: read.append(name) or was(*args))
    counts = []
    for count in (2, 40):
        mine.write_text("".join(f"m{at}: {{extends: hermes, about: '{count}'}}\n" for at in range(count)), "utf-8")
        assert len(registry.load(mine)) == count
        counts.append(len(read))
        read.clear()
    assert counts[1] <= counts[0]


def test_load_reports_every_mistake(registry: Registry, mine: Path) -> None:
    """A file with mistakes is not registered, not even in part, and all of them are told."""
    mine.write_text(f"mine:\n  {MAP}\nother:\n  {MAP}\nthird:\n  mpa: {{}}\n  extends: mine\n", "utf-8")
    for _ in range(2):
        with pytest.raises(SpecError) as caught:
            registry.load(mine)
        assert [d.check for d in caught.value.diagnostics] == ["missing-grammar", "unknown-field"]
        assert "mpa" in str(caught.value)
        assert "mine" not in registry.dialects()
    with pytest.raises(SpecError, match="missing-spec"):
        registry.load(mine.parent / "none.yaml")
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


@pytest.mark.parametrize("name", [r"(a|b)(c|d)?[a-z]*", r"(?P<first>[a-z])([a-z\(]*)", r"([(a-z])[^](>]+"])
def test_terminals_may_have_groups(mine: Path, name: str) -> None:
    """A group of a terminal's expression is none of the expression that it becomes a part of."""
    grammar = GRAMMAR.replace('"<call>" JSON', '"<call " NAME ">" JSON') + f"NAME: /{name}/\n"
    (mine.parent / "grammars" / "mine.lark").write_text(grammar, "utf-8")
    mine.write_text("mine: {map: {content: content, call: call, NAME: call.name, call/JSON: $arguments}}\n", "utf-8")
    dialect = Dialect(DialectShelf(mine).spec("mine"))
    text = 'So. <call bcd>{"a": 1}</call><call bcd>{}</call>'
    message = dialect.parse(text)
    assert [(call.name, call.arguments) for call in message.runnable] == [("bcd", {"a": 1}), ("bcd", {})]
    stream = dialect.stream()
    for sign in text:
        stream.feed(sign)
    stream.close()
    assert stream.message == message


# The cache


def test_a_warm_start_compiles_nothing(tmp_path: Path) -> None:
    """With a filled cache neither YAML nor grammars are read again."""
    code = (
        "import sys, toolect.registry as r; spec = r.spec(r.dialects()[0]);"
        "print(sorted({'lark', 'yaml'} & set(sys.modules)), len(spec.rules))"
    )
    environment = {**os.environ, "TOOLECT_CACHE_DIR": str(tmp_path / "warm")}
    runs = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0].startswith("['lark', 'yaml'] ")
    assert runs[1] == "[] " + runs[0].split("] ")[1]


def test_cached_specs_are_equal(registry: Registry) -> None:
    """What comes back from disk is what was loaded."""
    compiled = {name: registry.spec(name) for name in registry.dialects()}
    kept = Registry(shipped)
    assert {name: kept.spec(name) for name in kept.dialects()} == compiled
    assert len(list(files())) == len(compiled) + 1


@pytest.mark.parametrize("change", ["entry", "grammar", "import"])
def test_a_change_is_seen(mine: Path, change: str) -> None:
    """The cache never hides a change of the entry, of the grammar, or of what that imports."""
    (mine.parent / "grammars" / "values").mkdir()
    value = mine.parent / "grammars" / "values" / "v.lark"
    grammar = mine.parent / "grammars" / "mine.lark"
    value.write_text('value: "1"\n', "utf-8")
    grammar.write_text('%import .values.v (value)\nstart: call\ncall: "a" value\n', "utf-8")
    mine.write_text("mine: {map: {call: call, call/value: call.arguments}}\n", "utf-8")
    before = DialectShelf(mine).spec("mine")
    path = {"entry": mine, "grammar": grammar, "import": value}[change]
    path.write_text(path.read_text("utf-8").replace('"1"', '"2"').replace('"a"', '"b"') + "\n", "utf-8")
    if change == "entry":
        mine.write_text("mine: {map: {call: call, call/value: call.arguments}, end: [x]}\n", "utf-8")
    assert DialectShelf(mine).spec("mine") != before
    assert len(list(files())) >= 3


def damaged(own: bytes, other: bytes) -> Iterator[bytes]:
    """A file with each of its bytes changed in turn, cut off, grown, emptied, or with the body of another one."""
    for at in range(len(own)):
        yield own[:at] + bytes((own[at] ^ 1,)) + own[at + 1 :]
    key, _, body = own.partition(b"\n")
    yield from (b"", own[:-1], own + b" ", own.replace(b":", b": ", 1), body, other)
    yield from (key + b"\n" + wrong for wrong in (b"", b"{}", b"\xff", b"[" * 100_000, other.partition(b"\n")[2]))
    yield other.partition(b"\n")[0] + b"\n" + body


def test_a_damaged_file_is_made_anew(mine: Path) -> None:
    """Whatever is not as it was written is no file of the cache."""
    mine.write_text(mine.read_text("utf-8") + f"yours:\n  extends: mine\n  {MAP}\n  end: [x]\n", "utf-8")
    shelf = DialectShelf(mine)
    spec, other = shelf.spec("mine"), shelf.spec("yours")
    assert spec != other
    key, file = shelf._spec_key("mine"), next(file for file in files() if file.name.startswith("mine-"))
    own, theirs = (next(f for f in files() if f.name.startswith(name)).read_bytes() for name in ("mine-", "yours-"))
    for wrong in damaged(own, theirs):
        file.write_bytes(wrong)
        assert cache.load("mine", key, Spec) is None, wrong
    assert DialectShelf(mine).spec("mine") == spec
    assert file.read_bytes() == own


def test_an_unwritable_folder_is_no_error(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a place to keep them, specs are compiled every time."""
    monkeypatch.setenv("TOOLECT_CACHE_DIR", str(mine / "below-a-file"))
    assert DialectShelf(mine).spec("mine") == DialectShelf(mine).spec("mine")


def test_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment decides where the files are."""
    monkeypatch.delenv("TOOLECT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache.folder() == Path("/x/toolect")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder() == Path.home() / ".cache" / "toolect"


# Dialects that packages bring, and those that the environment names


HARBOUR = f"harbour:\n  models: ['harbour/*']\n  {MAP}\nhermes:\n  {MAP}\n"


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """The file of a package that declares a dialect, and one that has the name of a shipped one."""
    folder = tmp_path / "harbours"
    (folder / "grammars").mkdir(parents=True)
    (folder / "__init__.py").touch()
    for name in ("harbour", "hermes"):
        (folder / "grammars" / f"{name}.lark").write_text(GRAMMAR)
    (folder / "dialects.yaml").write_text(HARBOUR)
    return folder / "dialects.yaml"


def test_packages_bring_dialects(harbour: Path) -> None:
    """They are found by name, by model and in the list of all; a shipped dialect keeps its name."""
    registry = Registry(shipped, packaged=lambda: [harbour])
    assert registry.dialect("harbour").name == registry.dialect("harbour/7b").name == "harbour"
    assert registry.file_of("harbour") == harbour
    assert registry.file_of("hermes") == shipped()
    assert {"harbour", "hermes"} < {*registry.dialects()}


def test_packages_are_not_looked_at_without_need() -> None:
    """What is known already costs no look at what is installed."""
    asked: list[bool] = []
    registry = Registry(shipped, packaged=lambda: asked.append(True) or [])  # type: ignore[func-returns-value]
    registry.dialect("hermes")
    assert not asked
    registry.dialects()
    registry.dialects()
    assert len(asked) == 1


def test_the_environment_names_files_and_folders(harbour: Path, tmp_path: Path) -> None:
    """Their entries win over shipped ones, and may extend those of packages; a broken file is left out, and said."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.yaml").write_text("mine:\n  extends: harbour\n  markers: {'<call>': '<ruf>'}\n")
    (folder / "broken.yaml").write_text("broken:\n  extends: nobody\n")
    files = f"{folder}{os.pathsep}{harbour}"
    site = tmp_path / "harbours-1.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: harbours\nVersion: 1\n")
    (site / "entry_points.txt").write_text("[toolect.dialects]\na = harbours\nb = nothing_of_the_kind\n")
    code = "import toolect; print(toolect.dialect('mine'), toolect.registry.file_of('hermes').parent.name)"
    env = {
        **os.environ,
        "TOOLECT_SPECS": files,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "<Dialect mine> harbours\n"
    assert "broken.yaml` are left out: error[unknown-dialect]" in done.stderr
    assert "the entry point `b = nothing_of_the_kind` are left out: ModuleNotFoundError" in done.stderr
