"""Shows toolect at work on the model outputs in `examples/`; fails if anything ends otherwise than announced."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLECT = Path(sys.executable).parent / "toolect"
NEXT = """
  . .venv/bin/activate            # toolect is installed here
  toolect detect answer.txt       # which dialect it is in, and why
  toolect parse answer.txt        # what it says
  toolect list qwen               # the dialect of a model
  toolect completion --install    # commands and dialects, completed by your shell

docs/guide/python.md is the same in Python, docs/guide/agents.md runs the calls,
docs/guide/tutorial.md declares a dialect."""
PAUSE = 0.02  # seconds between the pieces of a streamed answer


def say(text: str) -> None:
    """Prints what comes next."""
    print(f"\n# {text}", flush=True)


def run(command: str, status: int = 0, feed: str | None = None) -> None:
    """Runs one command as it is printed; with `feed`, that file arrives piece by piece."""
    print(f"\n$ {f'slowly {feed} | ' if feed else ''}toolect {command}", flush=True)
    words = [str(TOOLECT), *(word.replace("\\n", "\n") for word in shlex.split(command))]
    if feed is None:
        got = subprocess.run(words, cwd=ROOT, check=False).returncode
    else:
        with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE) as process:
            assert process.stdin is not None
            text = (ROOT / feed).read_bytes()
            for at in range(0, len(text), 8):
                process.stdin.write(text[at : at + 8])
                process.stdin.flush()
                time.sleep(PAUSE)
            process.stdin.close()
            got = process.wait()
    print(f"\n(exit {got})", flush=True)
    if got != status:
        sys.exit(f"demo: expected exit {status}, got {got}: toolect {command}")


def main() -> None:
    """The tour."""
    say("What four models wrote, read by four specs.")
    run("parse examples/hermes.txt --from hermes --tools examples/tools.json --format text")
    tools = "--tools examples/tools.json"
    run(rf"parse examples/qwen3-coder.txt --from qwen3-coder {tools} --prefix '<think>\n' --format text")
    run("parse examples/kimi-k2.txt --from kimi-k2 --format openai")
    run("parse examples/harmony.txt --from harmony --format json")
    say("The same while it arrives.")
    run("parse --from hermes --stream --chunk 4 --format text", feed="examples/hermes.txt")
    say("One answer, rewritten in three other dialects.")
    for target in ("kimi-k2", "qwen3-coder", "mistral-v13"):
        run(f"convert examples/hermes.txt --from hermes --to {target}")
    say("An answer that was cut off: what arrived is kept and labelled, and is not to be run.")
    run("parse examples/truncated.hermes.txt --from hermes --format text", status=1)
    say("An attempt that cannot be read is reported, and the rest of the answer still counts.")
    run("parse examples/malformed.hermes.txt --from hermes --format text", status=1)
    say("Nobody said which dialect this is: what speaks for the likeliest, and what else it may be.")
    run("detect examples/kimi-k2.txt --limit 1")
    run("detect examples/hermes.txt --limit 2")
    run("detect --model Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8")
    say("One answer in two dialects: each call is read by the one that fits, whole or while it arrives.")
    run("parse examples/mixed.txt --format text")
    run("parse --stream --chunk 4 --format text", feed="examples/mixed.txt")
    say("The same in one dialect.")
    run("convert examples/mixed.txt --to kimi-k2")
    say("Now yours: save what a model wrote, and let its dialect be found.")
    print(NEXT)


if __name__ == "__main__":
    main()
