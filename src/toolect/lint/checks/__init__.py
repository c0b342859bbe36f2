"""What the linter looks for, one check a file; see `toolect.lint.catalogue`."""
