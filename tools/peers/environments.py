"""Environments of other packages: a table of what each needs, made once below `.peers/`, and processes in them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self

import msgspec

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENTS = ROOT / ".peers"


class Peer(msgspec.Struct, forbid_unknown_fields=True):
    """A package: its requirement, what else its environment needs, and its names of the dialects that it reads."""

    package: str
    requires: list[str] = []
    bare: bool = False
    """True when the package is installed without its dependencies."""
    besides: list[str] = []
    """Further packages that are installed so."""
    formats: dict[str, str] = {}
    waits: bool = False


@cache
def peers() -> dict[str, Peer]:
    """The packages of `peers.yaml`."""
    return msgspec.yaml.decode((HERE / "peers.yaml").read_bytes(), type=dict[str, Peer])


def environment(name: str, peer: Peer | None = None) -> Path:
    """The interpreter of a package's environment, made if it is not there or not for these requirements."""
    peer, folder = peer or peers()[name], ENVIRONMENTS / name
    python, done = folder / "bin" / "python", folder / "done"
    wanted = "\n".join([peer.package, *peer.requires, *peer.besides])
    if done.is_file() and done.read_text() == wanted:
        return python
    print(f"making the environment of {name} ({peer.package})", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    bare = ["--no-deps"] if peer.bare else []
    for words in (peer.requires, [*bare, peer.package], ["--no-deps", *peer.besides] if peer.besides else []):
        if words:
            pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *words]
            subprocess.run(pip, check=True, cwd=ROOT)
    done.write_text(wanted)
    return python


@cache
def compiled_wheel() -> Path:
    """The interpreter of an environment with the wheel in dist/compiled; another wheel makes it anew."""
    wheels = sorted((ROOT / "dist" / "compiled").glob("*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"expected one wheel in dist/compiled, got {len(wheels)}: `make compiled` builds it")
    digest = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    return environment("toolect-compiled", Peer(f"toolect @ {wheels[0].as_uri()}#sha256={digest}"))


@contextmanager
def unpacked(commit: str) -> Iterator[Path]:
    """A folder with what of `commit` reads, as long as it is needed."""
    archive = ["git", "archive", commit, "src", "dialects.yaml", "grammars"]
    packed = subprocess.run(archive, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def around(*paths: Path) -> dict[str, str]:
    """The variables of a process that imports from these folders, and from this checkout; it hashes alike each time."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**own, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(map(str, (*paths, ROOT)))}


def run(name: str, module: str, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a module of this checkout in the environment of a package."""
    command = [str(environment(name)), "-m", module, *words]
    return subprocess.run(command, env=around(ROOT / "src"), cwd=ROOT, text=True, check=False, **options)


def answers(name: str, module: str, question: object) -> Any:
    """The JSON that a module prints, in the environment of a package, for a question on its standard input."""
    done = run(name, module, input=json.dumps(question), capture_output=True)
    if done.returncode:
        raise SystemExit(f"expected an answer of {module}, got: {done.stderr[-800:]}")
    return json.loads(done.stdout)


class Worker:
    """A process of a module that answers a line each: see `worker.answers`. Its toolect is that of `source`."""

    def __init__(self, python: Path | str, source: Path | None, module: str, *words: str) -> None:
        pipe, env = subprocess.PIPE, around(*([source / "src"] if source else []))
        self._process = subprocess.Popen(
            [str(python), "-m", module, *words], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env, cwd=ROOT,
            encoding="utf-8", errors="surrogatepass",
        )  # fmt: skip

    @classmethod
    def of_reader(cls, name: str, python: Path | str, source: Path | None = None) -> Self:
        """One that reads texts with a package."""
        return cls(python, source, "tools.peers.worker", f"{name.replace('-', '_')}_reader")

    def ask(self, **question: Any) -> dict[str, Any]:
        """The answer to a question; one with `error` when the package raised or its process ended."""
        process = self._process
        assert process.stdin and process.stdout
        if process.poll() is None:
            process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")  # two halves stay two
            process.stdin.flush()
            if line := process.stdout.readline():
                found: dict[str, Any] = json.loads(line)
                return found
        return {"error": "its process ended"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
