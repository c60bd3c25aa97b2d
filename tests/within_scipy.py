#!/usr/bin/env python3
"""within_scipy.py BUILD_DIR [--device D,D...]: `wedge within` equals cKDTree.query_pairs and brute force by NumPy.

Every metric, one set and two, periodic boxes, n = 1, 2, 3, negative and huge coordinates, one cluster where every pair
hits; the same bytes for every number of threads and shards, pruned or not, resumed or not; what is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
from scipy.spatial import cKDTree


def pairs_of(*words, device="cpu"):
    good("within", *words, "-o", "out.npy", "--force", "--no-sync", device=device)
    got = np.load(path("out.npy"))
    assert got.dtype == np.int64 and got.ndim == 2 and got.shape[1] == 2
    return got


def lines(*words):
    text = good("within", *words).split()
    return np.array(text, dtype="i8").reshape(-1, 2)


# ---- Every metric ----

def compare(metric, a, b, device, box=None):
    value, extra = METRICS[metric][0], EXTRA.get(metric, ())
    v = value(a.astype("f8"), a.astype("f8") if b is None else b.astype("f8"), box)
    inside = np.triu(np.ones(v.shape, bool), 1) if b is None else np.ones(v.shape, bool)
    positive = v[inside][v[inside] >= 0]
    radius = gap_at(positive, 0.2) if len(positive) else 0.0
    want = np.argwhere(inside & (v <= radius))
    more = () if box is None else ("--box", ",".join(map(str, box)))
    if box is not None and radius > min(x for x in box if x) / 2:
        return f"radius {radius} does not suit the test"
    files = (save("a.npy", a),) if b is None else (save("a.npy", a), save("b.npy", b))
    words = (*files, "--radius", repr(radius), "--metric", metric, *extra, *more)
    got = pairs_of(*words, "--values", "v.npy", device=device)
    if not np.array_equal(got, want):
        return f"{len(got)} pairs, not {len(want)}"
    values = np.load(path("v.npy"))
    values = values if values.ndim == 1 else values[:, 0]
    far = np.abs(values - v[want[:, 0], want[:, 1]]) > 1e-5 * np.maximum(1, np.abs(values))
    if values.dtype != a.dtype or far.any():
        return f"values: {values.dtype}, {far.sum()} are wrong"
    if device != "cpu" and (b is not None or box is not None):
        return "" # a kernel for each: t440, t452 and t455 have them
    if good("within", *words, "--count", device=device) != f"pairs: {len(want)}\n":
        return "--count"
    return "" if np.array_equal(pairs_of(*words, "--brute", device=device), want) else "--brute"


for device in devices():
    for k, metric in enumerate(METRICS if device == "cpu" else ("euclidean",)):
        wrong = ""
        for n in (1, 2, 3, 150) if device == "cpu" else (1, 60):
            a = points_for(metric, n, "f4" if metric == "chebyshev" else "f8")
            wrong = wrong or compare(metric, a, None, device)
            wrong = wrong or compare(metric, a, points_for(metric, 70, a.dtype), device)
        report(not wrong, f"{device}_{metric}", wrong)
    for metric in ("euclidean", "cityblock", "chebyshev", "minkowski") if device == "cpu" else ("euclidean",):
        a = (points_for(metric, 200) * 20).round(3)
        d = a.shape[1]
        wrong = compare(metric, a, None, device, [41.5] * d) or compare(metric, a, a[:50] + 0.01, device,
                                                                      [41.5] + [50.25] * (d - 1))
        report(not wrong, f"{device}_{metric}_in_a_box", wrong)

# ---- Against SciPy's tree ----
x = random.random((30000, 3)) - 0.5
save("x.npy", x)
want = cKDTree(x).query_pairs(0.03, output_type="ndarray")
want = want[np.lexsort((want[:, 1], want[:, 0]))]
got = pairs_of("x.npy", "--radius", "0.03")
report(np.array_equal(got, want), "ckdtree_of_30000_points", f"{len(got)} {len(want)}")
report(np.array_equal(lines("x.npy", "--radius", "0.03"), want), "as_lines")
report(len(want) == as_json("within", "x.npy", "--radius", "0.03", "--count")["pairs"], "as_json")
tree = cKDTree(x % 1.0, boxsize=1.0).query_pairs(0.03, output_type="ndarray")
tree = tree[np.lexsort((tree[:, 1], tree[:, 0]))]
got = pairs_of("x.npy", "--radius", "0.03", "--box", "1")
report(np.array_equal(got, tree) and len(tree) > len(want), "ckdtree_in_a_box", f"{len(got)} {len(tree)}")
for scale, shift in ((1.0, -1000), (1e100, 0), (1e-100, 0), (1.0, 1e6)):
    y = x[:3000] * scale + shift
    want = cKDTree(y).query_pairs(0.05 * scale, output_type="ndarray")
    want = want[np.lexsort((want[:, 1], want[:, 0]))]
    got = pairs_of(save("y.npy", y), "--radius", repr(0.05 * scale))
    report(np.array_equal(got, want), f"coordinates_times_{scale}_plus_{shift}", f"{len(got)} {len(want)}")

# ---- Nothing is dropped, no counter wraps ----
save("cluster.npy", (1e-3 * random.random((100000, 3))).astype("f4"))
got = good("within", "cluster.npy", "--radius", "1", "--count").strip()
report(got == "pairs: 4999950000", "a_cluster_of_100000_points_has_5e9_pairs", got)
got = pairs_of(save("dense.npy", 1e-3 * random.random((2500, 2))), "--radius", "1", "--memory", "2M")
i, j = np.triu_indices(2500, 1)
report(np.array_equal(got, np.stack([i, j], 1)), "every_pair_hits_with_little_memory")

# ---- The same bytes ----
good("within", "x.npy", "--radius", "0.03", "-o", "want.npy", "--values", "want_v.npy")


def same(name):
    equal = all(open(path(a), "rb").read() == open(path(b), "rb").read() for a, b in
                (("want.npy", "got.npy"), ("want_v.npy", "got_v.npy")))
    report(equal, name)
    os.remove(path("got.npy")), os.remove(path("got_v.npy"))


to = ("x.npy", "--radius", "0.03", "-o", "got.npy", "--values", "got_v.npy")
for words in (("--threads", 1), ("--threads", 2), ("--threads", 7), ("--brute",), ("--memory", "6M"), ("--no-sync",)):
    good("within", *to, *words)
    same("same_bytes_" + "_".join(map(str, words)).strip("-"))
for shards in (2, 3, 5):
    for k in random.permutation(shards) + 1:
        report(not os.path.exists(path("got.npy")), f"not_there_before_the_last_of_{shards}")
        good("within", *to, "--shard", f"{k}/{shards}")
    same(f"same_bytes_{shards}_shards")
for shards in (1, 4):
    few = ("few.npy", "--radius", "10", "-o", "got_few.npy")
    save("few.npy", x[:2])
    for k in range(shards):
        good("within", *few, "--shard", f"{k + 1}/{shards}")
    report(np.array_equal(np.load(path("got_few.npy")), [[0, 1]]), f"one_pair_in_{shards}_shards")
    os.remove(path("got_few.npy"))
good("within", *to)
report("everything was computed already" in run("within", *to, "--resume").stderr, "a_finished_output_is_recognised")
os.remove(path("got_v.npy"))
good("within", *to, "--resume")
same("a_missing_file_of_values_is_made_again")
good("within", *to)
os.remove(path("got.npy"))
good("within", *to, "--resume")
same("a_missing_file_of_pairs_is_made_again")

# ---- Text and names of files ----
save("four.npy", np.array([[0.0, 0], [3, 4], [12, 16], [3.5, 4]]))
report(good("within", "four.npy", "--radius", "5") == "0 1\n1 3\n", "lines")
report(good("within", "four.npy", "--radius", "5", "--values", "-") == "0 1 5\n1 3 0.5\n", "lines_with_values")
report(as_json("within", "four.npy", "--radius", "5") == {"list": [[0, 1], [1, 3]], "pairs": 2}, "list_in_json")
report(as_json("within", "four.npy", "--radius", "0.1") == {"list": [], "pairs": 0}, "empty_list_in_json")
good("within", "four.npy", "--radius", "5", "-o", "four.csv", "--values", "-")
report(open(path("four.csv")).read() == "i,j,value\n0,1,5\n1,3,0.5\n", "csv")
good("within", save("bond.npy", np.array([[0.0, 0, 0], [1, 2, 2]])), "--radius", "5", "--metric", "displacement", "-o",
     "bond.csv", "--values", "-")
report(open(path("bond.csv")).read() == "i,j,value1,value2,value3,value4\n0,1,3,1,2,2\n", "csv_of_several_values")
report(good("within", "four.npy", "--radius", "5", "--json=report.json") == "0 1\n1 3\n" and
       json.load(open(path("report.json")))["result"] == {"pairs": 2}, "json_in_a_file_beside_lines")
good("within", "four.npy", "--radius", "5", "-o", "four.tsv")
report(open(path("four.tsv")).read() == "i\tj\n0\t1\n1\t3\n", "tsv")
report(good("within", "four.npy", "--radius", "0") == "", "a_radius_of_0_is_valid")
report(pairs_of(save("one.npy", np.zeros((1, 3))), "--radius", "1").shape == (0, 2), "one_point_has_no_pairs")
with open(path("four.npy"), "rb") as f:
    report(run("within", "-", "--radius", "5", "--quiet", stdin=f).stdout == "0 1\n1 3\n", "standard_input")

before = sorted(os.listdir(folder.name))
for command, words, size in (("within", ("--radius", "5", "-o", "dry.npy"), "2 pairs, 32 bytes"),
                             ("within", ("--radius", "5", "-o", "dry.npy", "--values", "v9.npy"), "2 pairs, 48 bytes"),
                             ("knn", ("-k", "2", "--distances", "v9.npy", "-o", "dry.npy"), "4 rows, 128 bytes"),
                             ("collide", (), "6 pairs, 96 bytes")):
    said = good(command, "four.npy", *words, "--dry-run")
    report("size    " + size in said and "device  cpu" in said and sorted(os.listdir(folder.name)) == before, f"dry_{command}", said)

# ---- Names in place of numbers ----
with open(path("named.csv"), "w") as f:
    f.write('x,name,y\n0,alpha,0\n3,"b, ""c""",4\n12,gamma,16\n3.5,,4\n')
report(good("within", "named.csv", "--radius", "5", "--id", "name") == 'alpha "b, ""c"""\n"b, ""c""" ""\n', "names")
report(as_json("within", "named.csv", "--radius", "5", "--id", "2")["list"] == [["alpha", 'b, "c"'], ['b, "c"', ""]],
       "names_in_json")
good("within", "named.csv", "--radius", "5", "--id", "name", "-o", "named_out.csv", "--values", "-")
report(open(path("named_out.csv")).read() == 'i,j,value\nalpha,"b, ""c""",5\n"b, ""c""","",0.5\n', "names_in_csv")
with open(path("pandas.csv"), "w") as f:
    f.write(",name,x\n0,one,0\n1,two,1\n2,three,9\n")
report(good("within", "pandas.csv", "--radius", "1", "--id", "name") == "one two\n", "names_beside_an_index")
report(good("within", "named.csv", "pandas.csv", "--radius", "1", "--id", "name", "--columns", "x") == "alpha one\nalpha two\n",
       "names_of_two_sets_with_columns")
with open(path("bare.txt"), "w") as f:
    f.write("one 0 0\ntwo 0 1\n")
report(good("within", "bare.txt", "--radius", "1", "--id", "1") == "one two\n", "names_without_a_header")

# ---- What is refused ----
for name, said, words in (
        ("no_radius", "--radius", ("four.npy",)), ("a_negative_radius", "--radius -1", ("four.npy", "--radius", "-1")),
        ("a_nan_radius", "--radius nan", ("four.npy", "--radius", "nan")),
        ("an_infinite_radius", "--radius inf", ("four.npy", "--radius", "inf")),
        ("a_word_as_radius", "--radius x", ("four.npy", "--radius", "x")),
        ("a_negative_box", "--box -3", ("four.npy", "--radius", "1", "--box", "-3")),
        ("a_nan_box", "--box nan", ("four.npy", "--radius", "1", "--box", "nan")),
        ("a_word_as_box", "--box 3,x", ("four.npy", "--radius", "1", "--box", "3,x")),
        ("a_box_of_0", "above 0", ("four.npy", "--radius", "1", "--box", "0")),
        ("three_lengths_for_two_coordinates", "3 lengths", ("four.npy", "--radius", "1", "--box", "3,3,3")),
        ("a_box_below_twice_the_radius", "too short", ("four.npy", "--radius", "1.6", "--box", "4,3.1")),
        ("a_squared_box_below_twice_the_radius", "too short",
         ("four.npy", "--radius", "2.3", "--box", "3", "--metric", "sqeuclidean")),
        ("a_box_for_a_metric_without_differences", "has no periodic form",
         ("four.npy", "--radius", "1", "--box", "3", "--metric", "dot")),
        ("an_unknown_ending", "must end in .npy", ("four.npy", "--radius", "1", "-o", "out.txt")),
        ("values_beside_npy", "--values V.npy", ("four.npy", "--radius", "1", "-o", "new.npy", "--values", "-")),
        ("values_without_pairs", "-o PAIRS.npy", ("four.npy", "--radius", "1", "--values", "v2.npy")),
        ("one_file_for_both", "name another", ("four.npy", "--radius", "1", "-o", "z.npy", "--values", "z.npy")),
        ("a_count_with_a_file", "--count", ("four.npy", "--radius", "1", "-o", "z.npy", "--count")),
        ("the_input_as_output", "overwritten", ("four.npy", "--radius", "1", "-o", "four.npy", "--force")),
        ("an_output_that_exists", "exists", ("four.npy", "--radius", "1", "-o", "one.npy")),
        ("shards_on_standard_output", "--shard", ("four.npy", "--radius", "1", "--shard", "1/2")),
        ("names_in_npy", "--id needs pairs as text", ("named.csv", "--radius", "1", "--id", "name", "-o", "n.npy")),
        ("names_of_npy", "has no names", ("four.npy", "--radius", "1", "--id", "1")),
        ("an_unknown_column_of_names", "did you mean 'name'", ("named.csv", "--radius", "1", "--id", "nam")),
        ("two_columns_of_names", "--id 1:2", ("named.csv", "--radius", "1", "--id", "1:2")),
        ("an_unknown_metric", "did you mean 'cosine'", ("four.npy", "--radius", "1", "--metric", "cosin")),
        ("an_unknown_option", "did you mean '--radius'", ("four.npy", "--radus", "1"))):
    refuses(name, 2, said, "within", *words)
report(good("within", "four.npy", "--radius", "1.5", "--box", "4,3") != "", "a_box_of_twice_the_radius_is_taken")
# ---- One rule at R, for every command: what edm prints, it is within ----
for r in ("0.1", "0.3", "0.7"):
    words = (save("r.npy", np.array([[0], [r]], "f4")), "--metric", "cityblock")
    good("edm", *words, "-o", "d.csv", "--force")
    report(open(path("d.csv")).read().split()[-1].split(",")[-1] == r, f"edm_prints_{r}")
    report(good("within", *words, "--radius", r) == "0 1\n", f"within_{r}_of_f4")
    counts = good("histogram", *words, "--max", r, "--bins", "1").split("\n")
    report(counts[0].endswith(" 1") and "above: 0" in counts, f"histogram_up_to_{r}_of_f4", counts)
    atoms = save("atoms.npy", np.array([[0, 0, 0], [r, 0, 0], [0.05, 0, 0]], "f4"))
    found = as_json("triplets", atoms, "--cutoff", r, "--histogram", 3, "--max", r, "-o", "h.npy", "--force")
    report(found["triplets"] == 1 and np.load(path("h.npy"))[2].sum() == 1, f"triplets_up_to_{r}_of_f4", found)

save("nan.npy", np.array([[0.0, 0], [np.nan, 1]]))
refuses("nan_in_the_data", 3, "nan.npy", "within", "nan.npy", "--radius", "1")
refuses("a_missing_file", 3, "none.npy", "within", "none.npy", "--radius", "1")
refuses("an_overflow", 3, "--dtype f64", "within", save("huge.npy", np.array([[1e30], [2e30]], "f4")), "--radius", "1",
        "--metric", "sqeuclidean")
refuses("an_unknown_device", 4, "cuda:9", "within", "four.npy", "--radius", "1", device="cuda:9")
report(good("within", "nan.npy", "--radius", "9", "--nan", "propagate") == "", "nan_is_within_no_radius")
finish()
