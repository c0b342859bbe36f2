"""Finds fields that an entry, or a mapping in it, does not have.

## Why is this bad?

A field that is ignored is most likely a slip in its name, and what it says does not happen.

## Example

```yaml
my-model:
  model: ["harbour/*"]
```

## Use instead

```yaml
my-model:
  models: ["harbour/*"]
```
"""
