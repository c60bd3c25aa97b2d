#!/usr/bin/env python3
"""io_numpy.py BUILD_DIR: points as NumPy wrote them are what wedge reads, and what wedge writes NumPy reads.

Every dtype, byte order, memory order, version and shape through tests/t700-io FILE DTYPE, which reads the file and
prints it as .npy; text from savetxt in several formats against loadtxt, bit for bit. One line a group, then a count;
exit 1 on failure. Without NumPy it says so and ends well.

SPDX-License-Identifier: MIT"""
import io
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: NUMPY IS MISSING; nothing was compared")
    sys.exit(0)

if len(sys.argv) != 2 or not os.access(f"{sys.argv[1]}/tests/t700-io", os.X_OK):
    sys.exit("usage: io_numpy.py BUILD_DIR (with tests/t700-io built in it)")
reader = f"{sys.argv[1]}/tests/t700-io"
folder = tempfile.TemporaryDirectory()
path = f"{folder.name}/in"
random = np.random.default_rng(7)
passed = failed = 0


def read(dtype, from_stdin=False, columns=None):
    """What wedge makes of the file, or its message."""
    with open(path, "rb") as f:
        command = [reader, "-" if from_stdin else path, dtype] + ([columns] if columns else [])
        r = subprocess.run(command, stdin=f, capture_output=True)
    return np.load(io.BytesIO(r.stdout)) if r.returncode == 0 else r.stderr.decode()


def same(name, got, wanted):
    global passed, failed
    ok = isinstance(got, np.ndarray) and got.dtype == wanted.dtype and got.shape == wanted.shape
    ok = ok and np.array_equal(got, wanted, equal_nan=wanted.dtype.kind == "f")
    ok = ok and np.array_equal(np.signbit(got), np.signbit(wanted))
    passed += ok
    failed += not ok
    if not ok:
        print(f"FAIL  {name}: {got if isinstance(got, str) else (got.dtype, got.shape)}")


def values(dtype, shape):
    if dtype.kind == "f":
        a = random.normal(size=shape) * 10.0 ** random.integers(-30, 30, size=shape)
        for i, v in enumerate([-0.0, np.nan, np.inf, -np.inf, 1e-320]):
            if i < a.size:
                a.flat[i] = v
        if dtype.itemsize == 2:
            a.flat[5:] = random.integers(0, 1 << 16, size=a.flat[5:].size, dtype="u2").view("f2")  # subnormals too
        with np.errstate(over="ignore"):
            return a.astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    if dtype.itemsize >= 4:  # up to 24 bits anywhere: exact in f32, too
        a = random.integers(0, 1 << 24, size=shape, dtype="u8") << random.integers(0, 8 * dtype.itemsize - 24, size=shape, dtype="u8")
        a = (a >> np.uint64(1)).astype(dtype) if limits.min else a.astype(dtype)
        a *= random.choice([1, -1], size=shape).astype(dtype) if limits.min else dtype.type(1)
        a.flat[0] = limits.min
        return a
    return random.integers(limits.min, limits.max, size=shape, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)


def check_arrays():
    shapes = [(1,), (7,), (1, 1), (1, 9), (9, 1), (5, 3), (129, 65), (1000, 4)]
    for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
        before = failed
        for order in "<>":
            for shape in shapes:
                a = values(np.dtype(order + code), shape)
                for memory in "CF":
                    for version in [(1, 0), (2, 0), (3, 0)]:
                        with open(path, "wb") as f:
                            np.lib.format.write_array(f, np.asarray(a, order=memory), version=version)
                        wanted = a.reshape(-1, 1) if a.ndim == 1 else a
                        own = "f4" if code in ("f2", "f4") else "f8"
                        asked = {(1, 0): ("own", own), (2, 0): ("f32", "f4"), (3, 0): ("f64", "f8")}[version]
                        with np.errstate(over="ignore"):
                            wanted = wanted.astype(asked[1])
                        got = read(asked[0], from_stdin=memory == "F")
                        same(f"{order}{code} {shape} {memory} {version} as {asked[0]}", got, wanted)
        print(f"{'ok  ' if failed == before else 'FAIL'}  {code}")


def check_rounded():
    """Integers that f64, or f32, does not have are refused, and the first of them in the order of the file is named."""
    global passed, failed
    before = failed
    for code, asked, dtype in [("i8", "own", "f8"), ("u8", "own", "f8"), ("i8", "f32", "f4"), ("u4", "f32", "f4"), (">i4", "f32", "f4")]:
        bits = np.dtype(code).itemsize * 8 - (code[-2] == "i")
        for memory in "CF":
            a = values(np.dtype(code), (700, 5))
            spoilt = random.integers(0, a.size, 3)
            a.flat[spoilt] = np.array([(1 << (bits - 1)) + 1 + 2 * k for k in range(3)], a.dtype)
            wrong = a.astype(dtype).astype("O") != a.astype("O")
            order = np.argwhere(wrong.T)[:, ::-1] if memory == "F" else np.argwhere(wrong)
            row, column = order[0]
            with open(path, "wb") as f:
                np.save(f, np.asarray(a, order=memory))
            got = read(asked, columns=None)
            ok = isinstance(got, str) and f": row {row}, column {column} (from 0) is {a[row, column]}, which {dtype[0]}{dtype[1:] == '8' and '64' or '32'} cannot hold" in got
            good = [c for c in range(5) if not wrong[:, c].any()]
            chosen = read(asked, columns=",".join(str(c + 1) for c in good))
            ok = ok and isinstance(chosen, np.ndarray) and np.array_equal(chosen, a[:, good].astype(dtype))
            passed += ok
            failed += not ok
            if not ok:
                print(f"FAIL  rounded {code} {asked} {memory}: {got}")
    print(f"{'ok  ' if failed == before else 'FAIL'}  integers that would be rounded")


def check_text():
    for fmt in ["%.18e", "%.17g", "%.6f", "%g", "%.3e", "%.25f", "%r"]:
        before = failed
        for delimiter in [",", ";", " ", "\t", ", "]:
            a = random.normal(size=(400, 5)) * 10.0 ** random.integers(-12, 12, size=(400, 5))
            with open(path, "w", newline="\r\n" if delimiter == "\t" else "\n") as f:
                f.write(delimiter.join("abcde") + "\n" if delimiter != " " else "# a b c d e\n")
                for row in a.tolist():
                    f.write(delimiter.join(fmt % x for x in row) + "\n")
            wanted = np.loadtxt(path, delimiter=delimiter.strip(" ") or None, skiprows=1)
            same(f"text {fmt!r} {delimiter!r}", read("own"), wanted)
            same(f"text {fmt!r} {delimiter!r} from standard input", read("own", True), wanted)
        print(f"{'ok  ' if failed == before else 'FAIL'}  text {fmt}")


def pandas_csv(a, sep=",", index=True, quote=False, end="\n"):
    """The bytes that pandas.DataFrame(a, columns=["c0", ...]).to_csv(sep=, index=, quoting=) writes."""
    q = (lambda s: f'"{s}"') if quote else str
    names = ([q("")] if index else []) + [q(f"c{j}") for j in range(a.shape[1])]
    rows = [([q(i)] if index else []) + [q(repr(x)) for x in row] for i, row in enumerate(a.tolist())]
    return "".join(sep.join(fields) + end for fields in [names] + rows)


def check_tables():
    """Tables as pandas writes them; columns against NumPy's indexing."""
    for sep in [",", ";", "\t", " "]:
        before = failed
        for quote in [False, True]:
            for index in [False, True]:
                if index and sep == " " and not quote:
                    continue  # an empty name between blanks cannot be seen
                a = random.normal(size=(300, 6)) * 10.0 ** random.integers(-12, 12, size=(300, 6))
                with open(path, "w", newline="") as f:
                    f.write(pandas_csv(a, sep, index, quote, "\r\n" if sep == ";" else "\n"))
                name = f"table {sep!r} index={index} quote={quote}"
                same(name, read("own"), a)
                same(name + " stdin f32", read("f32", True), a.astype("f4"))
                same(name + " by name", read("own", columns="c4,c0,c5"), a[:, [4, 0, 5]])
                same(name + " by number", read("own", columns=f"{2 + index}:{4 + index},c0"), a[:, [1, 2, 3, 0]])
        print(f"{'ok  ' if failed == before else 'FAIL'}  tables separated by {sep!r}")
    before = failed
    for memory in "CF":
        a = random.normal(size=(500, 7))
        np.save(open(path, "wb"), np.asarray(a, order=memory))
        same(f".npy columns {memory}", read("own", columns="7,2:4"), a[:, [6, 1, 2, 3]])
    print(f"{'ok  ' if failed == before else 'FAIL'}  columns of .npy")


def check_refusals():
    """What NumPy can save and wedge must not read: refused with a message, and nothing loaded."""
    global passed, failed
    bad = {
        "objects": np.array([{}, []], dtype=object),
        "strings": np.array(["1.5", "2"]),
        "complex": np.zeros((2, 2), "c16"),
        "long doubles": np.zeros((2, 2), "f16"),
        "records": np.zeros(3, [("x", "f4"), ("y", "f4")]),
        "dates": np.zeros(3, "M8[s]"),
        "a scalar": np.array(1.0),
        "a cube": np.zeros((2, 2, 2)),
        "no points": np.zeros((0, 3)),
        "no features": np.zeros((3, 0)),
    }
    for name, a in bad.items():
        with open(path, "wb") as f:
            np.save(f, a, allow_pickle=True)
        got = read("own")
        ok = isinstance(got, str) and got.startswith(path + ": ")
        passed += ok
        failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  refused: {name}")


check_arrays()
check_rounded()
check_text()
check_tables()
check_refusals()
print(f"{passed} passed, {failed} failed (NumPy {np.__version__})")
sys.exit(failed > 0)
