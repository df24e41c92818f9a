"""The JSON that ``--json`` prints: one object, as ``schema.json`` beside this file describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from selfdebug import __version__
from selfdebug.model import (
    Alternative,
    Candidate,
    Explanation,
    Healing,
    OriginStep,
    Outcome,
    Patch,
    Recovery,
    Site,
    Span,
    Traceback,
)
from selfdebug.reporting import probes
from selfdebug.reporting.diff import text
from selfdebug.reporting.text import clean, relative

SCHEMA_VERSION = 1


def summary(healing: Healing) -> dict[str, Any]:
    """Return the report of ``run``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "exit_code": healing.exit_code,
        "attempts": healing.attempts,
        "files_patched": list(healing.files_patched),
        "rollback": healing.rollback,
        "final_status": healing.final_status,
        "tracebacks": [_entry(traceback) for traceback in healing.tracebacks],
        "message": clean(healing.message),
        "run_id": healing.run_id,
        "root": str(healing.root),
        "dry_run": healing.dry_run,
        "sandbox": healing.sandbox,
        "diff": text(healing.diff),
        "patches": [_patch(patch, healing.root) for patch in healing.patches],
        "alternatives": [_alternative(other, healing.root) for other in healing.alternatives],
        "siblings": [_candidate(other, healing.root) for other in healing.siblings],
        "suspects": [_suspect(site, healing.root) for site in healing.suspects],
        "tried": healing.tried,
        "branches": [asdict(each) for each in healing.branches],
        "small_edits": healing.small_edits,
        "pruned": healing.pruned,
        "search_end": healing.search_end,
        "rejected": [
            {**_candidate(ruling.candidate, healing.root), "reason": clean(ruling.why)}
            for ruling in healing.rejected
        ],
        "tests": _tests(healing.before, healing.after),
        "timings": {name: round(seconds, 4) for name, seconds in healing.timings.items()},
        "tool": {"selfdebug": __version__, **healing.versions},
        "recovery": _recovery(healing.recovery),
        "probes": [probes.as_json(record, healing.root) for record in healing.probes],
        "notes": [clean(note) for note in healing.notes],
    }


def diagnosis(found: Explanation) -> dict[str, Any]:
    """Return the report of ``diagnose``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "exit_code": found.exit_code,
        "message": clean(found.message),
        "root": str(found.root),
        "sandbox": found.sandbox,
        "tracebacks": [_entry(traceback) for traceback in found.tracebacks],
        "sites": [
            {**_site(site, found.root), "codemods": list(names)} for site, names in found.sites
        ],
        "siblings": [_place(site, found.root) for site in found.siblings],
        "suspects": [_suspect(site, found.root) for site in found.suspects],
    }


def dumps(report: Mapping[str, Any]) -> str:
    """Return a report as JSON that any encoding of standard output can carry."""
    return json.dumps(report, indent=2)


def _entry(traceback: Traceback) -> dict[str, Any]:
    return {
        name: clean(value) if isinstance(value, str) else value
        for name, value in asdict(traceback).items()
    }


def _span(span: Span) -> dict[str, int]:
    return {
        "line": span.line,
        "column": span.column + 1,
        "end_line": span.end_line,
        "end_column": span.end_column + 1,
    }


def _site(site: Site, root: Path) -> dict[str, Any]:
    return {
        "file": relative(site.file, root),
        **_span(site.span),
        "node": site.node,
        "code": clean(site.code),
        "function": site.function,
        "exc_type": clean(site.exc_type),
        "msg": clean(site.message),
        "bad": site.bad and {**_span(site.bad), "code": clean(site.bad_code or "")},
        "certain": site.certain,
        "origin": [_step(step, root) for step in site.origin],
    }


def _place(site: Site, root: Path) -> dict[str, Any]:
    return {"file": relative(site.file, root), **_span(site.span), "code": clean(site.code)}


def _suspect(site: Site, root: Path) -> dict[str, Any]:
    return _place(site, root) | {
        "function": site.function,
        "suspicion": round(site.suspicion, 4),
        "why": clean(site.why) or None,
    }


def _step(step: OriginStep, root: Path) -> dict[str, Any]:
    return {
        "file": relative(step.file, root),
        "line": step.line,
        "what": clean(step.what),
        "code": clean(step.code),
    }


def _candidate(candidate: Candidate, root: Path) -> dict[str, Any]:
    site = candidate.site
    return {
        "codemod": candidate.codemod,
        "variant": candidate.variant,
        "kind": candidate.kind,
        "branch": candidate.branch,
        "file": relative(site.file, root),
        "span": _span(site.span),
        "why": clean(candidate.why),
        "evidence": {
            "exc_type": clean(site.exc_type),
            "msg": clean(site.message),
            "bad": clean(site.bad_code) if site.bad_code else None,
            "origin": [_step(step, root) for step in site.origin],
        },
    }


def _patch(patch: Patch, root: Path) -> dict[str, Any]:
    return {
        **_candidate(patch.candidate, root),
        "confidence": patch.confidence,
        "doubts": [clean(doubt) for doubt in patch.doubts],
    }


def _alternative(other: Alternative, root: Path) -> dict[str, Any]:
    differs = other.differs and {
        name: clean(value) for name, value in asdict(other.differs).items()
    }
    return {
        **_candidate(other.candidate, root),
        "differs": differs,
        "compared": other.compared,
        "becomes": clean(other.becomes),
    }


def _tests(before: Mapping[str, Outcome], after: Mapping[str, Outcome]) -> dict[str, Any]:
    changed = [
        {"test": test, "before": before[test], "after": after[test]}
        for test in sorted(before.keys() & after.keys())
        if before[test] != after[test]
    ]
    return {"before": _counts(before), "after": _counts(after), "changed": changed}


def _counts(outcomes: Mapping[str, Outcome]) -> dict[str, int]:
    found = list(outcomes.values())
    return {
        "passed": found.count("passed"),
        "failed": found.count("failed"),
        "errors": found.count("error"),
    }


def _recovery(recovery: Recovery) -> dict[str, Any]:
    return {
        "backups": [str(path) for path in recovery.backups],
        "ref": recovery.ref,
        "command": recovery.command,
        "conflicts": list(recovery.conflicts),
        "stashes": list(recovery.stashes),
    }
