"""Finds names that lead to two dialects of one file.

## Why is this bad?

A name may mean one dialect only. Case makes no difference to a name, nor whether it has `-` or `_`.

## Example

```yaml
harbour-v1: {extends: other-model, aliases: ["harbour"]}
harbour-v2: {extends: other-model, aliases: ["Harbour"]}
```

## Use instead

```yaml
harbour-v1: {extends: other-model, aliases: ["harbour-1"]}
harbour-v2: {extends: other-model, aliases: ["harbour"]}
```
"""
