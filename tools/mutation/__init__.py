"""Shipped specs broken in many ways, to see how many of the broken ones lint finds."""
