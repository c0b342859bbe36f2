"""Shares of the tests, and of what a law is held against."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import shares


def test_a_share_rotates_with_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many at most, in order and each once; over as many seeds as there are parts, each thing; all with `--all`."""
    things = range(100)
    monkeypatch.setattr(shares, "everything", False)
    taken = []
    for seed in range(12):
        monkeypatch.setattr(shares, "seed", seed)
        one, other = (shares.share(things, 9, name) for name in ("one", "other"))
        assert len({*one}) <= 9 and one == sorted(one) and one != other
        taken += one
    assert sorted(taken) == [*things]
    assert shares.share(things[:9], 9, "one") == [*range(9)]
    monkeypatch.setattr(shares, "everything", True)
    assert shares.share(things, 9, "one") == [*things]


def test_over_ten_seeds_every_test_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in as many seeds as its file has parts; what is in no table always."""
    made = [("test_floods.py", "test_a", n) for n in range(99)] + [("test_laws.py", "test_b", n) for n in range(99)]
    made += [(file, f"test_{n}", None) for file in ("test_new_chat.py", "test_cli.py") for n in range(13)]
    items = [
        SimpleNamespace(path=Path(file), originalname=name, name=name, **({} if n is None else {"callspec": n}))
        for file, name, n in made
    ]
    taken: dict[int, int] = {}
    for seed in range(1271, 1281):
        monkeypatch.setattr(shares, "seed", seed)
        kept = shares.drawn(items)  # type: ignore[arg-type]
        assert 45 < len(kept) < 55
        for item in kept:
            taken[id(item)] = taken.get(id(item), 0) + 1
    assert len(taken) == len(items) and {taken[id(item)] for item in items[-13:]} == {10}
    assert {taken[id(item)] for item in items[:99]} == {1} and max(shares.PARTS.values()) <= 10


def test_a_part_of_all_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten parts of all tests are all tests."""
    items = [SimpleNamespace(path=Path("test_cli.py"), originalname="t", name="t", callspec=n) for n in range(57)]
    parts = []
    for seed in range(10):
        monkeypatch.setattr(shares, "seed", seed)
        parts += shares.drawn(items, 10)  # type: ignore[arg-type]
    assert sorted(item.callspec for item in parts) == [*range(57)]
