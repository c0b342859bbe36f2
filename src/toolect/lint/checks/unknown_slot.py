"""Finds declared terminals that are no slot.

## Why is this bad?

`%declare` tells Lark that somebody else finds the text of a terminal. Here that is the engine, and it knows a fixed set
of slots.

## Example

```lark
content: CONTENT
%declare CONTENT
```

## Use instead

`TEXT` for free text, `JSON` for a value, or a regular expression of one's own.

```lark
content: TEXT
%declare TEXT
```
"""
