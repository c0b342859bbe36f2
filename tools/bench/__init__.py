"""Benchmarks: the speed of reading, of chats and of data sets, and the memory that they take."""
