"""Outcome to JSON, terminal, diff and Markdown."""
