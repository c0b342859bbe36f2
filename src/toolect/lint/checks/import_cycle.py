"""Finds grammars that import themselves, by whatever detour.

## Why is this bad?

Reading them would have no end.

## Example

`grammars/a.lark` says `%import .b (call)`, and `grammars/b.lark` says `%import .a (content)`.

## Use instead

What both need in a third grammar, which both import.
"""
