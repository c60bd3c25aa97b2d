#!/usr/bin/env python3
"""run_numpy.py BUILD: `wedge run` with ops of its own, against NumPy, on the cpu and on OpenCL; what it refuses; a crash; a missing compiler.

SPDX-License-Identifier: MIT"""
import json
import re
import signal
import time

from pairs_oracle import *

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["WEDGE_CACHE_DIR"] = path("cache")

# Named parameters and columns: the energy of charges with a cutoff for tiny distances.
CHARGES = """#define OP_FORMULA "k c c' / max(r, least)"
#define OP_PARAMETERS(P) P(k, 1, k > 0) P(least, 0.25, least > 0)
#define OP_DIRECT 4
#define OP_COLUMNS "x,y,z,charge"

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    real r = wedge_sqrt(x * x + y * y + z * z);
    return q.k * (a[3] * b[3]) / wedge_pick(r > q.least, r, q.least);
}
"""
# A fold: the p-norm of weighted differences with two values.
FOLD = """#define OP_PARAMETERS(P) P(scale, 1, scale > 0)
#define OP_VALUES 2
typedef struct { real sum, most; } op_state;
WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = wedge_abs(a - b);
    s.sum = s.sum + t;
    s.most = wedge_pick(t > s.most, t, s.most);
    return s;
}
WEDGE_OP void op_finish(op_state s, op_args q, real *v) { v[0] = q.scale * s.sum; v[1] = s.most; }
"""
TRIPLE = """#define OP_DIRECT 2
#define OP_SIDE 1
WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) { s[0] = wedge_abs(a[0] - b[0]) + wedge_abs(a[1] - b[1]); }
WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) { return ab[0] + ac[0] + bc[0]; }
"""


def write(name, text):
    with open(path(name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return name


def table(name, columns, header):
    np.savetxt(path(name), columns, delimiter=",", header=header, comments="", fmt="%.17g")
    return name


def upper(full):
    return full[np.triu_indices(len(full), 1)]


def close(got, want):
    return got.shape == want.shape and np.allclose(got, want, rtol=1e-12, atol=1e-12)


def charges(a, b, k=1.0, least=0.25):
    r = np.sqrt((differences(a[:, :3], b[:, :3]) ** 2).sum(-1))
    return k * (a[:, None, 3] * b[None, :, 3]) / np.maximum(r, least)


def fold(a, b, scale=1.0):
    t = np.abs(differences(a, b))
    return np.stack([scale * t.sum(-1), t.max(-1)], -1)


write("charges.h", CHARGES), write("fold.h", FOLD), write("triple.h", TRIPLE)
ions = random.normal(size=(60, 4))
more = random.normal(size=(33, 4))
save("ions.npy", ions), save("more.npy", more)
# The same, with the columns in another order, and one more that is text.
with open(path("ions.csv"), "w") as f:
    f.write("name,charge,z,x,y\n")
    for n, (x, y, z, c) in enumerate(ions):
        f.write(f"ion{n},{c:.17g},{z:.17g},{x:.17g},{y:.17g}\n")


def store(device):
    want = charges(ions, ions, 14.4, 0.5)
    extra = ("--set", "k=14.4", "--set", "least=0.5", "--force")
    good("run", "charges.h", "ions.npy", "-o", "out.npy", *extra, device=device)
    report(close(np.load(path("out.npy")), upper(want)), f"store_is_condensed_by_default_on_{device}")
    good("run", "charges.h", "ions.csv", "--sink", "store", "-o", "named.npy", *extra, device=device)
    report(open(path("named.npy"), "rb").read() == open(path("out.npy"), "rb").read(),
           f"columns_are_found_by_their_names_on_{device}")
    good("run", "charges.h", "ions.npy", "more.npy", "-o", "two.npy", "--force", device=device)
    report(close(np.load(path("two.npy")), charges(ions, more)), f"two_sets_give_a_table_on_{device}")
    good("run", "fold.h", "ions.npy", "--layout", "square", "--set", "scale=3", "-o", "fold.npy", "--force", device=device)
    report(close(np.load(path("fold.npy")), fold(ions, ions, 3)), f"a_fold_of_two_values_on_{device}")
    good("run", "fold.h", "ions.npy", "-o", "fold.csv", "--force", device=device)
    rows = np.loadtxt(path("fold.csv"), delimiter=",", skiprows=1)
    report(close(rows[:, 2:], fold(ions, ions)[np.triu_indices(60, 1)]), f"text_has_both_values_on_{device}")


def sums(device):
    want = upper(charges(ions, ions))
    s = as_json("run", "charges.h", "ions.npy", "--sink", "summary", device=device)
    i, j = s["min_pair"]
    fine = s["count"] == len(want) and np.isclose(s["sum"], want.sum()) and np.isclose(s["min"], want.min())
    report(fine and np.isclose(charges(ions, ions)[i, j], want.min()), f"summary_on_{device}", s)
    good("run", "charges.h", "ions.npy", "--sink", "summary", "-o", "s.npy", "--force", device=device)
    row = np.load(path("s.npy"))
    report(row.shape == (10,) and row[0] == len(want) and row[2] == s["sum"] and row[8 - 1] == s["max"] and
           list(row[5:7]) == s["min_pair"], f"summary_as_npy_on_{device}", row)
    edges = np.linspace(-2, 2, 9)
    good("run", "charges.h", "ions.npy", "--sink", "histogram", "--min", "-2", "--max", "2", "--bins", "8", "-o", "h.npy",
         "--force", device=device)
    report(np.array_equal(np.load(path("h.npy")), np.histogram(want, edges)[0]), f"histogram_on_{device}")


def boxes(device):
    write("blocks.h", open(os.path.join(SOURCE, "src/ops/metrics/cityblock.h")).read())
    want = np.abs(differences(ions[:, :3], ions[:, :3], [3, 0, 4])).sum(-1)
    save("places.npy", ions[:, :3])
    good("run", "blocks.h", "places.npy", "--box", "3,0,4", "-o", "boxed.npy", "--force", device=device)
    report(close(np.load(path("boxed.npy")), upper(want)), f"store_in_a_box_on_{device}")
    s = as_json("run", "blocks.h", "places.npy", "--box", "3,0,4", "--sink", "summary", device=device)
    report(np.isclose(s["sum"], upper(want).sum()) and np.isclose(s["max"], upper(want).max()), f"summary_in_a_box_on_{device}", s)


def lists(device):
    full = charges(ions, ions)
    radius = gap_at(upper(full), 0.1)
    i, j = np.nonzero(np.triu(full <= radius, 1))
    good("run", "charges.h", "ions.npy", "--sink", "select", f"--radius={radius!r}", "-o", "p.npy", "--values", "v.npy", "--force",
         device=device)
    report(radius < 0 and np.array_equal(np.load(path("p.npy")), np.stack([i, j], 1)) and
           close(np.load(path("v.npy")), full[i, j]), f"select_below_a_negative_radius_on_{device}")
    out = good("run", "charges.h", "ions.npy", "--sink", "select", f"--radius={radius!r}", "--count", device=device)
    report(out == f"pairs: {len(i)}\n", f"select_counts_on_{device}", out)
    alone = full.copy()
    np.fill_diagonal(alone, np.inf)
    want = np.argsort(alone, 1, kind="stable")[:, :3]
    good("run", "charges.h", "ions.npy", "--sink", "nearest", "-k", "3", "-o", "i.npy", "--distances", "d.npy", "--force", device=device)
    report(np.array_equal(np.load(path("i.npy")), want) and
           close(np.load(path("d.npy")), np.take_along_axis(alone, want, 1)), f"nearest_on_{device}")


def triples(device):
    x = ions[:, :2]
    save("flat.npy", x)
    side = np.abs(differences(x, x)).sum(-1)
    n = len(x)
    all3 = np.array([side[a, b] + side[a, c] + side[b, c] for a in range(n) for b in range(a) for c in range(b)])
    s = as_json("run", "triple.h", "flat.npy", "--sink", "summary", device=device)
    a, b, c = s["max_triplet"]
    report(s["count"] == len(all3) and np.isclose(s["sum"], all3.sum()) and np.isclose(s["max"], all3.max()) and
           np.isclose(side[a, b] + side[a, c] + side[b, c], all3.max()), f"triplets_summary_on_{device}", s)
    top = gap_at(all3, 0.5)
    h = as_json("run", "triple.h", "flat.npy", "--sink", "histogram", "--max", repr(top), "--bins", "1", device=device)
    report(h["counts"] == [int((all3 <= top).sum())], f"triplets_histogram_on_{device}", h)
    good("run", "triple.h", "flat.npy", "-o", "all3.npy", "--force", device=device)
    report(close(np.load(path("all3.npy")), all3), f"triplets_are_stored_on_{device}")
    near = gap_at(all3, 0.02)
    want = np.array([(a, b, c) for a in range(n) for b in range(a) for c in range(b)])[all3 <= near]
    good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", repr(near), "-o", "t.npy", "--values", "tv.npy", "--force",
         device=device)
    got = np.load(path("t.npy"))
    report(got.dtype == np.int64 and np.array_equal(got, want) and close(np.load(path("tv.npy")), all3[all3 <= near]),
           f"triplets_are_listed_on_{device}")
    out = good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", repr(near), "--values", "-", device=device)
    rows = np.array([line.split() for line in out.splitlines()], float)
    report(np.array_equal(rows[:, :3], want) and close(rows[:, 3], all3[all3 <= near]), f"triplets_are_printed_on_{device}")


def diagonals(device):
    """Triplets in which a point comes twice or three times."""
    x = ions[:40, :2]
    save("few.npy", x)
    side = np.abs(differences(x, x)).sum(-1)
    rows = np.array([(a, b, c) for a in range(40) for b in range(a + 1) for c in range(b + 1)])
    a, b, c = rows.T
    all3 = side[a, b] + side[a, c] + side[b, c]
    own = "run", "triple.h", "few.npy", "--diagonal"
    good(*own, "-o", "d3.npy", "--force", device=device)
    report(close(np.load(path("d3.npy")), all3), f"triplets_with_diagonals_are_stored_on_{device}")
    near = repr(gap_at(all3, 0.05))
    good(*own, "--sink", "select", "--radius", near, "-o", "dt.npy", "--force", device=device)
    report(np.array_equal(np.load(path("dt.npy")), rows[all3 <= float(near)]), f"triplets_with_diagonals_are_listed_on_{device}")
    if device != "cpu": # a kernel for each: t474 has them on every device
        return
    told = [json.loads(good(*words, "--sink", "summary", "--json"))["diagonal"] for words in (own, own[:-1])]
    report(told == [True, False], "json_tells_of_diagonals", told)
    s = as_json(*own, "--sink", "summary")
    report(s["count"] == len(all3) and np.isclose(s["sum"], all3.sum()) and s["min"] == 0 and s["min_triplet"] == [0, 0, 0],
           "the_summary_of_triplets_with_diagonals", s)
    h = as_json(*own, "--sink", "histogram", "--max", near, "--bins", "1")
    report(h["counts"] == [int((all3 <= float(near)).sum())], "the_histogram_of_triplets_with_diagonals", h)
    good(*own, "-o", "d3.csv", "--force")
    got = np.loadtxt(path("d3.csv"), delimiter=",", skiprows=1)
    report(np.array_equal(got[:, :3], rows) and close(got[:, 3], all3), "triplets_with_diagonals_as_text")
    for k in (2, 1):
        good(*own, "-o", "d3parts.npy", "--shard", f"{k}/2")
    report(close(np.load(path("d3parts.npy")), all3), "shards_of_triplets_with_diagonals_join")
    good(*own, "-o", "d3mixed.npy", "--shard", "1/2")
    done = run(*own[:-1], "-o", "d3mixed.npy", "--shard", "2/2")
    report(done.returncode != 0 and not os.path.exists(path("d3mixed.npy")), "shards_with_and_without_diagonals_do_not", done.stderr)


def a_stopped_list_goes_on():
    """A list of triplets that was killed, and resumed, with and without diagonals; the other of the two is refused."""
    x = random.random((420, 2))
    save("crowd.npy", x)
    for more, other in (((), ("--diagonal",)), (("--diagonal",), ())):
        words = "run", "triple.h", "crowd.npy", "--sink", "select", "--radius", "0.9"
        if os.path.exists(path("stopped.npy")):
            os.remove(path("stopped.npy"))
        good(*words, *more, "-o", "goes.npy", "--force")
        slow = subprocess.Popen([WEDGE, *words, *more, "-o", "stopped.npy", "--resume", "--device", "cpu", "--threads", "1", "--memory", "4M"],
                                cwd=folder.name, stderr=subprocess.PIPE, text=True)
        part = path("stopped.npy.part")
        for _ in range(2000):
            if slow.poll() is not None or (os.path.exists(part) and os.path.getsize(part) > 1 << 20):
                break
            time.sleep(0.005)
        slow.kill()
        slow.communicate(timeout=120)
        if not os.path.exists(path("stopped.npy")): # else it was done before
            done = run(*words, *other, "-o", "stopped.npy", "--resume")
            report(done.returncode != 0 and "diagonal is" in done.stderr and not os.path.exists(path("stopped.npy")), f"another_domain_does_not_go_on{len(more)}",
                   f"{done.returncode} {done.stderr}")
            good(*words, *more, "-o", "stopped.npy", "--resume", "--device", "cpu")
        report(open(path("stopped.npy"), "rb").read() == open(path("goes.npy"), "rb").read(), f"a_killed_list_of_triplets_goes_on{len(more)}")


def triples_as_text_and_parts():
    """All triplets as text; shards and a resumed list; how many; as JSON."""
    rows = [(a, b, c) for a in range(60) for b in range(a) for c in range(b)]
    all3 = np.load(path("all3.npy"))
    good("run", "triple.h", "flat.npy", "-o", "all3.csv", "--force")
    with open(path("all3.csv")) as f:
        header = f.readline()
    got = np.loadtxt(path("all3.csv"), delimiter=",", skiprows=1)
    report(header == "i,j,k,value\n" and np.array_equal(got[:, :3], rows) and close(got[:, 3], all3), "triplets_as_text")
    radius = repr(gap_at(all3, 0.3))
    for k in (2, 1):
        good("run", "triple.h", "flat.npy", "-o", "parts.npy", "--shard", f"{k}/2")
        good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", radius, "-o", "tparts.npy", "--shard", f"{k}/2")
    good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", radius, "-o", "twhole.npy")
    report(close(np.load(path("parts.npy")), all3), "shards_of_triplets_join")
    whole = np.load(path("twhole.npy"))
    report(np.array_equal(np.load(path("tparts.npy")), whole) and np.array_equal(whole, np.array(rows)[all3 <= float(radius)]),
           "shards_of_a_list_of_triplets_join")
    out = good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", radius, "--count")
    report(out == f"triplets: {len(whole)}\n", "triplets_are_counted", out)
    good("run", "triple.h", "flat.npy", "--sink", "select", "--radius", radius, "-o", "t.csv", "--values", "-")
    with open(path("t.csv")) as f:
        lines = f.read().splitlines()
    report(lines[0] == "i,j,k,value" and len(lines) == 1 + len(whole) and lines[1].split(",")[:3] == [str(x) for x in whole[0]],
           "a_list_of_triplets_as_text", lines[:2])
    s = as_json("run", "triple.h", "flat.npy", "--sink", "select", "--radius", radius)
    report(s["triplets"] == len(whole) and s["list"][-1] == list(whole[-1]), "a_list_of_triplets_as_json", str(s)[:200])


def copies(device):
    """The table's op and a copy of its file: the same bytes."""
    atoms = random.random((300, 3)) * 6
    save("atoms.npy", atoms.astype("f4"))
    lj = os.path.join(SOURCE, "src/ops/metrics/lennard_jones.h")
    good("run", lj, "atoms.npy", "--set", "sigma=1.5", "-o", "own.npy", "--force", device=device)
    good("edm", "atoms.npy", "--metric", "lennard_jones", "--set", "sigma=1.5", "-o", "table.npy", "--force", device=device)
    report(open(path("own.npy"), "rb").read() == open(path("table.npy"), "rb").read(),
           f"a_copy_of_lennard_jones_gives_the_same_bytes_on_{device}")


def page(device):
    """The files that docs/add-an-op.md prints."""
    text = open(os.path.join(SOURCE, "docs/add-an-op.md")).read()
    for name in ("clark", "coulomb"):
        write(f"{name}.h", re.search(rf"`src/ops/metrics/{name}\.h`\n\n```c\n(.*?)```", text, re.S).group(1))
    write("perimeter.h", re.search(r"```c\n(#define OP_FORMULA \"r \+ r'.*?)```", text, re.S).group(1))
    good("run", "clark.h", "ions.npy", "-o", "clark.npy", "--force", device=device)
    t = differences(ions, ions) / (np.abs(ions)[:, None] + np.abs(ions)[None])
    report(close(np.load(path("clark.npy")), upper(np.sqrt((t ** 2).sum(-1)))), f"the_page_s_clark_on_{device}")
    good("run", "coulomb.h", "ions.npy", "--set", "soft=0.5", "-o", "coulomb.npy", "--force", device=device)
    r = np.sqrt((differences(ions[:, :3], ions[:, :3]) ** 2).sum(-1) + 0.25)
    report(close(np.load(path("coulomb.npy")), upper(ions[:, None, 3] * ions[None, :, 3] / r)), f"the_page_s_coulomb_on_{device}")
    s = as_json("run", "perimeter.h", "ions.npy", "--columns", "1:3", "--sink", "summary", device=device)
    r = euclidean(ions[:, :3], ions[:, :3])
    want = sum(r[a, b] + r[a, c] + r[b, c] for a in range(60) for b in range(a) for c in range(b))
    report(np.isclose(s["sum"], want), f"the_page_s_perimeter_on_{device}")


def refusals():
    ok = ("ions.npy", "-o", "no.npy")
    write("broken.h", CHARGES.replace("r > q.least", "r > q.lest"))
    write("fact.h", CHARGES.replace("least > 0", "lest > 0"))
    write("empty.h", ""), write("nul.h", CHARGES + "\0"), write("large.h", "/*" + "x" * (10 << 20) + "*/" + CHARGES)
    write("clash.h", "#define LANES 3\n#define STATES 4\n" + CHARGES)
    write("open.h", CHARGES.replace("}\n", ""))
    table("other.csv", ions[:, :4], "a,b,c,charge"), table("three.csv", ions[:, :3], "x,y,z")
    refuses("an_op_that_does_not_compile", 3, "broken.h:9", "run", "broken.h", *ok)
    refuses("an_op_that_does_not_compile_anywhere", 3, "lest", "run", "broken.h", *ok)
    refuses("a_condition_that_cannot_be_read", 3, "fact.h:2: OP_PARAMETERS: the condition of least: no such name 'lest'", "run", "fact.h", *ok)
    refuses("an_empty_file", 3, "empty.h is empty", "run", "empty.h", *ok)
    refuses("a_byte_0", 3, "nul.h:11: a zero byte", "run", "nul.h", *ok)
    refuses("ten_megabytes", 3, "large.h has more than", "run", "large.h", *ok)
    refuses("a_missing_file", 3, "cannot read nowhere.h", "run", "nowhere.h", *ok)
    refuses("a_folder", 3, "not a file that can be read", "run", ".", *ok)
    refuses("points_in_place_of_an_op", 3, "must come before the file of points", "run", "ions.npy", *ok)
    refuses("a_name_of_wedge_s", 3, "does the op use a name that wedge uses", "run", "clash.h", *ok)
    refuses("a_missing_bracket", 3, "open.h", "run", "open.h", *ok)
    refuses("an_unknown_parameter", 2, "charges has no parameter 'leats'; did you mean 'least'?", "run", "charges.h", *ok, "--set", "leats=1")
    refuses("a_parameter_out_of_range", 2, "least = -1: must be least > 0", "run", "charges.h", *ok, "--set", "least=-1")
    refuses("a_wrong_number_of_columns", 3, "charges takes points of 4 numbers, not 2 (x,y,z,charge)", "run", "charges.h", *ok, "--columns", "1:2")
    refuses("a_column_that_is_not_there", 3, "no column 'charge' in three.csv", "run", "charges.h", "three.csv", "-o", "no.npy")
    refuses("columns_of_other_names", 3, "no column 'x' in other.csv", "run", "charges.h", "other.csv", "-o", "no.npy")
    refuses("an_unknown_sink", 2, "no sink 'sumary'; did you mean 'summary'?", "run", "charges.h", "ions.npy", "--sink", "sumary")
    refuses("an_option_of_another_sink", 2, "--radius is for --sink select", "run", "charges.h", *ok, "--radius", "1")
    refuses("a_missing_output", 2, "missing -o OUT.npy", "run", "charges.h", "ions.npy")
    refuses("a_missing_input", 2, "missing input file", "run", "charges.h")
    refuses("nothing_at_all", 2, "missing the file of an op", "run")
    refuses("nearest_triplets", 2, "use --sink store, select, summary or histogram, not nearest", "run", "triple.h", "flat.npy", "--sink",
            "nearest", "-k", "2")
    refuses("a_layout_of_triplets", 2, "leave out --layout", "run", "triple.h", "flat.npy", "-o", "no.npy", "--layout", "packed")
    refuses("diagonals_of_pairs", 2, "--layout packed", "run", "charges.h", "ions.npy", "-o", "no.npy", "--diagonal")
    refuses("a_box_of_triplets", 2, "leave out --box", "run", "triple.h", "flat.npy", "--sink", "select", "--radius", "1", "--box", "9")
    refuses("triplets_of_two_files", 2, "which takes one file of points", "run", "triple.h", "flat.npy", "flat.npy", "--sink", "summary")
    refuses("a_missing_radius", 2, "run: missing --radius R", "run", "charges.h", "ions.npy", "--sink", "select")
    refuses("to_write_over_the_op", 2, "must end in .npy", "run", "charges.h", "ions.npy", "-o", "charges.h")
    good("run", "charges.h", "other.csv", "--columns", "a,b,c,charge", "-o", "chosen.npy")
    good("run", "charges.h", "ions.npy", "-o", "plain.npy", "--force")
    report(open(path("chosen.npy"), "rb").read() == open(path("plain.npy"), "rb").read(), "columns_of_other_names_can_be_chosen")


def crashes():
    """Code that reads far outside: a word and exit 1, and an output that was there stays."""
    write("crash.h", """#define OP_DIRECT 4
#define OP_PREPARES 1
WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) { row[(long)d << 40] = 1; }
WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] + b[0]; }
""")
    write("divide.h", """#define OP_DIRECT 4
#define OP_PREPARES 1
WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) { row[0] = (number)(7 / (int)(row[0] - row[0])); }
WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] + b[0]; }
""")
    write("deep.h", """#define OP_DIRECT 4
#define OP_PREPARES 1
static __attribute__((noinline)) number deeper(volatile number *row, int d) {
    volatile number here[512];
    here[d & 511] = row[0];
    return row[0] < -1e300 ? here[0] : deeper(here, d + 1) + here[1];
}
WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) { row[0] = deeper(row, 0); }
WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] + b[0]; }
""")
    write("leave.h", """#define OP_DIRECT 4
#define OP_PREPARES 1
extern void _exit(int);
WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) { _exit(0); }
WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] + b[0]; }
""")
    write("kept.npy", b"as it was")
    # A build with sanitizers would take the signals for its own.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_sigfpe=0:handle_sigbus=0"
    for name in ("crash", "divide", "deep"):
        done = run("run", f"{name}.h", "ions.npy", "-o", "kept.npy", "--force")
        fine = done.returncode == 1 and "wedge: run: the op crashed (" in done.stderr
        report(fine and open(path("kept.npy"), "rb").read() == b"as it was", f"{name}_ends_with_a_word_and_leaves_the_output",
               f"exit {done.returncode}, {done.stderr!r}")
    done = run("run", "leave.h", "ions.npy", "-o", "kept.npy", "--force")
    report(done.returncode == 1 and "the op ended the program" in done.stderr and
           open(path("kept.npy"), "rb").read() == b"as it was", "an_op_that_ends_the_program_is_told", f"{done.returncode}, {done.stderr!r}")
    with open(path("charges.h"), "rb") as f:
        write("marked.h", b"\xef\xbb\xbf" + f.read())
    done = run("run", "marked.h", "ions.npy", "--sink", "summary")
    report(done.returncode == 0, "a_byte_order_mark_is_skipped", done.stderr)


def left_of(*names):
    return [f for f in os.listdir(folder.name) if f.startswith(names) and f not in names]


def crashes_midway():
    """An op that crashes, or loops for ever, once there is an output under way: nothing of it is left, and the mended one runs."""
    save("few.npy", random.random((300, 3)))
    save("fine.npy", random.random((200, 3)))
    op = """#define OP_DIRECT 3
WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { %s return a[0] + b[0]; }
"""
    bad = {"crash": "volatile int *volatile p = 0; *p = 1;", "leave": "extern void _exit(int); _exit(0);",
           "loop": "volatile int on = 1; while (on) ;"}
    outputs = {"store": ("-o", "bad.npy"), "select": ("--sink", "select", "--radius", "9", "-o", "bad.npy", "--values", "bad_v.npy"),
               "nearest": ("--sink", "nearest", "-k", "2", "-o", "bad.csv"), "half": ("-o", "bad.npy", "--shard", "1/2")}
    for name in ("crash", "leave"):
        for sink, words in outputs.items():
            write("op.h", op % bad[name])
            done = run("run", "op.h", "few.npy", *words)
            report(done.returncode == 1 and "the op " in done.stderr and not left_of("bad"), f"{name}_in_{sink}_leaves_nothing",
                   (done.returncode, done.stderr, left_of("bad")))
            write("op.h", op % "")
            done = run("run", "op.h", "few.npy", *words)
            report(done.returncode == 0, f"and_the_mended_op_runs_after_{name}_in_{sink}", done.stderr)
            for file in left_of("bad"):
                os.remove(path(file))
    write("op.h", op % bad["loop"])
    for how in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen([WEDGE, "run", "op.h", "few.npy", "-o", "bad.npy", "--device", "cpu"], cwd=folder.name,
                                   stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not os.path.exists(path("bad.npy.part.1-of-1.journal")):
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(how)
        said = process.communicate()[1]
        report(process.returncode == 6 and "does it loop forever?" in said and not left_of("bad"),
               f"one_{how.name}_ends_an_op_that_loops", (process.returncode, said, left_of("bad")))
    write("op.h", op % "")
    report(run("run", "op.h", "few.npy", "-o", "bad.npy").returncode == 0, "and_the_mended_op_runs")
    process = subprocess.Popen([WEDGE, "run", "op.h", "few.npy", "--sink", "select", "--radius", "9", "--quiet"], cwd=folder.name,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    report(process.wait() == -signal.SIGPIPE and not said, "a_reader_that_closes_the_pipe_is_no_crash", (process.returncode, said))


def without_compiler():
    """OpenCL on the cpu takes its place; where there is none, exit 4 with the remedy."""
    env = dict(os.environ, CC="/nowhere/cc")
    words = [WEDGE, "run", "charges.h", "ions.npy", "-o", "fallback.npy", "--force", "--device", "cpu"]
    if any(d.startswith("opencl") for d in devices()):
        done = subprocess.run(words, env=env, cwd=folder.name, capture_output=True, text=True)
        report(not done.returncode and "no C compiler for the cpu device, so opencl" in done.stderr and
               close(np.load(path("fallback.npy")), upper(charges(ions, ions))), "without_a_compiler_opencl_runs_it", done.stderr)
    env["WEDGE_LIBOPENCL"] = "/nowhere/libOpenCL.so"
    done = subprocess.run(words, env=env, cwd=folder.name, capture_output=True, text=True)
    report(done.returncode == 4 and "needs a C compiler on the cpu: CC is '/nowhere/cc'" in done.stderr, "without_both_it_says_what_is_needed",
           f"{done.returncode} {done.stderr}")


def shards_and_stops():
    """A shard of the same op joins; another op's does not. A signal reaches the process that works."""
    for k in (1, 2):
        good("run", "charges.h", "ions.npy", "-o", "sharded.npy", "--shard", f"{k}/2")
    good("run", "charges.h", "ions.npy", "-o", "whole.npy")
    report(open(path("sharded.npy"), "rb").read() == open(path("whole.npy"), "rb").read(), "shards_of_an_op_join")
    write("changed.h", CHARGES.replace("q.k *", "-q.k *"))
    good("run", "charges.h", "ions.npy", "-o", "mixed.npy", "--shard", "1/2")
    done = run("run", "changed.h", "ions.npy", "-o", "mixed.npy", "--shard", "2/2")
    report(done.returncode != 0 and not os.path.exists(path("mixed.npy")), "shards_of_two_ops_do_not", done.stderr)
    save("many.npy", random.normal(size=(60000, 4)))
    slow = subprocess.Popen([WEDGE, "run", "charges.h", "many.npy", "--sink", "nearest", "-k", "1024", "-o", "n.npy", "--device", "cpu",
                             "--threads", "1"], cwd=folder.name, stderr=subprocess.PIPE, text=True)
    while slow.poll() is None and not any(name.startswith("n.npy") for name in os.listdir(folder.name)):
        time.sleep(0.1)
    slow.send_signal(signal.SIGTERM)
    said = slow.communicate(timeout=120)[1]
    report(slow.returncode == 6, "a_signal_stops_it", f"{slow.returncode} {said}")


for device in devices():
    store(device), sums(device), boxes(device), lists(device), triples(device), diagonals(device)
    if device == "cpu": # a kernel for each: t481 has copies on every device, t418 the page's ops
        copies(device), page(device)
triples_as_text_and_parts(), a_stopped_list_goes_on(), refusals(), crashes(), crashes_midway(), without_compiler(), shards_and_stops()
finish()
