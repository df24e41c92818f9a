"""Failure to Site: the project's frame, the exact syntax node, and where the bad value was born."""
