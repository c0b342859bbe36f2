"""Holds scores beside the checker of BFCL: `python -m tools.scores.compare_scores [--seeds N] [--dialects NAME…]`.

Asked of both: the truth of each case, answers altered in name, key, value, type, number and order, the truth of
conversations and the same altered, and the truth written in dialects and read back. `bfcl-eval` is in an environment of
its own, its data included, without the models' clients that it asks for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.peers.environments import Peer, environment

ROOT = Path(__file__).resolve().parents[2]
BFCL = Peer(
    "bfcl-eval==2026.3.23", {}, bare=True,
    requires=["mpmath==1.3.0", "lark>=1.2,<2", "pyyaml", "msgspec", "click", "rich", "json-repair>=0.64"],
)  # fmt: skip


def main() -> None:
    """Ask where `bfcl-eval` is installed."""
    around = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    command = [str(environment("bfcl-eval", BFCL)), "-m", "tools.scores.beside_bfcl", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env=around, cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
