"""Finds grammar files that Lark cannot read.

## Why is this bad?

Without a grammar there is no dialect.

## Example

```lark
start: (content | call*
```

## Use instead

```lark
start: (content | call)*
```
"""
