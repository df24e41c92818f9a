"""Small edits that change no value in a failing test are left out of its trials."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from selfdebug.model import Failure
from selfdebug.planning.search import State, told_alike
from selfdebug.settings import Settings
from selfdebug.steps.budget import Budget
from selfdebug.steps.context import Context
from selfdebug.steps.observe import Observation
from selfdebug.steps.small_edits import SmallEditTrials
from selfdebug.steps.suspects import learn
from selfdebug.steps.wrong_result import WrongResults
from selfdebug.stopwatch import Stopwatch
from selfdebug.syntax.project import Project
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.prepare import Prepared
from selfdebug.validation.warm import WarmRun, WarmServer, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")

FIXTURES = Path(__file__).parents[2] / "fixtures/wrong"
LIMITS = Limits(5.0, memory=2 * 1024**3, file=4 * 1024**2)


@contextmanager
def searching(root: Path) -> Iterator[tuple[SmallEditTrials, Failure]]:
    (root.parent / "scratch").mkdir()
    command = PytestCommand(root, Path(sys.executable), scratch=root.parent / "scratch")
    server = start(command)
    assert isinstance(server, WarmServer)
    context = Context(Settings(root), Prepared(command, server), lambda _: None)
    with server, context.tests.started(1):
        before = context.tests.observe(())
        tests = frozenset(each.test for each in before.failures)
        seen = Observation(Project(root), before=before, open_tests=tests)
        suspects = learn(context, seen)
        assert suspects is not None
        trials = SmallEditTrials(context, suspects, lambda: None, lambda _: None)
        yield trials, suspects.most_telling_first(before.failures)[0]


def edits(trials: SmallEditTrials, failure: Failure) -> list[State]:
    """All small edits of a project, one of each kind of code."""
    search = WrongResults(
        *(trials.context, trials.suspects, Budget(Settings(Path()), Stopwatch())),
        *(lambda: None, lambda _: None, []),
    )
    state = State((failure,))
    enumeration = search._group([failure], state).enumeration
    return [*enumeration._different(state, enumeration.propose(failure, state))]


@pytest.mark.parametrize(("name", "least"), [("comment-threads", 15), ("bill-splitting", 20)])
def test_an_edit_that_is_left_out_would_leave_the_same_failure(
    name: str, least: int, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(FIXTURES / name / "project", tmp_path / "project"))
    with searching(root) as (trials, failure):
        states = random.Random(7).sample(edits(trials, failure), 90)
        dead = trials.dead(states, failure)
        server = trials.context.tests.server
        assert server is not None
        assert len(dead) >= least
        for number in dead:
            tried = server.run(states[number].contents, [failure.test], LIMITS, programs=False)
            assert isinstance(tried, WarmRun)
            assert tried.run.failures, states[number].patch[-1]
            assert told_alike(tried.run.failures[0], failure), states[number].patch[-1]


SHOP = "def price(items):\n    return sum(items) + 1\n"


@pytest.mark.parametrize(
    ("test", "dead"),
    [
        ("assert price([1, 2]) == 3", True),
        # It reads its own text, so that a trial may say something else than what it evaluates.
        ("import inspect; assert price([1, 2]) == len(inspect.getsource(price))", False),
        # A fork evaluates what this process does not see.
        ("import os; child = os.fork() or os._exit(price([])); os.wait(); assert 0", False),
    ],
)
def test_a_run_says_nothing_of_edits_where_it_does_not_show_all(
    test: str, dead: bool, tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "shop.py").write_text(SHOP)
    source = f"from shop import price\ndef test_price():\n    {test}\n"
    (root / "test_shop.py").write_text(source)
    (root / "conftest.py").write_text("")
    with searching(root) as (trials, failure):
        state = _edited(trials, failure, SHOP.replace("sum(items) +", "sum(items, 0) +"))
        assert trials.dead([state], failure) == (frozenset([0]) if dead else frozenset())


def _edited(trials: SmallEditTrials, failure: Failure, text: str) -> State:
    some = edits(trials, failure)[0]
    return replace(some, contents={path: text.encode() for path in some.contents})
