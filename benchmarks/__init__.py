"""What ``make bench`` and ``make run`` run."""
