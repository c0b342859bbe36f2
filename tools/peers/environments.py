"""The packages to compare with, an environment for each, and the process that answers for it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".peers"


class Peer(msgspec.Struct, forbid_unknown_fields=True):
    """A package to compare with: its requirement, what else it needs, and its names of the dialects it reads."""

    package: str
    formats: dict[str, str]
    requires: list[str] = []
    bare: bool = False
    """Whether the package is installed without what it asks for."""
    besides: list[str] = []
    """Further packages that are installed so."""
    waits: bool = False


def peers() -> dict[str, Peer]:
    """The packages of `peers.yaml`."""
    return msgspec.yaml.decode((HERE / "peers.yaml").read_bytes(), type=dict[str, Peer])


def environment(name: str, peer: Peer) -> Path:
    """The interpreter of a package's environment, made if it is not there or not for these requirements."""
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    done, wanted = folder / "done", "\n".join([peer.package, *peer.requires, *peer.besides])
    if done.is_file() and done.read_text() == wanted:
        return python
    print(f"making the environment of {name} ({peer.package})", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    install = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if peer.requires:
        subprocess.run([*install, *peer.requires], check=True)
    subprocess.run([*install, *(["--no-deps"] if peer.bare else []), peer.package], check=True)
    if peer.besides:
        subprocess.run([*install, "--no-deps", *peer.besides], check=True)
    done.write_text(wanted)
    return python


def compiled_wheel() -> Path:
    """The interpreter of an environment with the wheel in dist/compiled; another wheel makes it anew."""
    wheels = sorted((HERE.parents[1] / "dist" / "compiled").glob("*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"expected one wheel in dist/compiled, got {len(wheels)}: `make compiled` builds it")
    digest = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    return environment("toolect-compiled", Peer(f"toolect @ {wheels[0].as_uri()}#sha256={digest}", {}))


class Worker:
    """A package's process, which answers one question after the other."""

    def __init__(self, name: str, python: Path | str) -> None:
        module = f"{name.replace('-', '_')}_reader"
        command = [str(python), str(HERE / "worker.py"), module]
        around = {
            name: value
            for name, value in os.environ.items()
            if python == sys.executable or not name.startswith("PYTHON")
        }
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=around
        )

    def ask(self, **question: Any) -> dict[str, Any]:
        """The answer to a question; one with `error` when the package raised or its process ended."""
        process = self._process
        assert process.stdin and process.stdout
        if process.poll() is None:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            if line := process.stdout.readline():
                found: dict[str, Any] = json.loads(line)
                return found
        return {"error": "its process ended"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
