"""The version, apart from the package so that the cache can have it without the rest."""

__version__ = "0.1.0"
