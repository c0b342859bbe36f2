"""Finds rules that are defined twice, in one file or by an import.

## Why is this bad?

Only one of them can count.

## Example

```lark
call: "<call>" JSON "</call>"
call: "<tool>" JSON "</tool>"
```

## Use instead

Rules with names of their own, which may have the same role, or alternatives of one rule.

```lark
call: "<call>" JSON "</call>"
tool: "<tool>" JSON "</tool>"
```
"""
