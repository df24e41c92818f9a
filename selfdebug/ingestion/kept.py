"""Memory with a limit: the beginning and the end of something long."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Kept:
    """Lines up to a limit of characters: the beginning, and as much again of the end."""

    limit: int
    size: int = 0
    _head: list[str] = field(default_factory=list)
    _tail: deque[str] = field(default_factory=deque)

    def add(self, line: str) -> None:
        """Keep a line; beyond the limit the oldest of the second half gives way."""
        self.size += len(line) + 1
        if not self._tail and self.size <= self.limit // 2:
            self._head.append(line)
            return
        self._tail.append(line)
        while self.size > self.limit and self._tail:
            self.size -= len(self._tail.popleft()) + 1

    def lines(self) -> list[str]:
        """All that was kept, in order."""
        return [*self._head, *self._tail]
