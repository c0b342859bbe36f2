"""What the linter runs, one check a file; see `toolect.authoring.lint.catalogue`."""
