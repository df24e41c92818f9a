"""Edits on disk: lock, backups, journal, git snapshot, atomic writes, recovery."""
