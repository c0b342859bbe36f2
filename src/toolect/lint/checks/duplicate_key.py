"""Finds keys that come twice in one mapping of a YAML file.

## Why is this bad?

Most YAML readers keep the last of the two and say nothing. Here neither is taken for granted.

## Example

```yaml
my-model:
  map: {content: content, think: reasoning, content: reasoning}
```

## Use instead

```yaml
my-model:
  map: {content: content, think: reasoning}
```
"""
