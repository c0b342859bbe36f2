r"""Finds entries that extend an entry which extends another one.

## Why is this bad?

To know what such an entry says one would have to read three. One level is enough to share what is alike.

## Example

```yaml
harbour-v1: {extends: other-model, end: ["<eot>"]}
harbour-v2: {extends: harbour-v1, gaps: {before call: "\n"}}
```

## Use instead

```yaml
harbour-v1: {extends: other-model, end: ["<eot>"]}
harbour-v2: {extends: other-model, end: ["<eot>"], gaps: {before call: "\n"}}
```
"""
