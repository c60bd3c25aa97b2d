#!/usr/bin/env python3
"""collide_numpy.py BUILD_DIR [--device D,D...]: `wedge collide` equals brute force by NumPy.

Spheres of mixed radii in 1 to 3 dimensions, open and periodic; boxes in 1 to 3; those that just touch; n = 1, 2, 3; the same
bytes for every number of threads and shards, pruned or not; what is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *


def pairs_of(*words, device="cpu"):
    good("collide", *words, "-o", "out.npy", "--force", "--no-sync", device=device)
    return np.load(path("out.npy"))


def some_spheres(n, d, most=0.2):
    x = (random.random((n, d + 1)) - 0.5) * 4
    x[:, d] = most * random.random(n) ** 3
    return x


def some_boxes(n, d):
    x = (random.random((n, 2 * d)) - 0.5) * 4
    x[:, d:] = x[:, :d] + random.random((n, d)) ** 2
    return x


def compare(x, gap, words, device, box=None):
    v = gap(x, x, box)
    want = np.argwhere(np.triu(np.ones(v.shape, bool), 1) & (v <= 0))
    words = (save("a.npy", x), *words) + (() if box is None else ("--box", ",".join(map(str, box))))
    got = pairs_of(*words, device=device)
    if got.dtype != np.int64 or not np.array_equal(got, want):
        return f"{len(got)} pairs, not {len(want)}"
    if device != "cpu" and (gap == boxes or box is not None):
        return "" # a kernel for each: t440, t452 and t455 have them
    if good("collide", *words, "--count", device=device) != f"pairs: {len(want)}\n":
        return "--count"
    return "" if np.array_equal(pairs_of(*words, "--brute", device=device), want) else "--brute"


for device in devices():
    sizes = (1, 2, 3, 600) if device == "cpu" else (150,)
    for d in (1, 2, 3) if device == "cpu" else (3,):
        wrong = ""
        for n in sizes:
            wrong = wrong or compare(some_spheres(n, d), spheres, (), device)
            wrong = wrong or compare(some_spheres(n, d), spheres, (), device, [4.0] * d)
        report(not wrong, f"{device}_spheres_in_{d}_dimensions", wrong)
        wrong = ""
        for n in sizes:
            wrong = wrong or compare(some_boxes(n, d), boxes, ("--boxes",), device)
        report(not wrong, f"{device}_boxes_in_{d}_dimensions", wrong)
wrong = compare(some_spheres(500, 3), spheres, (), "cpu", [4.0, 0, 5.5])
report(not wrong, "a_box_that_is_open_on_one_side", wrong)
big = np.concatenate([some_spheres(2000, 3, 0.15), [[0, 0, 0, 1.9]]])
report(not compare(big, spheres, (), "cpu"), "one_large_sphere_among_2000")
report(not compare(some_spheres(2000, 2, 0.1) + [[1e3, -1e3, 0]], spheres, (), "cpu"), "far_from_the_origin")

# ---- Those that just touch ----
save("touch.npy", np.array([[0.0, 0, 0, 2], [3, 4, 0, 3], [3, 4, 12, 8.9], [3, 4, 12, 0]]))
report(good("collide", "touch.npy") == "0 1\n2 3\n", "spheres_that_touch")
save("corner.npy", np.array([[0.0, 0, 1, 1], [1, 1, 2, 2], [2.5, 0, 3, 9], [1.5, 1.5, 1.5, 1.5]]))
report(good("collide", "corner.npy", "--boxes") == "0 1\n1 3\n", "boxes_that_share_a_corner_or_have_no_size")
save("wrap.npy", np.array([[0.25, 0.5], [9.5, 0.25], [5, 1]]))
report(good("collide", "wrap.npy", "--box", "10") == "0 1\n" and good("collide", "wrap.npy") == "", "across_the_border")

# ---- The same bytes ----
save("x.npy", some_spheres(5000, 3, 0.3))
good("collide", "x.npy", "-o", "want.npy")
want = open(path("want.npy"), "rb").read()
for words in (("--threads", 1), ("--threads", 2), ("--threads", 7), ("--brute",)):
    pairs_of("x.npy", *words)
    report(open(path("out.npy"), "rb").read() == want, "same_bytes_" + "_".join(map(str, words)).strip("-"))
os.remove(path("out.npy"))
for k in (2, 3, 1):
    good("collide", "x.npy", "-o", "out.npy", "--shard", f"{k}/3")
report(open(path("out.npy"), "rb").read() == want, "same_bytes_3_shards")

# ---- What is refused ----
refuses("a_negative_sphere", 3, "sphere 1 has a radius of -1", "collide", save("b.npy", np.array([[0.0, 1], [2, -1]])))
refuses("lo_above_hi", 3, "box 1 goes from 3 to 2", "collide", save("b.npy", np.array([[0.0, 1], [3, 2]])), "--boxes")
refuses("one_column", 3, "1 column;", "collide", save("b.npy", np.array([[0.0], [2]])))
refuses("five_columns", 3, "5 columns", "collide", save("b.npy", np.zeros((2, 5))))
refuses("three_columns_of_boxes", 3, "3 columns", "collide", save("b.npy", np.zeros((2, 3))), "--boxes")
refuses("a_periodic_box_of_boxes", 2, "--box is for spheres", "collide", "corner.npy", "--boxes", "--box", "9")
refuses("a_box_below_two_spheres", 2, "spheres, of radius 8.9 and 3: they could touch on both sides; use a box of 23.8 or more",
        "collide", "touch.npy", "--box", "20")
report(run("collide", "touch.npy", "--box", "23.8", "--count").returncode == 0, "the_box_that_is_asked_for_is_taken")
refuses("a_metric", 2, "no option '--metric'", "collide", "touch.npy", "--metric", "boxes")
refuses("two_files", 2, "unexpected argument", "collide", "touch.npy", "wrap.npy")
refuses("nan", 3, "b.npy", "collide", save("b.npy", np.array([[0.0, 1], [2, np.nan]])))
finish()
