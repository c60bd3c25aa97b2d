"""Threads, a fork, an interrupt, progress, and calls that leave nothing behind.

SPDX-License-Identifier: MIT"""

import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import wedge
from wedge import _library, _session

X = np.random.default_rng(1).random((500, 3))


def python(code, arguments=(), **options):
    return subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_threads_at_once_get_what_one_gets():
    want, failed = wedge.pdist(X).tobytes(), []

    def work():
        for _ in range(50):
            if wedge.pdist(X).tobytes() != want or wedge.within(X, 0.1, count=True) != count:
                failed.append(1)

    count = wedge.within(X, 0.1, count=True)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_other_threads_of_python_go_on_meanwhile():
    """The GIL is free while the library works: another thread counts."""
    big, beats, done = np.random.default_rng(2).random((20000, 3)), [0], threading.Event()

    def beat():
        while not done.is_set():
            beats[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=beat)
    thread.start()
    while not beats[0]:
        time.sleep(0.001)
    before = beats[0]
    wedge.summary(big)
    after = beats[0]
    done.set()
    thread.join()
    assert after > before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_after_fork_computes_by_itself():
    child = python("""
        import os, sys, numpy as np, wedge
        x = np.random.default_rng(1).random((500, 3))
        want = wedge.pdist(x, device="cpu").tobytes()
        pid = os.fork()
        same = wedge.pdist(x, device="cpu").tobytes() == want
        if pid == 0:
            os._exit(0 if same else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(code, same)
    """)
    out, err = child.communicate(timeout=120)
    assert out.split() == ["0", "True"], err


@pytest.mark.parametrize(
    "call",
    [
        "wedge.summary(x, device='cpu')",
        "wedge.within(x, 0.01, brute=True, device='cpu')",
        "wedge.triplets(x, nan='propagate', device='cpu')",
    ],
)
def test_an_interrupt_stops_the_call_and_the_next_one_works(call):
    child = python(
        """
        import signal, numpy as np, wedge
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this with signals ignored
        x = np.random.default_rng(1).random((400000, 3))
        wedge.pdist(x[:3])
        print("go")
        try:
            CALL
            print("not stopped")
        except KeyboardInterrupt:
            print("stopped", wedge.pdist([[0.0], [2.0]]))
    """.replace("CALL", call)
    )
    assert child.stdout.readline().strip() == "go"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert out.strip() == "stopped [2.]", err


def test_the_handler_of_signals_is_what_it_was_after_a_long_call():
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        wedge.summary(np.random.default_rng(1).random((6000, 3)), device="cpu")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_number_of_threads_is_another_device():
    try:
        wedge.set_num_threads(1)
        one = _session.open_device("cpu")
        wedge.set_num_threads(2)
        assert _session.open_device("cpu") is not one
        wedge.set_num_threads(1)
        assert _session.open_device("cpu") is one
    finally:
        wedge.set_num_threads(None)


@pytest.mark.parametrize(
    "status, error",
    [
        (_library.NO_MEMORY, MemoryError),
        (_library.BAD_ARGUMENT, ValueError),
        (_library.BAD_DATA, ValueError),
        (_library.NO_DEVICE, wedge.DeviceError),
        (_library.BUILD_FAILED, wedge.BuildError),
        (_library.FAILED, wedge.Error),
    ],
)
def test_statuses_are_the_usual_exceptions(status, error):
    with pytest.raises(error, match="what was wrong"):
        _library.fail(status, b"what was wrong")


def test_progress_is_told_and_what_it_raises_is_raised():
    shares = []
    x = np.random.default_rng(1).random((6000, 3))
    wedge.summary(x, progress=shares.append)
    assert shares and shares == sorted(shares) and 0 <= shares[0] and shares[-1] <= 1

    def stop(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        wedge.summary(x, progress=stop)
    wedge.pdist(X, progress=True)
    with pytest.raises(TypeError, match="progress"):
        wedge.pdist(X, progress=3)


def test_many_calls_leave_nothing_behind():
    x = X[:20]
    calls = [
        lambda: wedge.pdist(x),
        lambda: wedge.within(x, 0.3),
        lambda: wedge.knn(x, 3),
        lambda: wedge.histogram(x, 5, (0, 1)),
        lambda: wedge.summary(x),
        lambda: wedge.triplets(x),
        lambda: wedge.rank([3], [1]),
    ]

    def peak(rounds):
        for _ in range(rounds):
            for call in calls:
                call()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    rounds = int(os.environ.get("WEDGE_TEST_CALLS", 7000)) // len(calls)
    before = peak(rounds // 3)
    assert peak(rounds) - before < 4096  # KiB: half a byte a call would be more than there is noise


def test_the_order_of_imports_does_not_matter():
    pytest.importorskip("torch")
    for order in ("import torch, wedge", "import wedge, torch"):
        child = python(f"{order}\nprint(wedge.pdist(torch.zeros(3, 2) + torch.arange(3)[:, None]).sum().item() > 0)")
        out, err = child.communicate(timeout=120)
        assert out.strip() == "True", err


def test_devices_are_listed():
    found = wedge.devices()
    assert found[0].id == "cpu" and found[0].memory > 0 and not found[0].is_gpu
    assert wedge.__version__.count(".") == 2


SMALL = {
    "pdist": lambda x: wedge.pdist(x, device="cpu"),
    "cdist": lambda x: wedge.cdist(x, x, device="cpu"),
    "within": lambda x: wedge.within(x, 0.2, device="cpu"),
    "knn": lambda x: wedge.knn(x, 5, device="cpu"),
    "histogram": lambda x: wedge.histogram(x, 10, (0, 1), device="cpu"),
    "summary": lambda x: wedge.summary(x, device="cpu"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_call_of_few_points_does_little_in_python(name):
    """Functions called, of Python and of C, in place of the microseconds that they take."""
    x, calls = X[:100].copy(), []
    SMALL[name](x)  # what is kept from call to call is there
    try:
        sys.setprofile(lambda frame, event, arg: calls.append(event) if event in ("call", "c_call") else None)
        SMALL[name](x)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 100


def test_lists_of_few_pairs_come_in_one_piece_and_of_many_in_pieces(monkeypatch):
    streamed = []
    stream = _session.Job.stream
    monkeypatch.setattr(_session.Job, "stream", lambda *args: streamed.append(1) or stream(*args))
    for n, pieces in ((100, 0), (500, 1)):
        pairs, far = wedge.within(X[:n], 0.3, return_distance=True)
        assert len(streamed) == pieces
        i, j = np.triu_indices(n, 1)
        every = np.linalg.norm(X[i] - X[j], axis=1)
        assert pairs.tolist() == np.stack([i, j], axis=1)[every <= 0.3].tolist()
        np.testing.assert_allclose(far, every[every <= 0.3])
        assert (pairs if pairs.base is None else pairs.base).nbytes == pairs.nbytes  # no room is left over


FAST = """
__attribute__((constructor)) static void load(void) { /* as crtfastmath.o of -ffast-math does it */
    unsigned mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}
"""


def test_other_libraries_floats_change_nothing(tmp_path):
    """One library loaded flushes small numbers to zero, a caller rounds upward: the same bytes, and their floats as they were."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    fast = tmp_path / "fast.so"
    if platform.machine() == "x86_64" and compiler:
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", fast], input=FAST, text=True, check=True)
    done = python(
        """
        import ctypes, os, sys
        import numpy as np
        import wedge
        x = np.random.default_rng(3).random((700, 3))
        small = x.astype("f4") * np.float32(1e-38)
        lattice = (np.round(x * 10) / 10).astype("f4")
        def all():
            yield wedge.pdist(small, "cityblock").tobytes()
            yield wedge.within(x, 0.2, box=1, count=True)
            yield wedge.pdist(x, "lennard_jones", sigma=0.3).tobytes()
            yield wedge.triplets(x[:90], cutoff=0.3, box=1)
            yield wedge.sums(x, metric="gaussian").tobytes()
            wedge._counts._spaced.cache_clear()
            yield from (a.tolist() for a in wedge.histogram(x, 50, (0.1, 1), log=True))
            yield from (a.tolist() for a in wedge.rdf(x, 50, 0.3, box=1))
            yield from (a.tolist() for a in wedge.triplet_histogram(lattice[:90], 6, 0.3))
            yield from (a.tolist() for a in wedge.knn(lattice, 5, distance_upper_bound=0.3))
            yield wedge.within(small, np.full(len(x), 1e-38)).tolist()
            yield wedge.summary(x)
            yield [np.array(a).tolist() for a in wedge.nbody(x[:9], x[9:18], x[18:27, 0], 5, 0.01)[:4]]
        want = list(all())
        libm = ctypes.CDLL(None)
        for mode in (0x400, 0x800, 0xC00, 0) if os.uname().machine == "x86_64" else ():
            assert libm.fesetround(mode) == 0
            got = list(all())
            assert libm.fegetround() == mode
            libm.fesetround(0)
            assert got == want, mode
        if os.path.exists(sys.argv[1]):
            ctypes.CDLL(sys.argv[1])
            tiny = np.float32(1e-30)
            assert tiny * np.float32(1e-12) == 0
            wedge.set_num_threads(3)  # new workers
            assert list(all()) == want
            assert tiny * np.float32(1e-12) == 0
        """,
        arguments=[str(fast)],
    )
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err


@pytest.mark.skipif(not shutil.which("localedef"), reason="localedef makes a locale with a decimal comma")
def test_a_decimal_comma_is_the_caller_s(tmp_path):
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True)
    if made.returncode:
        pytest.skip("there is no source of a locale with a decimal comma")
    done = python(
        r'''
        import locale
        import numpy as np
        import wedge
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        assert locale.localeconv()["decimal_point"] == ","
        half = "#define OP_PARAMETERS(P) P(half, 0.5, half > 0.25)\n#define OP_DIRECT 1\nWEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return q.half * (a[0] - b[0]); }\n"
        assert wedge.run(half, [[3.0], [1.0]]).tolist() == [1.0]
        assert wedge.run(half, [[3.0], [1.0]], half=0.75).tolist() == [1.5]
        try:
            wedge.histogram([[3.0], [1.0]], bins=3, range=(-0.5, 2.5), log=True)
        except ValueError as error:
            assert "-0.5" in str(error), error
        assert locale.localeconv()["decimal_point"] == ","
        ''',
        env={**os.environ, "LOCPATH": str(tmp_path)},
    )
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
