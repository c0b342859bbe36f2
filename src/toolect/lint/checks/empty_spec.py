"""Finds spec files in which no dialect is declared.

## Why is this bad?

A file that was emptied by accident would load without a word, and each look-up would fail later.

## Example

```yaml
# my-model: to be written
```

## Use instead

```yaml
my-model:
  extends: other-model
```
"""
