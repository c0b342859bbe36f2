"""The walk over a grammar that writes a message: `message` its segments, `call` one call, `values` one value."""
