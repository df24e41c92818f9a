"""Candidates on a real dask scheduler with two real workers say what they say on this machine."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from selfdebug.model import TestRun
from selfdebug.validation import warm
from selfdebug.validation.ahead import Job
from selfdebug.validation.cluster import Cluster, ClusterMissing
from selfdebug.validation.launch import PytestCommand
from selfdebug.validation.limits import Limits
from selfdebug.validation.packed import Packed, pack, unpack
from selfdebug.validation.runner import Runner
from selfdebug.validation.warm import WarmRun
from tests.validation.test_cold import HERE, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the warm runner is for Linux only")

SHOP = "def price(item):\n    return item.price\n"
TESTS = """\
from shop import price

def test_price():
    assert price(None) == 3
"""
NODE = "test_shop.py::test_price"


def project(folder: Path) -> Path:
    return write(folder / "project", {"shop.py": SHOP, "test_shop.py": TESTS})


def candidate(root: Path, body: str) -> Job:
    return Job({root / "shop.py": f"def price(item):\n    {body}\n".encode()}, (NODE,))


class Dask:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.file, self.running = folder / "scheduler.json", ExitStack()
        self._start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
        self.workers = [
            self._start(
                "worker",
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                "--local-directory",
                str(folder / f"worker-{number}"),
            )
            for number in range(workers)
        ]
        while not self.file.exists():
            time.sleep(0.05)
        import distributed

        client: Any = distributed.Client(scheduler_file=str(self.file), set_as_default=False)  # type: ignore[no-untyped-call]
        client.wait_for_workers(workers, timeout=60)
        self.url = client.scheduler.address.replace("tcp://", "dask://")
        client.close()

    def kill_the_only_holder(self, cluster: Cluster | None) -> None:
        """Kill the worker that is left with the project once dask has dropped the other copies."""
        assert cluster is not None
        client: Any = cluster._client
        client.replicate(cluster._data, n=1)
        (holders,) = client.who_has(cluster._data).values()
        pids = client.run(os.getpid)
        assert len(pids) == len(self.workers)
        os.kill(pids[holders[0]], signal.SIGKILL)

    def _start(self, *args: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "dask", *args, "--scheduler-file", str(self.file)]
        process = subprocess.Popen(
            argv,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
        )
        self.running.callback(process.wait)
        self.running.callback(process.kill)
        return process


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    cluster = Dask(tmp_path_factory.mktemp("dask"), 2)
    with cluster.running:
        yield cluster


def said(run: TestRun | None) -> tuple[object, ...]:
    """All that a search reads of a run."""
    assert run is not None
    return run.exit_code, run.failures, run.outcomes


def test_the_answers_are_those_of_this_machine_and_a_killed_worker_costs_none(
    dask: Dask, tmp_path: Path
) -> None:
    root = project(tmp_path)
    bodies = ["return 3", "return item.cost", "return None", "raise KeyError('x')"]
    bodies += [f"return {number}" for number in range(10, 26)]
    slow = "import time; time.sleep(1.5); return 3"
    command = PytestCommand(root, HERE)
    server = warm.start(command)
    assert isinstance(server, warm.WarmServer)
    with server:
        here = Runner(command, lambda _: None, server=server)
        expected = [
            said(here.try_out(candidate(root, body).contents, [NODE], "").run) for body in bodies
        ]
    there = Runner(command, lambda _: None)
    with there.started(1, dask.url):
        jobs = [candidate(root, body).contents for body in (slow, slow + " ", *bodies)]
        there.announce(iter(jobs), [NODE])
        time.sleep(1.0)
        dask.kill_the_only_holder(there._cluster)
        answers = [said(there.try_out(job, [NODE], "").run) for job in jobs]
    assert answers[0][0] == answers[1][0] == 0
    assert answers[2:] == expected
    assert there.notes == []
    assert (root / "shop.py").read_text() == SHOP


def test_the_project_is_unpacked_once_for_each_worker(dask: Dask, tmp_path: Path) -> None:
    root = project(tmp_path)
    cluster = Cluster(dask.url, PytestCommand(root, HERE))
    try:
        for body in ("return 3", "return 4"):
            assert isinstance(cluster.run(candidate(root, body), Limits(30)), WarmRun)
        made = [path for path in dask.file.parent.rglob("shop.py") if path.read_text() == SHOP]
        assert 1 <= len(made) <= 3  # one for each worker, here and in the test above
    finally:
        cluster.close()


def test_a_candidate_does_no_more_there_than_is_known(dask: Dask, tmp_path: Path) -> None:
    root, written = project(tmp_path), tmp_path / "written"
    body = f"open({str(written)!r}, 'w').close(); return 3"
    cluster = Cluster(dask.url, PytestCommand(root, HERE))
    try:
        for known, code in (((), 1), ((f"open {written}",), 0)):
            job = candidate(root, body)._replace(known=known)
            tried = cluster.run(job, Limits(30))
            assert isinstance(tried, WarmRun)
            assert (tried.run.exit_code, written.exists()) == (code, code == 0)
    finally:
        cluster.close()


def test_a_busy_worker_is_asked_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, asked = project(tmp_path), []
    out_of_time, healed = (
        WarmRun(TestRun(code, (), {NODE: "passed"}, 1.0), "swap", NODE) for code in (None, 0)
    )

    class Busy:
        threads = 1
        close = staticmethod(lambda: None)

        def __init__(self, *_: object) -> None:
            pass

        def run(self, _job: Job, allowed: Limits, _stop: object) -> WarmRun:
            asked.append(allowed.seconds)
            return out_of_time if len(asked) == 1 else healed

    monkeypatch.setattr("selfdebug.validation.runner.Cluster", Busy)
    runner = Runner(PytestCommand(root, HERE), lambda _: None, _repeated=0.1)
    with runner.started(1, "dask://here:1"):
        trial = runner.try_out(candidate(root, "return 3").contents, [NODE], "")
    assert (trial.run, runner.notes) == (healed.run, [])
    assert asked == [asked[0], 4 * asked[0]]


def test_a_lost_cluster_is_told_and_the_candidates_are_tried_here(tmp_path: Path) -> None:
    root, command = project(tmp_path), PytestCommand(tmp_path / "project", HERE)
    (tmp_path / "dask").mkdir()
    dask = Dask(tmp_path / "dask", 1)
    runner = Runner(command, lambda _: None)
    with runner.started(1, dask.url):
        dask.running.close()
        trial = runner.try_out(candidate(root, "return 3").contents, [NODE], "")
    assert trial.run is not None
    assert trial.run.exit_code == 0
    assert runner.notes[0].startswith("the cluster is lost, candidates are tried here: ")


def test_where_nothing_answers_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfdebug.validation.cluster._PATIENCE", 1)
    with pytest.raises(ClusterMissing, match="no dask scheduler answers at dask:"):
        Cluster("dask://127.0.0.1:9", PytestCommand(project(tmp_path), HERE))


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterMissing, match=r"selfdebug\[dask\]"):
        Cluster("dask://127.0.0.1:9", PytestCommand(project(tmp_path), HERE))


def test_the_same_files_are_the_same_archive(tmp_path: Path) -> None:
    root = write(
        tmp_path / "project",
        {
            "a/b.py": "X = 1\n",
            "c.py": "",
            ".git/config": "",
            "venv/pyvenv.cfg": "",
            "__pycache__/c.pyc": "",
        },
    )
    (root / "inside").symlink_to("a")
    (root / "outside").symlink_to("../elsewhere")
    first = pack(root)
    (root / "c.py").touch()
    assert pack(root).digest == first.digest
    (tmp_path / "there").mkdir()
    copy = unpack(first, tmp_path / "there")
    names = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*"))
    assert names == ["a", "a/b.py", "c.py", "inside"]
    assert (copy / "inside" / "b.py").read_text() == "X = 1\n"
    (root / "c.py").write_text("Y = 1\n")
    assert pack(root).digest != first.digest


def test_an_archive_that_leads_out_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../evil.py"), io.BytesIO())
    with pytest.raises(tarfile.TarError):
        unpack(Packed("project", "", data.getvalue()), tmp_path)
    assert not (tmp_path / "evil.py").exists()
