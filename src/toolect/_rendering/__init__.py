"""The walk over a grammar that writes a message: `message` its segments, `call` one call, `values` one value.

Others import `call`, `differences`, `ids`, `message_writer`, `roundtrip`; all else is its own.
"""
