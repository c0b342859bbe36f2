"""Benchmarks: the speed of reading and of data sets, and the memory that they take."""
