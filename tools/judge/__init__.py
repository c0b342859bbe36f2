"""The judge of readers: texts whose meaning no reader says, read by this checkout and by an earlier one."""
