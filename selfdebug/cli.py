"""The click commands: parse, call, print, exit."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import click

from selfdebug import __version__

if TYPE_CHECKING:
    from selfdebug.model import Healing
    from selfdebug.settings import Settings
    from selfdebug.validation.prepare import Prepared

FORMATS = ("text", "markdown")
_FATAL = (1, 2, 4)


class PassesOn(click.Command):
    """A command that leaves everything after ``--`` to pytest, and has much to import."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split at the first ``--``; click would take what follows for arguments of its own."""
        if "--" in args:
            cut = args.index("--")
            ctx.meta["pytest_args"] = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Find the half of what is to be imported compiled."""
        from selfdebug.workspace import compiled, state

        with compiled.kept(state.plugins(ctx.params["root"])):
            return super().invoke(ctx)


def _options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


class Commands(click.Group):
    """The commands, which keep the promise of ``--json`` where the usage is wrong, too."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        """Run a command and exit."""
        given = [*(sys.argv[1:] if args is None else args)]
        own = given[: given.index("--")] if "--" in given else given
        # What a command imports stays to its end, and goes with the process: no search for garbage.
        gc.disable()
        atexit.register(gc.freeze)
        try:
            sys.exit(super().main(given, **{**extra, "standalone_mode": False}) or 0)
        except click.ClickException as error:
            error.show()
            if "--json" in own:
                click.echo(_failure(own[0], error.exit_code, error.format_message()))
            sys.exit(error.exit_code)
        except click.Abort:
            sys.exit(130)
        finally:
            gc.enable()


def _failure(command: str, exit_code: int, message: str) -> str:
    """Return the report of a command that could not begin."""
    from selfdebug.model import Explanation, Healing
    from selfdebug.reporting import summary

    root = Path.cwd()
    if command == "diagnose":
        return summary.dumps(summary.diagnosis(Explanation(root, exit_code, message)))
    if command == "run":
        return summary.dumps(summary.summary(Healing("", root, exit_code, "error", message)))
    report = {"schema_version": summary.SCHEMA_VERSION, "exit_code": exit_code, "message": message}
    return summary.dumps({**report, "probes": []})


_path = partial(click.Path, path_type=Path)
_root = click.option(
    "--root",
    type=_path(file_okay=False, exists=True),
    default=".",
    help="The project; default: here.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON object.")
_log = click.argument("traceback", required=False, type=click.File("rb"))
_codemods = _options(
    click.option("--select", multiple=True, metavar="CODEMOD", help="Use only this codemod."),
    click.option("--ignore", multiple=True, metavar="CODEMOD", help="Leave this codemod out."),
)
_tests = _options(
    click.option(
        "--timeout", type=float, metavar="SECONDS", help="Limit of one test run; default 600."
    ),
    click.option(
        "--test-timeout",
        type=float,
        metavar="SECONDS",
        help="A test that takes longer, and 20 times as long as all before it, hangs; default 20.",
    ),
    click.option(
        "--python",
        type=_path(),
        metavar="PATH",
        help="Interpreter of the project; default: the one running selfdebug.",
    ),
    click.option(
        "--sandbox/--no-sandbox",
        default=None,
        help="Run the tests without a network, and let them write temporary files only (Linux).",
    ),
    click.option(
        "--node", "--module", "nodes", multiple=True, metavar="NODEID", help="The tests to heal."
    ),
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="selfdebug")
def main() -> None:
    """Heal a red pytest suite with a minimal, verified diff, or leave the tree as it was."""
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)


@main.command(cls=PassesOn)
@_log
@_root
@_tests
@_codemods
@click.option("--max-attempts", type=int, metavar="N", help="Patches to prove; default 4.")
@click.option("--max-candidates", type=int, metavar="N", help="Candidates to try; default 10000.")
@click.option(
    "--search-seconds", type=float, metavar="SECONDS", help="Limit of the search; default 60."
)
@click.option("--dry-run", is_flag=True, default=None, help="Write nothing; print a verified diff.")
@click.option("--backup-dir", type=_path(file_okay=False), help="Where byte backups go.")
@click.option(
    "--probe/--no-probe", default=None, help="Probe where the failure does not tell enough."
)
@click.option(
    "--siblings/--no-siblings",
    default=None,
    help="Make the same repair at the other places with the same pattern that a test executes.",
)
@click.option(
    "--require",
    metavar="KIND",
    help="Keep only repairs of this kind, or stronger: root-cause, guard, default.",
)
@click.option("--jobs", type=int, metavar="N", help="Candidates to try at a time.")
@click.option("--executor", metavar="dask://HOST:PORT", help="Try candidates on a dask cluster.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--diff", "diff", type=_path(dir_okay=False), help="Write the patch to this file.")
@click.option("-v", "--verbose", count=True, help="Show what was tried and why it was rejected.")
@click.option("-q", "--quiet", is_flag=True, help="Show the last line only.")
@_json
@click.pass_context
def run(
    ctx: click.Context,
    /,
    traceback: BinaryIO | None,
    form: str,
    diff: Path | None,
    verbose: int,
    quiet: bool,
    as_json: bool,
    **flags: Any,
) -> NoReturn:
    """Heal the tests that fail. Everything after -- goes to pytest.

    TRACEBACK is a captured pytest log, or - for standard input. Without it selfdebug runs pytest.
    """
    chosen = _settings(ctx, flags)
    _is_a_log(traceback)
    if diff is not None and not os.access(diff.absolute().parent, os.W_OK):
        raise click.UsageError(f"--diff {diff}: there is no such folder, or it is read-only")
    with _prepared(chosen, warmed=True) as tests:
        from selfdebug import loop
        from selfdebug.reporting import terminal

        with terminal.progress(quiet=quiet or as_json) as step:
            healing = loop.heal(chosen, tests, traceback, step)
    if diff is not None and healing.diff:
        try:
            diff.write_bytes(healing.diff)
        except OSError as error:
            click.echo(f"--diff {diff} cannot be written: {error.strerror}", err=True)
    kept = healing.final_status == "pass" and not healing.dry_run
    with _reporting(f"the patch stays: selfdebug show {healing.run_id}" if kept else ""):
        _print(healing, as_json, form, -1 if quiet else verbose)
    sys.exit(healing.exit_code)


@main.command(cls=PassesOn)
@_log
@_root
@_tests
@_codemods
@click.option(
    "--siblings/--no-siblings", default=None, help="List other places with the same pattern."
)
@_json
@click.pass_context
def diagnose(
    ctx: click.Context, /, traceback: BinaryIO | None, as_json: bool, **flags: Any
) -> NoReturn:
    """Explain the failures of a log, or of a run of pytest; edit nothing."""
    chosen = _settings(ctx, flags)
    _is_a_log(traceback)
    warmed = traceback is None  # of a log alone no test is run
    with _prepared(chosen, warmed) as tests:
        from selfdebug import loop
        from selfdebug.reporting import summary, terminal

        with terminal.progress(quiet=as_json) as step:
            found = loop.diagnose(chosen, tests, traceback, step)
    with _reporting():
        if as_json:
            click.echo(summary.dumps(summary.diagnosis(found)))
        else:
            terminal.explain(found)
    sys.exit(found.exit_code)


@main.command(cls=PassesOn)
@click.argument("places", nargs=-1, required=True, metavar="FILE:LINE...")
@_root
@_tests
@_json
@click.pass_context
def probe(ctx: click.Context, /, places: tuple[str, ...], as_json: bool, **flags: Any) -> NoReturn:
    """Log variables, sub-expressions and exceptions at lines of the project while its tests run.

    Everything after -- goes to pytest. No file of the project is written.
    """
    from selfdebug import loop
    from selfdebug.reporting import probes, summary, terminal
    from selfdebug.syntax.source import Unreadable
    from selfdebug.validation.cold import PytestMissing
    from selfdebug.validation.overlay import OverlayUnusable
    from selfdebug.validation.sandbox import SandboxMissing

    chosen = _settings(ctx, flags)
    lines = _places(places, chosen.root)
    with (
        terminal.progress(quiet=as_json) as step,
        _usage_errors(Unreadable, OSError),
        _environment_errors(PytestMissing, OverlayUnusable, SandboxMissing),
        _prepared(chosen, warmed=False) as tests,
    ):
        probed = loop.probe(chosen, tests, lines, step)
    code = 0 if probed.records else 2
    message = "" if probed.records else "no test executes these lines"
    if as_json:
        entries = [probes.as_json(record, chosen.root) for record in probed.records]
        report = {"schema_version": summary.SCHEMA_VERSION, "exit_code": code, "message": message}
        click.echo(summary.dumps({**report, "sandbox": tests.sandbox, "probes": entries}))
    else:
        for line in probes.lines(probed.records, chosen.root):
            click.echo(line)
    if message:
        click.echo(f"FATAL: {message}", err=True)
    sys.exit(code)


def _is_a_log(traceback: BinaryIO | None) -> None:
    name = getattr(traceback, "name", "")
    if isinstance(name, str) and name.endswith(".py"):
        raise click.UsageError(f"{name} is no log; to heal its tests: --node {name}")


def _places(places: tuple[str, ...], root: Path) -> dict[Path, set[int]]:
    lines: dict[Path, set[int]] = {}
    for place in places:
        name, _, line = place.rpartition(":")
        if not name or not line.isdecimal():
            raise click.UsageError(f"{place!r} is not FILE:LINE")
        file = (Path(name) if Path(name).exists() else root / name).resolve()
        if not file.is_relative_to(root):
            raise click.UsageError(f"{file} is outside the project {root}")
        lines.setdefault(file, set()).add(int(line))
    return lines


@main.command()
@click.argument("name", required=False)
@_json
def codemods(name: str | None, as_json: bool) -> None:
    """List the catalogue, or show one codemod with its failures, variants and examples."""
    from selfdebug.codemods import catalogue
    from selfdebug.planning.propose import UnknownCodemod, chosen
    from selfdebug.reporting import catalogue as pages
    from selfdebug.reporting import summary

    with _usage_errors(UnknownCodemod):
        found = chosen(() if name is None else (name,), (), catalogue())
    if as_json:
        click.echo(summary.dumps(pages.as_json(found)))
    elif name is None:
        click.echo(pages.listing(found), nl=False)
    else:
        click.echo(pages.page(found[0]), nl=False)


@main.command("init")
@_root
def init_(root: Path) -> None:
    """Write or merge .libcst.codemod.yaml and a [tool.selfdebug] stub where they are missing."""
    from selfdebug.init import CannotMerge, init

    with _usage_errors(CannotMerge, OSError):
        for file, done in init(root).items():
            click.echo(f"{file}: {done}")


@main.command()
@click.argument("run_id", metavar="[RUN]", required=False)
@_root
@_json
def show(run_id: str | None, root: Path, as_json: bool) -> None:
    """Show a past run's report and diff; the latest without RUN."""
    from selfdebug.reporting import summary, terminal
    from selfdebug.workspace import history

    with _environment_errors():
        record = history.load(root, run_id)
        state = history.told(record)
    report = dict(record.report or {})
    if as_json:
        click.echo(summary.dumps(report))
    else:
        terminal.show(record.run_id, state, report)


@main.command()
@click.argument("run_id", metavar="[RUN]", required=False)
@_root
def revert(run_id: str | None, root: Path) -> None:
    """Undo a kept patch; the latest without RUN. Files changed since are left alone."""
    from selfdebug.workspace.recovery import revert_kept

    with _environment_errors():
        done = revert_kept(root, run_id)
    for conflict in done.conflicts:
        click.echo(str(conflict), err=True)
    if done.conflicts:
        sys.exit(4)
    click.echo(f"run {done.run_id} is undone; `selfdebug revert {done.by}` would bring it back")


@main.command()
@_root
def recover(root: Path) -> None:
    """Finish what a killed run left: the tree is then exactly as before it, or as it kept it."""
    from selfdebug.workspace.recovery import recover as finish

    with _environment_errors():
        done = finish(root)
    for conflict in done.conflicts:
        click.echo(str(conflict), err=True)
    for path in done.restored:
        click.echo(f"restored {path}")
    if not done.runs:
        click.echo("nothing to recover")
    sys.exit(4 if done.conflicts else 0)


@contextmanager
def _environment_errors(*kinds: type[Exception]) -> Iterator[None]:
    """End with status 4 where the environment stops us, saying why."""
    from selfdebug.workspace.errors import WorkspaceError

    stops: tuple[type[Exception], ...] = (WorkspaceError, *kinds)
    try:
        yield
    except stops as error:
        click.echo(f"FATAL: {error}", err=True)
        sys.exit(4)


@contextmanager
def _reporting(kept: str = "") -> Iterator[None]:
    """Print a report. That nobody reads it, or it cannot be written, changes no verdict.

    ``kept`` says where to read on of what stays all the same.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # What is still in the buffer would fail once more at the exit, and decide its code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if kept or not isinstance(error, BrokenPipeError):
            why = f"the report cannot be written: {error.strerror}"
            with suppress(OSError):
                click.echo("; ".join(filter(None, (why, kept))), err=True)


def _print(healing: Healing, as_json: bool, form: str, verbosity: int) -> None:
    from selfdebug.reporting import markdown, summary, terminal
    from selfdebug.reporting.text import clean

    if healing.exit_code in _FATAL and verbosity >= 0:
        click.echo(f"FATAL: {clean(healing.message)}", err=True)
    if as_json:
        click.echo(summary.dumps(summary.summary(healing)))
    elif form == "markdown":
        click.echo(markdown.markdown(healing), nl=False)
    else:
        terminal.tell(healing, verbosity)


@contextmanager
def _prepared(chosen: Settings, warmed: bool) -> Iterator[Prepared]:
    """Let pytest start: of all that is to be imported, nothing that this does not need comes first."""
    from selfdebug.validation.prepare import prepared
    from selfdebug.workspace import state
    from selfdebug.workspace.scratch import scratch

    plugins = state.plugins(chosen.root)
    with scratch() as folder, prepared(chosen, folder, plugins=plugins, warmed=warmed) as tests:
        yield tests


def _settings(ctx: click.Context, flags: dict[str, Any]) -> Settings:
    from selfdebug import settings

    given = {name: value for name, value in flags.items() if value not in ((), None)}
    given |= {"pytest_args": ctx.meta["pytest_args"]} if "pytest_args" in ctx.meta else {}
    root = given.pop("root")
    with _usage_errors(settings.BadSettings):
        chosen = settings.load(root, given)
    if chosen.select or chosen.ignore:
        from selfdebug.planning.propose import UnknownCodemod
        from selfdebug.steps.catalogue import catalogue
        from selfdebug.workspace import state

        with _usage_errors(UnknownCodemod):
            catalogue(chosen, state.plugins(chosen.root))
    return chosen


@contextmanager
def _usage_errors(*kinds: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kinds as error:
        raise click.UsageError(str(error)) from error


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Take a polite end as Ctrl-C, so that everything is rolled back."""
    raise KeyboardInterrupt
