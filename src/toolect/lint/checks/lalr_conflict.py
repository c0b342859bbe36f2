"""Finds grammars in which one text has two readings, or for which one sign of look-ahead does not tell them apart.

Stock Lark reports such a conflict when it builds its tables. What is added here is a short text, and its two trees,
where there is one.

## Why is this bad?

The engine follows all readings until one is left. Where two of them last to the end, the order of the alternatives
decides what the message says; and another tool that loads the grammar may choose the other one, or refuse it.

## Example

```lark
start: (content | call)*
content: words | say
words: "<say>" TEXT
say: "<say>" TEXT
call: "<call>" JSON "</call>"
```

## Use instead

```lark
start: (content | call)*
content: "<say>" TEXT
call: "<call>" JSON "</call>"
```
"""
