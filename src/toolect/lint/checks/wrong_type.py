"""Finds a list where a mapping is expected, nothing where a text is, and the like.

## Why is this bad?

The field cannot be read, and the dialect does not load.

## Example

```yaml
my-model:
  models: harbour/*
```

## Use instead

```yaml
my-model:
  models: ["harbour/*"]
```
"""
