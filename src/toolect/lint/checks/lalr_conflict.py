"""Finds places at which an LALR(1) parser cannot tell by the next terminal how to go on.

## Why is this bad?

The engine follows all readings until one is left, so nothing is lost here. Other tools that load the grammar guess, and
where two readings last to the end the message depends on their order.

## Example

```lark
start: thought | content
thought: TEXT
content: TEXT
```

## Use instead

Something that differs where the readings part.

```lark
start: "<think>" thought | content
thought: TEXT
content: TEXT
```
"""
