"""Tells that a check could not finish, because of a mistake in toolect itself.

## Why is this bad?

What the check would have found is not known. The other checks have run.

## Example

A check that divides by the number of rules, and a grammar whose rules are all imported.

## Use instead

Report it, with the spec. Until it is mended: `# toolect: allow failed-check reason`.
"""
