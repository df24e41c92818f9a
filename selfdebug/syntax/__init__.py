"""Source text as bytes, and the small region of it that libcst has to parse."""
