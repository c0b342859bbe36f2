"""Finds grammars that stock Lark refuses to build.

## Why is this bad?

A grammar is worth more if other tools can use it too. What Lark refuses is most often a mistake: a terminal that
matches nothing, a rule that can be read in two ways with no text between them.

## Example

```lark
call: "<call>" NAME? JSON "</call>"
NAME: /[a-z]*/
```

## Use instead

```lark
call: "<call>" NAME? JSON "</call>"
NAME: /[a-z]+/
```
"""
