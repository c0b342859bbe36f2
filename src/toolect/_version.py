"""The version, apart from the package so that the cache can have it without the rest."""

__version__ = "0.2.0"


def build() -> str:
    """Build of this version that runs: `pure Python` or `compiled`."""
    from importlib.util import find_spec  # few need it

    reader = find_spec("toolect._search.answer_search")
    return "pure Python" if reader is None or (reader.origin or "").endswith(".py") else "compiled"
