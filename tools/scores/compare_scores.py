"""Holds scores beside the checker of BFCL: `python -m tools.scores.compare_scores [--seeds N] [--dialects NAME…]`.

Asked of both: the truth of each case, answers altered in name, key, value, type, number and order, the truth of
conversations and the same altered, and the truth written in dialects and read back. `bfcl-eval` is in an environment of
its own, its data included, without the models' clients that it asks for.
"""

from __future__ import annotations

import sys

from tools.peers.environments import run

if __name__ == "__main__":
    sys.exit(run("bfcl-eval", "tools.scores.beside_bfcl", *sys.argv[1:]).returncode)
