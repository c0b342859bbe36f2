"""Data sets on a cluster of Ray: the same bytes as one process writes, also where a process of the cluster dies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from row_samples import conversation

from toolect._data.converting import Settings
from toolect._data.job import Job, run
from toolect._data.on_ray import Converter, on_ray
from toolect.data import Convert, target_of

ray = pytest.importorskip("ray", reason="expected ray, got none: the extra `ray` has it")
pytestmark = pytest.mark.filterwarnings("ignore")  # its warnings are its own
DIED = "TOOLECT_TEST_DIED"


class Mortal(Converter):
    """A converter whose process dies once, in the middle."""

    def __call__(self, batch: Any) -> Any:
        died = Path(os.environ[DIED])
        done = super().__call__(batch)
        with died.open("a") as file:
            file.write("x")
        if died.stat().st_size == 5:
            os._exit(1)
        return done


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some rows; the last line is cut off."""
    random = Random(9)
    path = tmp_path_factory.mktemp("corpus") / "in.jsonl"
    rows = [json.dumps({"id": number, **conversation(random).to_openai()}) for number in range(150)]
    path.write_text("\n".join([*rows, rows[3], '{"messages": [']))
    return path


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_cluster_writes_the_same(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies has its unit done again: nothing is lost, and nothing is there twice."""
    died = tmp_path / "died"
    monkeypatch.setenv(DIED, str(died))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20,
             runtime_env={"env_vars": {DIED: str(died), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}})  # fmt: skip
    try:
        settings = Settings(target_of("qwen3"), distinct=True)
        jobs = [Job((str(corpus),), str(tmp_path / name), settings, unit=8_000) for name in ("one", "many")]
        one = run(jobs[0], 1)
        many = run(jobs[1], 2, runner=on_ray(converter=Mortal))
        assert files(tmp_path / "one") == files(tmp_path / "many")
        assert one.fates == many.fates and one.fates["duplicate"] == 1
        assert died.stat().st_size >= 5
        rows = [{"messages": [{"role": "user", "content": str(n)}], "id": n} for n in range(20)]
        made = ray.data.from_items(rows).map_batches(
            Convert(target_of("qwen3", table=True)).batch, batch_format="numpy"
        )
        assert sorted(row["id"] for row in made.take_all()) == [*range(20)]
    finally:
        ray.shutdown()
