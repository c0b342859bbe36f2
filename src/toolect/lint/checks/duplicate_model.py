"""Finds model patterns that two dialects of one file have.

## Why is this bad?

Every model that matches could be either. Case makes no difference to a model id.

## Example

```yaml
harbour-v1: {extends: other-model, models: ["harbour/*"]}
harbour-v2: {extends: other-model, models: ["Harbour/*"]}
```

## Use instead

Patterns that say more; the one that fixes most characters of an id wins.

```yaml
harbour-v1: {extends: other-model, models: ["harbour/*"]}
harbour-v2: {extends: other-model, models: ["harbour/*-v2"]}
```
"""
