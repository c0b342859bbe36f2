"""Finds `extends` with the name of an entry that there is not.

## Why is this bad?

There is nothing to inherit, so the dialect does not load. An entry cannot extend itself either, unless one of that name
comes with toolect.

## Example

```yaml
my-model:
  extends: other-modle
```

## Use instead

The name of an entry of the same file, or of a dialect that comes with toolect; aliases do not count.

```yaml
my-model:
  extends: other-model
```
"""
