"""Finds comments that allow something and do not say why.

## Why is this bad?

Whoever reads the comment later can neither judge it nor delete it.

## Example

```yaml
my-model:  # toolect: allow missing-corpus
```

## Use instead

```yaml
my-model:  # toolect: allow missing-corpus the model is not public yet
```
"""
