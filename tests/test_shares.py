"""Shares of what a law is held against."""

from __future__ import annotations

import pytest
import shares


def test_a_share_is_drawn_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many at most, in order and each once, other ones by another seed; all of them with `--all`."""
    things = range(100)
    monkeypatch.setattr(shares, "everything", False)
    one, other = (shares.share(things, 9, seed) for seed in ("one", "other"))
    assert len({*one}) == 9 and one == sorted(one) and one != other
    assert shares.share(things, 9, "one") == one
    assert shares.share(things[:9], 9, "one") == [*range(9)]
    monkeypatch.setattr(shares, "everything", True)
    assert shares.share(things, 9, "one") == [*things]
