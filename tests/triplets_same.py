#!/usr/bin/env python3
"""triplets_same.py BUILD_DIR [--device D,D...]: `wedge triplets` prints the same bytes for every thread, map and shard count,
after a stop or a kill and --resume; what it reads, prints, keeps and refuses.

SPDX-License-Identifier: MIT"""
from triplets_oracle import *
import glob
import signal
import time

# ---- The same bytes ----
save("x.npy", cluster(300, "f4"))
for device in devices():
    want = good("triplets", "x.npy", device=device)
    for words in (("--threads", 1), ("--threads", 2), ("--threads", 7), ("--map", "walk"), ("--map", "lambda"),
                  ("--memory", "8M"), ("--nu", "1"), ("--potential", "axilrod-teller"), ("--resume",)):
        got = good("triplets", "x.npy", *words, "--quiet", device=device) if device == "cpu" or "--map" in words else want
        report(got == want, f"{device}_same_bytes_" + "_".join(map(str, words)).strip("-"), (got, want))
    for shards in (2, 3, 7) if device == "cpu" else (2,):
        out = [good("triplets", "x.npy", "--shard", f"{k}/{shards}", device=device) for k in random.permutation(shards) + 1]
        report(out == [""] * (shards - 1) + [want], f"{device}_same_bytes_{shards}_shards", out)
save("few.npy", cluster(4))
want_few = good("triplets", "few.npy")
out = [good("triplets", "few.npy", "--shard", f"{k}/9") for k in range(1, 10)]
report(out[-1] == want_few and not any(out[:-1]), "more_shards_than_triplets", out)
want = good("triplets", "x.npy")
both = [subprocess.Popen([WEDGE, "triplets", "x.npy", "--shard", f"{k}/6", "--device", "cpu", "--quiet", "--threads", "1"],
                         cwd=folder.name, stdout=subprocess.PIPE, text=True) for k in range(1, 7)]
out = [p.communicate()[0] for p in both]
report(sorted(out) == [""] * 5 + [want], "of_shards_that_run_at_once_one_prints", out)
good("triplets", "x.npy", "--shard", "1/2")
again = good("triplets", "x.npy", "--shard", "1/2", "--resume")
report((again, good("triplets", "x.npy", "--shard", "2/2")) == ("", want), "a_shard_that_is_done_stays_so", again)
near = ("x.npy", "--cutoff", "2.5", "--histogram", "6", "--max", "2")
want_near = good("triplets", *near, "-o", "h.npy")
for shards in (2, 5):
    out = [good("triplets", *near, "-o", "h2.npy", "--shard", f"{k}/{shards}") for k in random.permutation(shards) + 1]
    equal = open(path("h.npy"), "rb").read() == open(path("h2.npy"), "rb").read()
    report(out[-1] == want_near and equal, f"a_cutoff_and_a_histogram_in_{shards}_shards", out)
    os.remove(path("h2.npy"))
left = [f for f in os.listdir(folder.name) if ".triplets" in f]
report(not left, "nothing_is_left_beside", left)

# ---- Stopped, killed, resumed ----
# Enough atoms for about two seconds, so that what was added up is kept once; a build with sanitizers needs far fewer.
save("probe.npy", random.random((900, 3)) * 15)
started = time.time()
good("triplets", "probe.npy", "--threads", "1")
atoms = int(min(2300, 900 * max(1, 2 / (time.time() - started)) ** (1 / 3)))
save("big.npy", random.random((atoms, 3)) * 15)
BIG = ("big.npy", "--threads", "1")
want_big = good("triplets", *BIG)
LEFT = "state/wedge/big.npy-*.triplets.part"


def left():
    return glob.glob(path(LEFT))


def stop(how, *words):
    """Stops a run once it has kept something; None: it was done before."""
    p = subprocess.Popen([WEDGE, "triplets", *BIG, *words, "--device", "cpu", "--quiet"], cwd=folder.name,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started = time.time()
    while p.poll() is None and not (left() or (how != signal.SIGKILL and time.time() > started + 0.3)):
        time.sleep(0.002)
    p.send_signal(how)
    out, said = p.communicate()
    return None if p.returncode == 0 else (p.returncode, out, said)


for how, code in ((signal.SIGINT, 6), (signal.SIGTERM, 6), (signal.SIGKILL, -9)):
    end = stop(how)
    if end is None:
        print(f"skip  {how.name}: it was done too soon")
        continue
    report(end[:2] == (code, "") and (code < 0 or "--resume continues" in end[2]), how.name, end)
    report(len(left()) == 1, f"{how.name}_keeps_what_was_added_up", left())
    report(code < 0 or all(f in end[2] for f in left()), f"{how.name}_says_where", end[2])
    report(not [f for f in os.listdir(folder.name) if f.startswith("big.npy.")], f"{how.name}_keeps_nothing_beside_the_input")
    report(good("triplets", *BIG, "--resume") == want_big, f"{how.name}_resumed_to_the_same_bytes")
    report(not left(), f"{how.name}_resumed_leaves_nothing_beside")


def percent(words, said):
    return float(said.split(words)[1].split("%")[0]) if words in said else -1


# What is said of --resume is what --resume does, also where an earlier run came further, or less far.
first = stop(signal.SIGINT)
if first and left():
    kept = percent("stopped at", first[2])
    p = subprocess.Popen([WEDGE, "triplets", *BIG, "--device", "cpu"], cwd=folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = p.stderr.readline()
    p.send_signal(signal.SIGINT)
    said += p.communicate()[1]
    report(f"an earlier run of this stopped at {kept} %; --resume continues it" in said, "an_earlier_run_is_pointed_out", said)
    if p.returncode == 6 and percent("stopped at", said) < kept:
        report(f"an earlier run got to {kept} %, and --resume continues from there" in said, "the_one_that_came_further_is_what_resume_continues", said)
        again = stop(signal.SIGINT, "--resume")
        report(not again or again[0] != 6 or percent("stopped at", again[2]) >= kept, "and_resume_does", again)
    report(good("triplets", *BIG, "--force") == want_big and not left(), "force_starts_again")
PLAIN, BIG, LEFT = BIG, (*BIG, "--state", "kept"), "kept.triplets.part"
if stop(signal.SIGINT):
    kept = open(path(LEFT), "rb").read()
    done = run("triplets", *BIG, "--resume", "--nu", "2")
    report(done.returncode == 2 and "nu is '1' there, but '2' here" in done.stderr, "another_nu_is_not_resumed", done.stderr)
    report(good("triplets", "big.npy", "--dtype", "f32", "--state", "kept") != want_big and open(path(LEFT), "rb").read() == kept,
           "another_run_leaves_it_alone")
    for name, bytes_ in (("cut_short", kept[:-5]), ("altered", kept[:-80] + b"?" + kept[-79:]), ("not_ours", b"my notes\n")):
        with open(path(LEFT), "wb") as f:
            f.write(bytes_)
        done = run("triplets", *BIG, "--resume")
        report(done.returncode == 2 and "damaged" in done.stderr, f"a_file_that_is_{name}_is_refused", done.stderr)
        report(open(path(LEFT), "rb").read() == bytes_, f"a_file_that_is_{name}_is_left_alone")
    os.remove(path(LEFT))
# Another process keeps the lock of the shards: who it is is said.
if os.path.exists("/proc/self/fdinfo"):
    import fcntl
    with open(path("held.triplets.lock"), "w") as f:
        os.chmod(f.name, 0o600)
        f.write("wedge-lock 1\n")
        f.flush()
        fcntl.lockf(f, fcntl.LOCK_EX, 1)
        p = subprocess.Popen([WEDGE, "triplets", "few.npy", "--state", "held", "--shard", "1/2", "--device", "cpu"], cwd=folder.name,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = p.stderr.readline()
    p.communicate()
    report(f"is locked by process {os.getpid()}" in said and not p.returncode, "a_lock_that_is_kept_is_told_and_waited_for", said)
    report(good("triplets", "few.npy", "--state", "held", "--shard", "2/2") == want_few and not os.path.exists(path("held.triplets.lock")),
           "and_then_the_shards_end")
BIG = (save("mid.npy", random.random((atoms * 2 // 3, 3)) * 15), "--threads", "1", "--histogram", "4", "--max", "9", "-o", "big_h.npy")
LEFT = "big_h.npy.triplets.part"
want_big = good("triplets", *BIG)
os.rename(path("big_h.npy"), path("want_h.npy"))
if stop(signal.SIGKILL):
    equal = good("triplets", *BIG, "--resume") == want_big
    report(equal and open(path("big_h.npy"), "rb").read() == open(path("want_h.npy"), "rb").read(), "a_killed_histogram_resumes")
report(good("triplets", "few.npy", "--state", "elsewhere", "--resume") == want_few, "the_state_can_be_elsewhere")

# ---- What is printed and read ----
x = cluster(5)
want = good("triplets", save("five.npy", x))
np.savetxt(path("five.csv"), x, "%.17g", ",")
report(good("triplets", "five.csv") == want, "text")
write_xyz("five.xyz", x, ["C", "H", "H", "H", "H"])
report(good("triplets", "five.xyz") == want, "xyz")
with open(path("five.xyz"), "rb") as f:
    report(run("triplets", "-", "--quiet", stdin=f).stdout == want, "xyz_from_standard_input")
with open(path("nu.xyz"), "w") as f:
    f.write("5\nnu in column 5\n" + "".join("C %.17g %.17g %.17g 1\n" % tuple(p) for p in x))
report(energy_of("nu.xyz", "--columns", "2:5")[1] == 10 and good("triplets", "nu.xyz") == want, "columns_of_xyz")
said = run("triplets", "five.xyz").stderr
report(said == "five.xyz: 5 points, 3 features (x, y, z); column 1 (element) skipped\n", "what_was_read_is_said", said)
got = as_json("triplets", "five.npy")
report((got["energy"], got["triplets"]) == answer(want), "json", got)
report(json.loads(good("triplets", "five.npy", "--json", "--shard", "1/2"))["result"] is None, "json_of_a_shard")
good("triplets", "five.npy", "--shard", "2/2")
before = sorted(os.listdir(folder.name))
said = good("triplets", "five.npy", "--dry-run")
report("size    10 triplets" in said and "time " in said and "device  cpu" in said and
       sorted(os.listdir(folder.name)) == before, "dry_run", said)
report(as_json("triplets", "five.npy", "--dry-run") == {"triplets": 10}, "dry_run_as_json")
report(good("triplets", "five.npy", "--nu", "0") in ("energy 0\ntriplets 10\n", "energy -0\ntriplets 10\n"), "nu_may_be_0")

# ---- What is refused ----
for name, said, words in (
        ("a_negative_nu", "--nu -1", ("--nu", "-1")), ("a_nan_nu", "--nu nan", ("--nu", "nan")),
        ("a_negative_cutoff", "--cutoff -1", ("--cutoff", "-1")), ("a_cutoff_of_0", "--cutoff 0", ("--cutoff", "0")),
        ("an_infinite_cutoff", "--cutoff inf", ("--cutoff", "inf")), ("a_word_as_cutoff", "--cutoff x", ("--cutoff", "x")),
        ("a_box_without_cutoff", "--cutoff R", ("--box", "9")),
        ("a_cutoff_of_a_third", "a third", ("--box", "9", "--cutoff", "3")),
        ("a_cutoff_beyond_one_third", "must be below 2", ("--box", "9,6,9", "--cutoff", "2.5")),
        ("two_lengths", "one or three", ("--box", "9,9", "--cutoff", "1")),
        ("a_box_of_0", "above 0", ("--box", "0", "--cutoff", "1")),
        ("a_potential", "axilrod-teller", ("--potential", "axilrod")), ("a_map", "lambda", ("--map", "bb")),
        ("forces_with_shards", "leave out --shard", ("--forces", "n.npy", "--shard", "1/2")),
        ("forces_elsewhere", ".npy, .csv or .tsv", ("--forces", "n.txt")),
        ("a_histogram_without_max", "--max R", ("--histogram", "3", "-o", "h.npy")),
        ("a_histogram_without_output", "-o H.npy", ("--histogram", "3", "--max", "1")),
        ("max_without_a_histogram", "--histogram B", ("--max", "1")),
        ("an_output_without_a_histogram", "--histogram B", ("-o", "h.npy")),
        ("102_bins", "1 to 101", ("--histogram", "102", "--max", "1", "-o", "h.npy")),
        ("a_max_of_0", "--max 0", ("--histogram", "2", "--max", "0", "-o", "h.npy")),
        ("a_histogram_as_text", "must end in .npy", ("--histogram", "2", "--max", "1", "-o", "h.csv")),
        ("an_output_that_exists", "few.npy exists", ("--forces", "few.npy", "--resume")),
        ("the_input_as_output", "overwritten", ("--forces", "five.npy", "--force")),
        ("an_unknown_option", "did you mean '--cutoff'", ("--cutof", "1"))):
    refuses(name, 2, said, "triplets", "five.npy", *words)
refuses("an_output_that_exists_before_it_reads", 2, "few.npy exists", "triplets", "none.npy", "--forces", "few.npy", "--resume")
out = []
for k in (1, 2):
    with open(path("x.npy"), "rb") as f:
        out.append(run("triplets", "-", "--shard", f"{k}/2", "--quiet", stdin=f).stdout)
report(out == ["", good("triplets", "x.npy")], "shards_of_standard_input", out)


def bad(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return name


refuses("two_atoms_at_one_place", 3, "row 1 (from 0) and row 4 (from 0) are at the same position", "triplets", save("c.npy", x[[0, 1, 2, 3, 1]]))
refuses("two_lines_at_one_place", 3, "line 2 and line 4", "triplets", bad("c.csv", "x,y,z\n-0,0,0\n1,0,0\n0,0,0\n"))
refuses("two_elements_at_one_place", 3, "line 4 (H) and line 5 (He)", "triplets",
        bad("c.xyz", "3\n\nO 0 0 0\nH 1 2 3\nHe 1 2 3\n"))
refuses("atoms_too_close_for_f32", 3, "row 0 (from 0) and row 1 (from 0), are", "triplets",
        save("f.npy", np.array([[0, 0, 0], [1e-14, 0, 0], [1, 1, 1]], "f4")))
report(good("triplets", "c.npy", "--nan", "propagate").startswith("energy nan"), "nan_where_it_is_accepted")
for name, said, file in (
        ("a_negative_nu_of_an_atom", "line 3 has nu = -1", bad("n.csv", "x,y,z,nu\n0,0,0,1\n1,0,0,-1\n0,2,0,1\n")),
        ("nan", "row 1, column 1", save("nan.npy", np.array([[0, 0, 0], [1, np.nan, 0], [2, 0, 0]]))),
        ("two_columns", "x,y,z or x,y,z,nu", save("two_columns.npy", np.zeros((3, 2)))),
        ("five_columns", "--columns", save("five_columns.npy", np.zeros((3, 5)))),
        ("xyz_with_a_bad_count", "line 1", bad("b1.xyz", "three\n\nO 0 0 0\n")),
        ("xyz_with_a_missing_atom", "line 4", bad("b2.xyz", "3\n\nO 0 0 0\nH 0 0 1\n")),
        ("xyz_with_one_atom_more", "line 4", bad("b3.xyz", "1\n\nO 0 0 0\nH 0 0 1\n")),
        ("xyz_with_a_bad_number", "line 3, column 3: 'a'", bad("b4.xyz", "1\n\nO 0 a 0\n")),
        ("a_missing_file", "cannot be opened", "none.xyz")):
    refuses(name, 3, said, "triplets", file)
with open(path("many.npy"), "wb") as f: # 4,900,000 atoms, which the disk need not have: C(n, 3) passes 64 bits
    np.lib.format.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (4900000, 3)})
    f.truncate(f.tell() + 4900000 * 12)
refuses("more_triplets_than_64_bits_count", 3, "4900000", "triplets", "many.npy")
refuses("an_unknown_device", 4, "cuda:9", "triplets", "five.npy", device="cuda:9")
said = run("triplets", bad("frames.xyz", open(path("five.xyz")).read() * 2))
report(said.stdout == want and "several frames; the first is read" in said.stderr, "the_first_of_two_frames", said.stderr)
finish()
