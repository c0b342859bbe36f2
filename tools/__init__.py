"""What a maintainer runs, each command as `python -m tools.…` from the root of the repository; README.md lists them."""
