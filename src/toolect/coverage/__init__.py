"""What dialects can carry, and what they are seen to carry."""
