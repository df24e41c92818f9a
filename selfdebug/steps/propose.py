"""Which candidates answer a failure, and why there are none."""

from __future__ import annotations

from dataclasses import dataclass, field

from selfdebug.model import Failure, ProbeRecord, Site, Span
from selfdebug.planning.propose import Plan, propose
from selfdebug.planning.search import State
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.syntax.source import Unreadable
from selfdebug.validation.overlay import OverlayUnusable


@dataclass
class Proposals:
    """Plans for failures, and what came to light in making them.

    ``probes`` is what probes logged that told bad values apart. ``too_weak`` says whether candidates
    were left out that are weaker than the user requires; ``unparsable`` and ``misses`` say why there
    was no place to edit.
    """

    context: Context
    seen: Observation
    probes: list[ProbeRecord] = field(default_factory=list)
    too_weak: bool = False
    unparsable: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def plan(self, failure: Failure, state: State) -> Plan:
        """Return the candidates for a failure in a state of the project."""
        settings = self.context.settings
        found = self.seen.localized(failure, state.contents)
        sites = self._told_apart(found.sites, failure, state) if found.sites else ()
        project = self.seen.project.changed(state.contents)
        places = (*sites, *found.outer, *found.in_tests)
        every = propose(places, self.context.codemods, project, (failure.test,))
        for each in every.broken:
            self.context.note(each)
        plan = every.at_least(settings.require)
        self.too_weak |= len(plan.candidates) < len(every.candidates)
        if plan.candidates:
            return plan
        if plan.unreadable:
            self.unparsable.append(plan.unreadable)
        if not found.sites:
            (self.unparsable if found.reason == "unparsable" else self.misses).append(found.why)
        return plan

    def _told_apart(
        self, sites: tuple[Site, ...], failure: Failure, state: State
    ) -> tuple[Site, ...]:
        """Where several values may have been the bad one, let probes tell which; it comes first."""
        first = sites[0]
        unclear = not first.certain and len({site.bad for site in sites}) > 1
        if not unclear or not self.context.settings.probe or first.file in state.contents:
            return sites
        from selfdebug.steps.probe import probe

        try:
            probed = probe(self.context, {first.file: {first.span.line}}, {failure.test})
        except (Unreadable, OverlayUnusable):
            return sites
        self.probes.extend(probed.records)
        last: dict[Span, str] = {
            seen.span: seen.value.type for record in probed.records for seen in record.values
        }
        bad = tuple(site for site in sites if site.bad and last.get(site.bad) == "NoneType")
        return (*bad, *(site for site in sites if site not in bad))
