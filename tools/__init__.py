"""Commands for maintainers, each run as `python -m tools.…` from the root of the repository; README.md lists them."""
