"""Run the benchmarks, all or those that are named: ``make bench``, ``python -m benchmarks run``."""

from __future__ import annotations

import sys
from importlib import import_module

EVERY = ("diagnose", "propose", "run", "logs", "warm", "throughput", "misbehave", "agreement")

for name in sys.argv[1:] or EVERY:
    print(f"\n== {name}", flush=True)
    import_module(f"benchmarks.{name}").main()
