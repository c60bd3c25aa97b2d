#!/usr/bin/env python3
"""summary_scipy.py BUILD_DIR [--device D,D...]: `wedge summary` equals SciPy's pdist, summed up by NumPy.

Every metric, one set and two, n = 1, 2, 3, ties, NaN; --rows the same for each point; the same bytes for every number of
threads; what is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
import math


def compare(metric, a, b, device):
    v = METRICS[metric][0](a.astype("f8"), a.astype("f8") if b is None else b.astype("f8"))
    inside = np.triu(np.ones(v.shape, bool), 1) if b is None else np.ones(v.shape, bool)
    flat = v[inside]
    files = (save("a.npy", a),) if b is None else (save("a.npy", a), save("b.npy", b))
    got = as_json("summary", *files, "--metric", metric, *EXTRA.get(metric, ()), device=device)
    if got["count"] != flat.size or got["nan"]:
        return got
    if not flat.size:
        return "" if got["sum"] == 0 and got["min"] is None and got["max_pair"] is None else got
    near = lambda x, y: math.isclose(x, y, rel_tol=1e-6 if a.dtype == "f4" else 1e-11, abs_tol=1e-9)
    at = [v[tuple(got[end + "_pair"])] for end in ("min", "max")]
    fine = near(got["sum"], math.fsum(flat)) and near(got["mean"], math.fsum(flat) / flat.size)
    fine = fine and near(got["min"], flat.min()) and near(got["max"], flat.max()) and near(at[0], flat.min())
    return "" if fine and near(at[1], flat.max()) and (b is not None or got["min_pair"][0] < got["min_pair"][1]) else got


for device in devices():
    for metric in METRICS if device == "cpu" else ("euclidean",):
        wrong = ""
        for n in (1, 2, 3, 130) if device == "cpu" else (80,):
            a = points_for(metric, n, "f4" if metric == "cityblock" else "f8")
            wrong = wrong or compare(metric, a, None, device)
            if device == "cpu":
                wrong = wrong or compare(metric, a, points_for(metric, 40, a.dtype), device)
        report(not wrong, f"{device}_{metric}", wrong)

x = random.normal(size=(900, 4)) - 5
d = distance.pdist(x)
got = as_json("summary", save("x.npy", x))
i, j = np.triu_indices(900, 1)
report(got["count"] == d.size and math.isclose(got["min"], d.min(), rel_tol=1e-14) and got["min_pair"] == [i[d.argmin()], j[d.argmin()]] and
       math.isclose(got["max"], d.max(), rel_tol=1e-14) and got["max_pair"] == [i[d.argmax()], j[d.argmax()]] and
       math.isclose(got["sum"], math.fsum(d), rel_tol=1e-14), "pdist", got)
for threads in (1, 2, 7):
    report(good("summary", "x.npy", "--threads", threads) == good("summary", "x.npy"), f"the_same_with_{threads}_threads")

# ---- In a periodic box ----
wrapped = np.abs(differences(x, x, [3, 0, 2, 5]))
wrapped = np.sqrt((wrapped**2).sum(-1))
got = as_json("summary", "x.npy", "--box", "3,0,2,5")
flat = wrapped[i, j]
report(math.isclose(got["max"], flat.max(), rel_tol=1e-14) and got["max_pair"] == [i[flat.argmax()], j[flat.argmax()]] and
       math.isclose(got["sum"], math.fsum(flat), rel_tol=1e-13) and flat.max() < d.max(), "box", got)
good("summary", "x.npy", "--box", "3,0,2,5", "--rows", "boxed.npy")
np.fill_diagonal(wrapped, np.nan)
report(np.allclose(np.load(path("boxed.npy"))[:, 5], np.nanmax(wrapped, 1), rtol=1e-13), "rows_in_a_box")

# ---- Each point ----
s = distance.squareform(d)
np.fill_diagonal(s, np.nan)
want = np.stack([np.full(900, 899), np.nansum(s, 1), np.nanmean(s, 1), np.nanmin(s, 1), np.nanargmin(s, 1),
                 np.nanmax(s, 1), np.nanargmax(s, 1)], 1)
good("summary", "x.npy", "--rows", "r.npy")
r = np.load(path("r.npy"))
report(r.dtype == np.float64 and r.shape == (900, 7) and np.array_equal(r[:, [0, 4, 6]], want[:, [0, 4, 6]]) and
       np.allclose(r, want, rtol=1e-13), "rows")
for words in (("--threads", 7), ("--memory", "3M")):
    good("summary", "x.npy", "--rows", "r2.npy", *words)
    report(open(path("r.npy"), "rb").read() == open(path("r2.npy"), "rb").read(), f"rows_are_the_same_with_{words[0][2:]}")
    os.remove(path("r2.npy"))
save("y.npy", x[:30] + 1)
good("summary", "x.npy", "y.npy", "--rows", "r2.npy", "--metric", "cityblock")
v = distance.cdist(x, x[:30] + 1, "cityblock")
r = np.load(path("r2.npy"))
report(r.shape == (900, 7) and np.allclose(r[:, 1], v.sum(1)) and np.array_equal(r[:, 4], v.argmin(1)) and
       np.array_equal(r[:, 6], v.argmax(1)), "rows_of_two_sets")

# ---- Lines, ties, odd values ----
save("four.npy", np.array([[0.0, 0], [3, 4], [12, 16], [21, 28]]))
report(good("summary", "four.npy") == "count: 6\nsum: 120\nmean: 20\nmin: 5 0 1\nmax: 35 0 3\n", "lines")
report(good("summary", save("one.npy", np.zeros((1, 2)))) == "count: 0\nsum: 0\n", "one_point")
report("min: 0 1 3\nmax: 1 0 1\n" in good("summary", save("ties.npy", np.array([[0.0], [1], [0.5], [1]]))), "ties_by_position")
good("summary", "ties.npy", "--rows", "t.npy")
report(np.load(path("t.npy"))[:, [4, 6]].tolist() == [[2, 1], [3, 0], [0, 0], [1, 0]], "ties_of_rows_by_index",
       np.load(path("t.npy")))
save("nan.npy", np.array([[0.0], [1], [np.nan]]))
got = as_json("summary", "nan.npy", "--nan", "propagate")
report(got["count"] == 1 and got["nan"] == 2 and got["sum"] is None and got["min"] == 1, "nan_is_counted_apart", got)
save("huge.npy", np.array([[-1e150], [1e150], [0]]))
report("max: 2e+150 0 1" in good("summary", "huge.npy"), "huge_and_negative")
refuses("nan", 3, "nan.npy", "summary", "nan.npy")
refuses("rows_as_text", 2, "must end in .npy", "summary", "four.npy", "--rows", "r.csv")
refuses("rows_that_exist", 2, "exists", "summary", "four.npy", "--rows", "r.npy")
refuses("the_input_as_rows", 2, "overwritten", "summary", "four.npy", "--rows", "four.npy", "--force")
refuses("no_file", 2, "missing input", "summary")
refuses("a_metric_that_is_none", 2, "did you mean", "summary", "four.npy", "--metric", "euclidian")
finish()
