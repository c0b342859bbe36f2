"""Finds a spec file that is not there, or that may not be read.

## Why is this bad?

There is nothing to load.

## Example

`toolect lint my-dialect.yaml`, in a folder whose file is called `my-dialects.yaml`.

## Use instead

The path as it is, seen from the folder in which toolect runs.
"""
