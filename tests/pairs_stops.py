#!/usr/bin/env python3
"""pairs_stops.py BUILD_DIR: commands over pairs that are stopped, killed or out of space leave nothing half-written, and
--resume ends with the same bytes.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
import fnmatch
import resource
import signal
import time

save("x.npy", random.random((24000, 3)))
WITHIN = ("within", "x.npy", "--radius", "0.08", "--brute", "--threads", "1", "--memory", "4M")
PRUNED = ("within", "x.npy", "--radius", "0.2", "--threads", "1")
KNN = ("knn", "x.npy", "-k", "40", "--threads", "1", "--memory", "4M", "--metric", "canberra")


def start(words):
    return subprocess.Popen([WEDGE, *words, "--device", "cpu", "--quiet"], cwd=folder.name, stderr=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def stop(words, how, after):
    """Stops a run `after` seconds after its part was made; None: it was done before."""
    process = start(words)
    while process.poll() is None and not os.path.exists(path("got.npy.part")):
        time.sleep(0.002)
    time.sleep(after)
    process.send_signal(how)
    _, said = process.communicate()
    return None if process.returncode == 0 else (process.returncode, said)


def stopped(words, how):
    for after in (0.25, 0.1, 0.03, 0.01, 0):
        end = stop(words, how, after)
        if end:
            return end
        for name in ("got.npy", "got_v.npy"):
            if os.path.exists(path(name)):
                os.remove(path(name))
    return None


def stop_once(words):
    return stopped(words, signal.SIGINT) is not None


for command, more in ((WITHIN, "--values"), (PRUNED, "--values"), (KNN, "--distances")):
    name = "pruned" if command is PRUNED else command[0]
    good(*command, "-o", "want.npy", more, "want_v.npy", "--force")
    words = (*command, "-o", "got.npy", more, "got_v.npy")
    for how, code in ((signal.SIGINT, 6), (signal.SIGTERM, 6), (signal.SIGKILL, -9)):
        end = stopped(words, how)
        if end is None:
            print(f"skip  {name}_{how.name}: it was done too soon")
            continue
        report(end[0] == code and (code < 0 or "--resume continues" in end[1]), f"{name}_{how.name}", end)
        # A kill may come when the first file is in its place already: then that one is whole.
        whole = how == signal.SIGKILL and os.path.exists(path("got.npy"))
        report(open(path("got.npy"), "rb").read() == open(path("want.npy"), "rb").read() if whole else
               not os.path.exists(path("got.npy")), f"{name}_{how.name}_leaves_nothing_half_written")
        good(*words, "--resume")
        equal = all(open(path("want" + e), "rb").read() == open(path("got" + e), "rb").read() for e in (".npy", "_v.npy"))
        report(equal, f"{name}_{how.name}_resumed_to_the_same_bytes")
        left = [f for f in os.listdir(folder.name) if f.startswith("got") and f not in ("got.npy", "got_v.npy")]
        report(not left, f"{name}_{how.name}_resumed_leaves_nothing_beside", left)
        for file in ("got.npy", "got_v.npy"):
            os.remove(path(file))
end = None
good(*WITHIN, "-o", "got.npy", "--values", "got_v.npy")
refuses("another_radius_for_a_finished_file", 2, "radius", "within", "x.npy", "--radius", "0.05", "-o", "got.npy", "--values",
        "got_v.npy", "--resume")
os.remove(path("got.npy")), os.remove(path("got_v.npy"))

# ---- More output than the disk has room for, or a file may have ----
save("s.npy", random.random((1500, 3)))
save("b.npy", np.column_stack([random.random((50, 6)), np.ones(50)]))


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


for name, words in (("within", ("s.npy", "--radius", "0.5", "-o", "full.npy")), ("knn", ("s.npy", "-k", "9", "-o", "full.npy")),
                    ("within", ("s.npy", "--radius", "0.5", "-o", "full.csv")), ("knn", ("s.npy", "-k", "9", "-o", "full.csv")),
                    ("summary", ("s.npy", "--rows", "full.npy")), ("histogram", ("s.npy", "--max", "1", "--bins", "9999", "-o", "full.npy")),
                    ("nbody", ("b.npy", "--steps", "99", "--dt", "0.1", "--every", "1", "--softening", "1", "-o", "full.npy")),
                    ("collide", ("s.npy", "-o", "full.csv"))):
    done = subprocess.run([WEDGE, name, *words, "--device", "cpu"], cwd=folder.name, capture_output=True, text=True,
                          preexec_fn=limited)
    left = [f for f in os.listdir(folder.name) if f.startswith("full")]
    report(done.returncode == 5 and done.stderr.startswith("wedge: ") and "another disk" in done.stderr and not left and
           not done.stdout,
           f"{name}_{words[-1].split('.')[-1]}_without_room", (done.returncode, done.stderr, left))
with open("/dev/full", "w") as full:
    done = subprocess.run([WEDGE, "within", "s.npy", "--radius", "0.5", "--device", "cpu", "--quiet"], cwd=folder.name, stdout=full,
                          stderr=subprocess.PIPE, text=True)
report(done.returncode == 5 and "standard output: No space left on device; free some space" in done.stderr,
       "a_full_standard_output_is_noticed", (done.returncode, done.stderr))

# ---- A list as JSON that is stopped is JSON ----
for name, key, words in (("within", "list", ("--radius", "0.2")), ("knn", "neighbours", ("-k", "40", "--metric", "canberra"))):
    process = start((name, "x.npy", *words, "--threads", "1", "--memory", "4M", "--json"))
    some = process.stdout.read(1 << 16)  # it waits for who reads: the pipe is full
    process.send_signal(signal.SIGINT)
    said = json.loads(some + process.stdout.read())
    code = process.wait()
    listed = said["result"]["pairs" if name == "within" else "rows"]
    report(code == 6 and said["outcome"] == "stopped" and len(said["result"][key]) == listed,
           f"{name}_stopped_is_whole_json", (code, said["outcome"], len(said["result"][key])))
    words = (name, "s.npy", *words[:2], "--json")
    said = json.loads(good(*words))
    report(said["outcome"] == "done" and len(said["result"][key]) > 1000, f"{name}_to_the_end_is_done", said["outcome"])
report(said["box"] is None, "no_box_is_null")
said = json.loads(good("collide", "s.npy", "--columns", "1:2,3", "--box", "9", "--brute", "--json", "--count"))
report(said["box"] == [9, 9] and said["brute"] is True, "the_box_of_spheres_has_a_length_per_coordinate", said)

# ---- A resume that leaves out the second file, or adds one ----
for command, more in ((WITHIN, "--values"), (KNN, "--distances")):
    name = command[0]
    both, one = (*command, "-o", "got.npy", more, "got_v.npy"), (*command, "-o", "got.npy")
    for first, second, said in ((both, one, "'got_v.npy' there, but 'none' here"), (one, both, "'none' there, but 'got_v.npy' here")):
        if not stop_once(first):
            print(f"skip  {name}_resumed_otherwise: it was done too soon")
            continue
        done = run(*second, "--resume")
        report(done.returncode == 2 and said in done.stderr and not os.path.exists(path("got.npy")),
               f"{name}_resumed_otherwise_is_refused", (done.returncode, done.stderr))
        good(*first, "--resume")
        done = run(*one, "--resume")
        report(done.returncode == 0 and "everything was computed already" in done.stderr, f"{name}_a_finished_file_is_the_same_either_way", done.stderr)
        for file in ("got.npy", "got_v.npy"):
            if os.path.exists(path(file)):
                os.remove(path(file))

# ---- Text: the numbers first, as binary beside it, then the lines ----
with open(path("names.csv"), "w") as f:
    f.write("name,x,y,z\n")
    f.writelines("p%d,%r,%r,%r\n" % (i, *row) for i, row in enumerate(random.random((6000, 3)).tolist()))
with open(path("few.csv"), "w") as f:
    f.writelines("%r,%r,%r\n" % tuple(row) for row in random.random((1500, 3)).tolist())
NAMES = ("names.csv", "--id", "name", "--columns", "x,y,z", "--threads", "1", "--memory", "4M")
TEXTS = {"within_values": ("within", *NAMES, "--radius", "0.2", "--brute", "--values", "-"),
         "knn_distances": ("knn", *NAMES, "-k", "60", "--metric", "canberra", "--distances", "-"),
         "edm": ("edm", "few.csv", "--threads", "1", "--memory", "4M")}
BINARY, LINES = "got.csv.part", "got.csv.??????.part"


def got():
    return sorted(f for f in os.listdir(folder.name) if f.startswith("got"))


def stop_at(pattern, how, words):
    """Stops a run when a file of this name is there; None: it was done before."""
    process = start((*words, "-o", "got.csv", "--resume"))
    while process.poll() is None and not fnmatch.filter(got(), pattern):
        time.sleep(0.001)
    process.send_signal(how)
    _, said = process.communicate()
    return None if process.returncode == 0 else (process.returncode, said)


def begun(name, pattern, how, words):
    """There is a run to go on with: it says so, and has no output yet."""
    code, end, left = (6 if how == signal.SIGINT else -9), stop_at(pattern, how, words), got()
    if "got.csv" in left:
        print(f"skip  {name}: it was done too soon")
        for file in left:
            os.remove(path(file))
        return False
    report(end and end[0] == code and (code < 0 or "--resume" in end[1]) and BINARY in left, name, (end, left))
    return True


def same_text(name):
    report(open(path("got.csv"), "rb").read() == open(path("want.csv"), "rb").read() and got() == ["got.csv"], name, got())
    os.remove(path("got.csv"))


for name, words in TEXTS.items():
    good(*words, "-o", "want.csv", "--force")
    good(*words, "-o", "got.csv", "--resume")
    same_text(f"{name}_text_that_could_be_resumed_has_the_same_bytes")
    for how in (signal.SIGINT, signal.SIGKILL):
        for pattern, when in ((BINARY, "begun"), (LINES, "half_written")):
            case = f"{name}_text_{when}_{how.name}"
            if begun(case, pattern, how, words):
                good(*words, "-o", "got.csv", "--resume")
                same_text(case + "_resumed_to_the_same_bytes")
edm = TEXTS["edm"]
if begun("edm_killed_between_numbers_and_text", LINES, signal.SIGKILL, edm):
    refuses("to_go_on_with_another_metric", 2, "metric", *edm, "--metric", "cosine", "-o", "got.csv", "--resume")
    with open(path(BINARY), "r+b") as f:
        f.seek(128)
        f.write(np.float64(42).tobytes())
    good(*edm, "-o", "got.csv", "--resume")
    first = open(path("got.csv")).read(100).split("\n")[1]
    report(first == "0,1,42" and got() == ["got.csv"], "numbers_that_are_complete_are_not_computed_again", first)
    refuses("to_resume_a_text_that_is_there", 2, "got.csv exists", *edm, "-o", "got.csv", "--resume")
    os.remove(path("got.csv"))
knn = TEXTS["knn_distances"]
if begun("knn_killed_before_it_begins_again", LINES, signal.SIGKILL, knn):
    good(*knn, "-o", "got.csv", "--force")
    report(got() == ["got.csv"], "force_discards_what_a_stopped_text_left", got())
finish()
