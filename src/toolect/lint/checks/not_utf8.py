"""Finds YAML and grammar files that are not encoded in UTF-8.

## Why is this bad?

Markers are compared character by character. A file in another encoding would have others than the model writes.

## Example

A YAML file that an editor saved as Latin-1, with an `ï` in it.

## Use instead

The same file, saved as UTF-8.
"""
