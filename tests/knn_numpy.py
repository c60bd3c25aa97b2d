#!/usr/bin/env python3
"""knn_numpy.py BUILD_DIR [--device D,D...]: `wedge knn` equals a sort of all distances by NumPy, and scikit-learn's
kneighbors where that is installed.

Every metric, --queries, boxes, ties, k up to 1,024, n = 2 and 3; the same bytes for every number of threads and shards; what
is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *

try:
    from sklearn.neighbors import NearestNeighbors
except ImportError:
    NearestNeighbors = None


def neighbours(*words, device="cpu"):
    good("knn", *words, "-o", "i.npy", "--distances", "d.npy", "--force", "--no-sync", device=device)
    return np.load(path("i.npy")), np.load(path("d.npy"))


def compare(metric, a, q, k, device, box=None):
    """Neighbours of a's points, or those of q's among a's. Values within rounding of each other may change places."""
    x, y = a.astype("f8"), (a if q is None else q).astype("f8")
    v = METRICS[metric][0](y, x, box)
    if q is None:
        np.fill_diagonal(v, np.inf)
    order = np.argsort(v, axis=1, kind="stable")[:, :k]
    want = np.take_along_axis(v, order, 1)
    words = (save("a.npy", a), "-k", k, "--metric", metric, *EXTRA.get(metric, ()))
    words += () if q is None else ("--queries", save("q.npy", q))
    words += () if box is None else ("--box", ",".join(map(str, box)))
    i, d = neighbours(*words, device=device)
    if i.dtype != np.int64 or i.shape != order.shape or d.dtype != a.dtype or d.shape != order.shape:
        return f"{i.dtype} {i.shape} {d.dtype} {d.shape}"
    bound = 1e-5 if a.dtype == "f4" else 1e-9
    near = np.abs(np.take_along_axis(v, i, 1) - want) <= bound * np.maximum(1, np.abs(want))
    right = np.abs(d - want) <= bound * np.maximum(1, np.abs(want))
    alike = (i == order) | near
    if not (alike.all() and right.all() and all(len(set(row)) == k for row in i)):
        return f"{(~alike).sum()} indices, {(~right).sum()} distances"
    return "" if (i == order).mean() > (0.999 if len(np.unique(want)) > k else 0) else "order"


for device in devices():
    for metric in METRICS if device == "cpu" else ("euclidean",):
        wrong = ""
        for n, k in ((2, 1), (3, 2), (160, 1), (160, 7)) if device == "cpu" else ((70, 3),):
            a = points_for(metric, n, "f4" if metric == "cityblock" else "f8")
            wrong = wrong or compare(metric, a, None, k, device)
            wrong = wrong or compare(metric, a, points_for(metric, 40, a.dtype), k, device)
        report(not wrong, f"{device}_{metric}", wrong)
    wrong = compare("euclidean", points_for("euclidean", 300), None, 5, device, [1.5, 2, 0])
    report(not wrong, f"{device}_in_a_box", wrong)

x = (random.random((8000, 3)) - 0.5) * [1, 10, 100]
wrong = compare("euclidean", x[:3000], None, 12, "cpu")
report(not wrong, "3000_points", wrong)
wrong = compare("euclidean", x[:1025], None, 1024, "cpu") or compare("sqeuclidean", x[:1024], x[:9], 1024, "cpu")
report(not wrong, "k_of_1024", wrong)
if NearestNeighbors:
    d, i = NearestNeighbors(n_neighbors=5).fit(x).kneighbors()
    report(np.array_equal(neighbours(save("x.npy", x), "-k", 5)[0], i), "scikit_learn")
else:
    print("skip  scikit_learn: not installed")

# ---- Ties by index, and a point that is not its own neighbour ----
save("line.npy", np.array([[0.0], [1], [2], [1]]))
report(good("knn", "line.npy", "-k", "3") == "0 1 3 2\n1 3 0 2\n2 1 3 0\n3 1 0 2\n", "ties_by_index")
save("q.npy", np.array([[1.0], [5]]))
report(good("knn", "line.npy", "-k", "2", "--queries", "q.npy") == "0 1 3\n1 2 1\n", "queries_may_equal_points")
report(good("knn", "q.npy", "-k", "2", "--queries", "line.npy").splitlines()[0] == "0 0 1", "k_equals_n_with_queries")
grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3)
v = euclidean(grid, grid)
np.fill_diagonal(v, np.inf)
report(np.array_equal(neighbours(save("grid.npy", grid), "-k", 9)[0], np.argsort(v, 1, kind="stable")[:, :9]), "a_grid")
report(as_json("knn", "line.npy", "-k", "1") == {"neighbours": [[1], [3], [1], [1]], "rows": 4}, "json")
good("knn", "line.npy", "-k", "2", "-o", "line.csv")
report(open(path("line.csv")).read() == "i,j1,j2\n0,1,3\n1,3,0\n2,1,3\n3,1,0\n", "csv")
report(good("knn", "line.npy", "-k2", "--distances", "-") == "0 1 3 1 1\n1 3 0 0 1\n2 1 3 1 1\n3 1 0 0 1\n", "distances_beside")
report(as_json("knn", "line.npy", "-k1", "--distances", "-")["neighbours"] == [[1, 1], [3, 0], [1, 1], [1, 0]], "distances_in_json")
with open(path("named.csv"), "w") as f:
    f.write('name,x\na,0\n"b c",1\n"d,e",2\nf,1\n')
report(good("knn", "named.csv", "-k", "2", "--id", "name", "--distances", "-") ==
       'a "b c" f 1 1\n"b c" f a 0 1\nd,e "b c" f 1 1\nf "b c" a 0 1\n', "names_in_place_of_numbers")
good("knn", "named.csv", "-k1", "--id", "name", "--distances", "-", "-o", "named_i.csv")
report(open(path("named_i.csv")).read() == 'i,j1,d1\na,b c,1\nb c,f,0\n"d,e",b c,1\nf,b c,0\n', "names_and_distances_as_csv")
with open(path("q.csv"), "w") as f:
    f.write("x,name\n5,far\n")
report(good("knn", "named.csv", "-k1", "--queries", "q.csv", "--id", "name") == 'far d,e\n', "names_of_queries_and_points")
save("nan.npy", np.array([[0.0], [1], [np.nan]]))
report(good("knn", "nan.npy", "-k", "2", "--nan", "propagate") == "0 1 -1\n1 0 -1\n2 -1 -1\n", "nan_is_no_neighbour")

# ---- The same bytes ----
save("x.npy", x)
good("knn", "x.npy", "-k", 5, "-o", "want.npy", "--distances", "want_d.npy")
to = ("x.npy", "-k", 5, "-o", "got.npy", "--distances", "got_d.npy")


def same(name):
    equal = all(open(path(a), "rb").read() == open(path(b), "rb").read() for a, b in
                (("want.npy", "got.npy"), ("want_d.npy", "got_d.npy")))
    report(equal, name)
    os.remove(path("got.npy")), os.remove(path("got_d.npy"))


for words in (("--threads", 1), ("--threads", 7), ("--memory", "3M")):
    good("knn", *to, *words)
    same("same_bytes_" + "_".join(map(str, words)).strip("-"))
for shards in (3, 7):
    for k in random.permutation(shards) + 1:
        good("knn", *to, "--shard", f"{k}/{shards}")
    same(f"same_bytes_{shards}_shards")
good("knn", *to)
os.remove(path("got.npy"))
good("knn", *to, "--resume")
same("a_missing_file_is_made_again")

# ---- A dry run counts the pairs that pruning leaves, in samples of the points ----
cloud = random.random((120000, 3))
save("cloud.npy", cloud), save("cloud_q.npy", cloud[:60000] + 0.001)
for name, words in (("one_set", ()), ("queries", ("--queries", "cloud_q.npy"))):
    plan = as_json("knn", "cloud.npy", "-k", 8, "--dry-run", *words)
    rows = 60000 if words else 120000
    report(plan["rows"] == rows and rows * 8 < plan["pairs"] < rows * 120000 / 30, f"a_dry_run_knows_of_pruning_{name}", plan)
plan = as_json("knn", "cloud.npy", "-k", 8, "--dry-run", "--shard", "2/3", "-o", "s.npy", "--metric", "cosine", "--columns", "1:2")
report(plan == {"pairs": 40000 * 120000, "rows": 40000}, "a_dry_run_of_a_slice_without_pruning", plan)
report(as_json("knn", "line.npy", "-k3", "--dry-run")["rows"] == 4, "a_dry_run_of_four_points")

# ---- What is refused ----
for name, said, words in (
        ("no_k", "missing -k", ("line.npy",)), ("a_k_of_0", "-k 0", ("line.npy", "-k", "0")),
        ("a_negative_k", "-k -1", ("line.npy", "-k", "-1")), ("a_k_above_1024", "-k 1025", ("line.npy", "-k", "1025")),
        ("a_word_as_k", "-k x", ("line.npy", "-k", "x")), ("a_broken_k", "-k 1.5", ("line.npy", "-k", "1.5")),
        ("a_nan_k", "-k nan", ("line.npy", "-k", "nan")), ("k_of_n", "4 points", ("line.npy", "-k", "4")),
        ("k_above_n_with_queries", "2 points", ("q.npy", "-k", "3", "--queries", "line.npy")),
        ("distances_in_a_npy_of_neighbours", "--distances D.npy", ("line.npy", "-k", "1", "--distances", "-", "-o", "i.npy")),
        ("names_in_a_npy", "has no names", ("named.csv", "-k", "1", "--id", "name", "-o", "i.npy")),
        ("distances_without_neighbours", "-o I.npy", ("line.npy", "-k", "1", "--distances", "e.npy")),
        ("a_negative_box", "--box -1", ("line.npy", "-k", "1", "--box", "-1")),
        ("two_sets", "unexpected argument", ("line.npy", "q.npy", "-k", "1")),
        ("an_output_that_exists", "exists", ("line.npy", "-k", "1", "-o", "grid.npy")),
        ("an_unknown_ending", "must end in", ("line.npy", "-k", "1", "-o", "i.txt"))):
    refuses(name, 2, said, "knn", *words)
refuses("other_features", 3, "features", "knn", "line.npy", "-k", "1", "--queries", "x.npy")
refuses("one_point", 2, "1 point;", "knn", save("one.npy", np.zeros((1, 2))), "-k", "1")
finish()
