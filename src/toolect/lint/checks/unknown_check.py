"""Finds comments that allow a check which does not exist.

## Why is this bad?

The comment does nothing, most likely because of a slip in the name.

## Example

```yaml
# toolect: allow missing-corpora the model is not public yet
```

## Use instead

The name as `toolect lint --explain all` lists it.

```yaml
# toolect: allow missing-corpus the model is not public yet
```
"""
