"""Outside world to Failure: pytest logs, plain tracebacks, and the records of our own pytest plugin."""
