"""How much of damaged text is read as what it meant."""
