"""One module a package: its reader behind the methods that `worker.py` names. They run in other environments."""
