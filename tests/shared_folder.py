#!/usr/bin/env python3
"""shared_folder.py BUILD_DIR [--kills N]: in a folder that another user can write to, no link and no file of theirs makes wedge
read, write, replace or believe what it must not; and runs killed there N times resume to the same bytes.

Needs root, to be two users; else it is skipped.

SPDX-License-Identifier: MIT"""
import argparse
import atexit
import fcntl
import glob
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--kills", type=int, default=12)
arguments = parser.parse_args()
ANNA, BERT = 61101, 61102  # two users; nobody needs to know them
passed, failed = [], []

if os.getuid():
    print("SKIPPED: two users need root")
    sys.exit(0)


def others_come_to(folder):
    """Another user can look into it and all folders around it."""
    while os.stat(folder).st_mode & 0o001 and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return os.path.dirname(folder) == folder


reached = next((d for d in (tempfile.gettempdir(), "/tmp", "/var/tmp") if os.path.isdir(d) and others_come_to(d)), None)
if not reached:
    print("SKIPPED: other users cannot come to any folder of temporary files")
    sys.exit(0)
top = tempfile.TemporaryDirectory(prefix="wedge-shared-", dir=reached)
os.chmod(top.name, 0o755)
WEDGE = shutil.copy(os.path.join(arguments.build, "wedge"), top.name)
HOME, SHARED, STICKY = (os.path.join(top.name, d) for d in ("anna", "shared", "sticky"))
for folder, mode in ((HOME, 0o700), (SHARED, 0o777), (STICKY, 0o1777)):
    os.mkdir(folder)
    os.chmod(folder, mode)
os.chown(HOME, ANNA, ANNA)


def report(good, name, detail=""):
    (passed if good else failed).append(name)
    if not good:
        print(f"FAIL  {name}: {detail}", flush=True)


@atexit.register
def sum_up():
    """Last, after a traceback too, so that a log that is cut still has it."""
    print("".join(f"failed: {name}\n" for name in failed) + f"{len(passed)} passed, {len(failed)} failed", flush=True)


def environment():
    return {"PATH": os.environ["PATH"], "HOME": HOME}


def run(*words, folder=SHARED, user=ANNA, **more):
    return subprocess.run([WEDGE, *map(str, words), "--device", "cpu"], cwd=folder, user=user, group=user, extra_groups=[],
                          env=environment(), capture_output=True, text=True, **more)


def start(*words, folder=SHARED, **more):
    return subprocess.Popen([WEDGE, *map(str, words), "--device", "cpu", "--threads", "1"], cwd=folder, user=ANNA, group=ANNA,
                            extra_groups=[], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def late(*words, folder=SHARED, preexec_fn=None):
    """A run that stands still, early, for longer than wedge waits before it keeps what it added up: so it does that, however
    fast this machine is."""
    process = start(*words, folder=folder, preexec_fn=preexec_fn)
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat") as f:
            ticks = f.read().rpartition(")")[2].split()
        if (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK") >= LONG_SECONDS / 10 or ticks[0] == "Z":
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.2)
    process.send_signal(signal.SIGCONT)
    out, said = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, said)


def write(path, text, user, mode=0o644):
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    os.chown(path, user, user)
    os.chmod(path, mode)


def link(target, path, user):
    os.symlink(target, path)
    os.chown(path, user, user, follow_symlinks=False)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def clear(folder):
    for name in os.listdir(folder):
        if not name.startswith("in."):
            os.unlink(os.path.join(folder, name))


def points(n, seed):
    r = random.Random(seed)
    return "".join("%r,%r,%r\n" % (9 * r.random(), 9 * r.random(), 9 * r.random()) for _ in range(n))


SECRET = os.path.join(HOME, "thesis.tex")
write(SECRET, "years of work\n", ANNA, 0o600)
for folder in (SHARED, STICKY):
    write(os.path.join(folder, "in.csv"), points(60, 1), ANNA)


def seconds_of(n):
    """Of one thread on the triplets of so many points."""
    write(os.path.join(SHARED, "in.long.csv"), points(n, 2), ANNA)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("triplets", "in.long.csv", "--quiet", "--threads", 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# Several steps of half a second, each of which can keep something, on this machine.
LONG_N, LONG_SECONDS = 2200, seconds_of(2200)
if LONG_SECONDS < 1.5:
    LONG_N, LONG_SECONDS = int(2200 * (1.5 / LONG_SECONDS) ** (1 / 3)), 1.5
for folder in (SHARED, STICKY):
    write(os.path.join(folder, "in.long.csv"), points(LONG_N, 2), ANNA)
write(os.path.join(SHARED, "in.longer.csv"), points(2 * LONG_N, 4), ANNA)


def unharmed(name, done=""):
    report(read(SECRET) == b"years of work\n" and os.stat(SECRET).st_uid == ANNA, name + "_leaves_the_private_file", done)


OUT = ("edm", "in.csv", "-o", "d.npy")
want = run(*OUT)
report(want.returncode == 0, "a_run_in_a_shared_folder", want)
want = read(os.path.join(SHARED, "d.npy"))

# ---- Links of another user, where files of wedge go ----
for folder in (SHARED, STICKY):
    for name in ("d.npy", "d.npy.part", "d.npy.part.job", "d.npy.part.1-of-1.journal"):
        for options in ((), ("--resume",), ("--force",), ("--resume", "--force")):
            clear(folder)
            link(SECRET, os.path.join(folder, name), BERT)
            done = run(*OUT, *options, folder=folder)
            label = f"{os.path.basename(folder)}_{name}_{'_'.join(options)}"
            report(done.returncode == 2 and done.stderr.startswith("wedge: ") and
                   (name != "d.npy" or not options or "--force" not in options or "d.npy is a link made by another user" in done.stderr),
                   f"a_link_at_{label}_is_refused", done)
            unharmed(label, done)
            report(os.path.islink(os.path.join(folder, name)), f"{label}_is_left_alone")
    for command in (("triplets", "in.csv", "--forces"), ("collide", "in.csv", "-o"), ("nbody", "in.csv", "--steps", 1, "--dt", 1, "-o")):
        clear(folder)
        link(SECRET, os.path.join(folder, "f.csv" if command[0] != "nbody" else "f.npy"), BERT)
        done = run(*command, "f.csv" if command[0] != "nbody" else "f.npy", "--force", folder=folder)
        report(done.returncode in (2, 3), f"{command[0]}_refuses_a_link_in_{os.path.basename(folder)}", done)
        unharmed(command[0], done)
clear(SHARED)
write(os.path.join(HOME, "real.npy"), "older", ANNA)
link(os.path.join(HOME, "real.npy"), os.path.join(SHARED, "d.npy"), ANNA)
done = run(*OUT, "--force")
report(done.returncode == 0 and os.path.islink(os.path.join(SHARED, "d.npy")) and read(os.path.join(HOME, "real.npy")) == want,
       "ones_own_link_is_followed", done)

# Figures: what turns them into other formats is another program, which would follow any link.
clear(SHARED)
tools = os.path.join(top.name, "tools")
os.mkdir(tools)
write(os.path.join(tools, "rsvg-convert"), """#!/bin/sh
for word in "$@"; do
    test "$last" = -o && exec >"$word"
    last=$word
done
echo a picture
""", ANNA, 0o755)
shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../results/edm-cpu.json"), os.path.join(SHARED, "in.json"))


def figures(*options):
    return subprocess.run([WEDGE, "report", "in.json", "--figures", ".", *options], cwd=SHARED, user=ANNA, group=ANNA, extra_groups=[],
                          env={**environment(), "PATH": tools + ":" + os.environ["PATH"]}, capture_output=True, text=True)


done = figures()
pictures = {os.path.basename(f) for f in glob.glob(SHARED + "/in-*")}
report(done.returncode == 0 and {f[-4:] for f in pictures} == {".svg", ".pdf", ".png"} and
       all(read(os.path.join(SHARED, f)) == b"a picture\n" for f in pictures if f[-4:] != ".svg"), "figures_have_three_formats", done)
for name in sorted(pictures)[:3]:
    for options in ((), ("--force",)):
        for target in (SECRET, os.path.join(HOME, "nothing")):
            clear(SHARED)
            link(target, os.path.join(SHARED, name), BERT)
            done = figures(*options)
            report(done.returncode == 2 and os.path.islink(os.path.join(SHARED, name)) and not os.path.exists(os.path.join(HOME, "nothing")),
                   f"a_link_at_figure_{name[-4:]}_{'_'.join(options)}_to_{os.path.basename(target)}_is_refused", done)
            unharmed("figure", done)

# ---- Files of another user, and files that others can write ----
for name in ("d.npy.part", "d.npy.part.job", "d.npy.part.1-of-1.journal"):
    for owner, mode, said in ((BERT, 0o666, "belongs to another user"), (ANNA, 0o666, "chmod go-w"), (ANNA, 0o660, "chmod go-w")):
        for content in ("", "planted"):
            for options in ((), ("--resume",), ("--force",)):
                clear(SHARED)
                write(os.path.join(SHARED, name), content, owner, mode)
                done = run(*OUT, *options)
                report(done.returncode == 2 and said in done.stderr and read(os.path.join(SHARED, name)) == content.encode() and
                       not os.path.exists(os.path.join(SHARED, "d.npy")),
                       f"{name}_of_{owner}_{mode:o}_{content}_{'_'.join(options)}_is_refused", done)
clear(SHARED)
write(os.path.join(SHARED, "other.part"), "", ANNA, 0o600)
os.link(os.path.join(SHARED, "other.part"), os.path.join(SHARED, "d.npy.part"))
done = run(*OUT, "--resume")
report(done.returncode == 2 and "hard link" in done.stderr, "a_second_name_is_refused", done)

# Another user's file at the name of the output: to be replaced only by who may, and known before anything is computed.
TEXT = ("knn", "in.csv", "-k", 2, "-o", "k.csv")
for command, out in ((OUT, "d.npy"), (TEXT, "k.csv")):
    for options in (("--force",), ("--resume", "--force")):
        clear(STICKY), clear(SHARED)
        write(os.path.join(STICKY, out), "of Bert\n", BERT, 0o666)
        done = run(*command, *options, folder=STICKY)
        report(done.returncode == 2 and "belongs to another user, and only they can replace it" in done.stderr and
               read(os.path.join(STICKY, out)) == b"of Bert\n", f"{out}_of_anothers_in_a_sticky_folder_{'_'.join(options)}", done)
        write(os.path.join(SHARED, out), "of Bert\n", BERT, 0o600)
        done = run(*command, *options)
        report(done.returncode == 0 and os.stat(os.path.join(SHARED, out)).st_uid == ANNA, f"{out}_of_anothers_is_replaced", done)
    for mask, mode in ((0o022, 0o644), (0o077, 0o600)):  # they may have put it there to read what replaces it
        clear(SHARED)
        write(os.path.join(SHARED, out), "of Bert\n", BERT, 0o666)
        done = run(*command, "--force", umask=mask)
        got = os.stat(os.path.join(SHARED, out)).st_mode & 0o777
        report(done.returncode == 0 and got == mode, f"{out}_of_all_becomes_{mode:o}", oct(got))
# Before they read their input, too, which is not there.
for command in (("triplets", "none.csv", "--forces", "f.npy"), ("triplets", "none.csv", "--histogram", 2, "--max", 9, "-o", "f.npy"),
                ("histogram", "none.csv", "--bins", 2, "--max", 9, "-o", "f.csv")):
    for plant in (lambda p: write(p, "of Bert\n", BERT), lambda p: link(SECRET, p, BERT), os.mkdir):
        clear(STICKY)
        plant(os.path.join(STICKY, command[-1]))
        done = run(*command, "--force", folder=STICKY)
        report(done.returncode == 2 and "f." in done.stderr, f"{command[0]}_refuses_it_before_it_reads", done)
        if plant is os.mkdir:
            os.rmdir(os.path.join(STICKY, command[-1]))
    done = run(*command[:-1], "nowhere/" + command[-1])
    report(done.returncode == 1 and "nowhere/f." in done.stderr, f"{command[0]}_needs_a_folder_before_it_reads", done)
clear(SHARED)
run(*OUT)
out = os.path.join(SHARED, "d.npy")
marks = {name: os.getxattr(out, name) for name in os.listxattr(out)}
done = run(*OUT, "--resume")
if marks:
    report(done.returncode == 0 and "complete already" in done.stderr, "ones_own_result_is_not_computed_again", done)
    when = os.stat(out).st_mtime_ns
    os.unlink(out)
    write(out, want[:-8] + bytes(8), BERT, 0o644)
    for name, value in marks.items():
        os.setxattr(out, name, value)
    os.utime(out, ns=(when, when))
    done = run(*OUT, "--resume")
    report(done.returncode == 2 and "belongs to another user" in done.stderr, "a_result_of_anothers_is_not_believed", done)

# What runs keep is theirs alone from the first moment, whatever the mask; what they make is as the mask says.
clear(SHARED)
for mask, mode in ((0o022, 0o644), (0o002, 0o664), (0, 0o666), (0o077, 0o600)):
    for command, out in ((OUT, "d.npy"), (("knn", "in.csv", "-k", 2, "-o", "k.csv"), "k.csv")):
        done = run(*command, "--force", umask=mask)
        got = os.stat(os.path.join(SHARED, out)).st_mode & 0o777
        os.unlink(os.path.join(SHARED, out))
        report(done.returncode == 0 and got == mode, f"the_mask_{mask:03o}_makes_{out}_{mode:o}", oct(got))

# ---- The ledger that nobody asked for ----
LONG, LONGER = ("triplets", "in.long.csv"), ("triplets", "in.longer.csv")
long_want = run(*LONG, "--quiet").stdout
STATE = os.path.join(HOME, ".local/state/wedge")
for name in ("in.long.csv.triplets.part", "in.long.csv.triplets.1-of-2.part", "in.long.csv.triplets.lock"):
    clear(SHARED)
    link(SECRET, os.path.join(SHARED, name), BERT)
    done = late(*LONG, "--quiet")
    report(done.returncode == 0 and done.stdout == long_want and not done.stderr, f"a_planted_{name}_does_not_matter", done)
    unharmed(name)
    report(os.path.islink(os.path.join(SHARED, name)), f"{name}_is_left_alone")
    os.unlink(os.path.join(SHARED, name))


def stopped(*words):
    """A run that was stopped once it kept something."""
    process = start(*words)
    while process.poll() is None and not glob.glob(STATE + "/*") and not glob.glob(SHARED + "/k.*.part"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    report(process.returncode == 6, "a_long_run_is_stopped", said)


stopped(*LONGER)
files = glob.glob(STATE + "/*")
report(len(files) == 1 and os.stat(files[0]).st_mode & 0o777 == 0o600 and os.stat(STATE).st_mode & 0o777 == 0o700,
       "the_state_is_this_users_alone", files)
for file in files:
    os.unlink(file)
os.chmod(STATE, 0o777)
done = run(*LONG, "--resume")
report(done.returncode == 1 and "chmod go-w" in done.stderr and "--state FILE" in done.stderr, "a_folder_of_all_is_refused", done)
done = late(*LONG)
report(done.returncode == 0 and done.stdout == long_want and "warning" in done.stderr, "unasked_it_is_a_warning", done)
os.chmod(STATE, 0o700)
for name, plant in (("a_file_of_anothers", lambda p: write(p, "x", BERT)), ("a_link", lambda p: link(SECRET, p, BERT)),
                    ("a_dangling_link", lambda p: link("/nowhere", p, BERT)), ("ones_own_file_of_all", lambda p: write(p, "x", ANNA, 0o666))):
    for folder in (SHARED, STICKY):
        clear(folder)
        plant(os.path.join(folder, "k.triplets.part"))
        done = late(*LONG, "--state", "k", folder=folder)
        report(done.returncode == 0 and done.stdout == long_want and "k.triplets.part cannot be used" in done.stderr,
               f"{name}_unasked_in_{os.path.basename(folder)}_is_a_warning", done)
        done = run(*LONG, "--state", "k", "--resume", folder=folder)
        report(done.returncode == 2 and "k.triplets.part cannot be used" in done.stderr, f"{name}_is_not_resumed", done)
        unharmed(name)


HOME = os.path.join(HOME, "nowhere")  # what a system user has: not made, as the cache does not make it
done = run("triplets", "in.csv", "--resume")
report(done.returncode == 1 and f"{HOME}/.local/state/wedge cannot be used: No such file or directory" in done.stderr and not os.path.exists(HOME),
       "a_home_is_not_made", done)
HOME = os.path.dirname(HOME)


def no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


done = late(*LONG, preexec_fn=no_room)
report(done.returncode == 0 and done.stdout == long_want and "warning" in done.stderr, "without_room_for_it_a_run_goes_on", done)
clear(SHARED)
write(os.path.join(SHARED, "k.triplets.lock"), "my notes\n", ANNA, 0o600)
done = [run(*LONG, "--state", "k", "--shard", f"{k}/2") for k in (1, 2)]
report(all(d.returncode == 2 and "k.triplets.lock exists, and wedge did not make it" in d.stderr for d in done), "a_lock_of_the_users_is_in_the_way", done)
report(read(os.path.join(SHARED, "k.triplets.lock")) == b"my notes\n", "and_is_left_alone")

# A lock is waited for with a word, and who has it.
clear(SHARED)
write(os.path.join(SHARED, "k.triplets.lock"), "", ANNA, 0o600)
with open(os.path.join(SHARED, "k.triplets.lock"), "r+") as held:
    fcntl.lockf(held, fcntl.LOCK_EX, 1)
    process = start("triplets", "in.csv", "--state", "k", "--shard", "2/2")
    said = next((line for line in process.stderr if "k.triplets.lock" in line), "")
report(f"is locked by process {os.getpid()};" in said and "waiting for up to 60 s" in said, "a_lock_is_waited_for_with_a_word", said)
report(process.wait() == 0, "and_taken_once_it_is_free", process.stderr.read())

# A record with one digit changed and sealed again, by who can write it, is not believed.
clear(SHARED)
stopped(*LONGER, "--state", "k")
part = os.path.join(SHARED, "k.triplets.part")
forged = read(part)
os.unlink(part)
write(part, forged, BERT)
done = run(*LONGER, "--state", "k", "--resume")
report(done.returncode == 2 and "belongs to another user" in done.stderr, "a_record_of_anothers_is_not_believed", done)
done = run(*LONGER, "--state", "k", "--resume", "--force")
report(done.returncode == 2 and read(part) == forged, "by_force_neither", done)

# ---- Names that another user changes while runs use them ----
def harass(parent):
    """In a child: as Bert, puts links, files and pipes in the place of what is there, until it is killed or alone."""
    os.setgroups([]), os.setgid(BERT), os.setuid(BERT)
    os.chdir(SHARED)
    names = ["d.npy", "d.npy.part", "d.npy.part.job", "d.npy.part.1-of-1.journal", "d.csv", "d.csv.numbers.part", "k.triplets.1-of-2.part",
             "k.triplets.lock", "s.json"]
    while os.getppid() == parent:
        time.sleep(0.01 * random.random())
        there = [n for n in os.listdir(".") if not n.startswith("in.")]
        name = random.choice(there if there and random.random() < 0.4 else names)
        try:
            if os.path.lexists(name):
                os.unlink(name)
            random.choice((lambda: None, lambda: os.symlink(SECRET, name), lambda: os.symlink(os.path.join(HOME, "nothing"), name),
                           lambda: os.link("in.bert", name), lambda: os.mkfifo(name), lambda: os.close(os.open(name, os.O_CREAT, 0o666))))()
        except OSError:
            pass
    os._exit(0)


clear(SHARED)
write(os.path.join(SHARED, "in.bert"), "of Bert", BERT, 0o666)
parent, child = os.getpid(), os.fork()
if not child:
    harass(parent)
ends = set()
for turn in range(40):
    for command in (("edm", "in.csv", "-o", "d.npy"), ("edm", "in.csv", "-o", "d.npy", "--resume"), ("knn", "in.csv", "-k", 2, "-o", "d.csv", "--force"),
                    ("summary", "in.csv", "--json=s.json", "--force"), ("triplets", "in.csv", "--state", "k", "--shard", "1/2", "--resume")):
        ends.add(run(*command, umask=0o077).returncode)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
unharmed("names_that_change")
report(ends <= {0, 1, 2} and not os.path.lexists(os.path.join(HOME, "nothing")) and read(os.path.join(SHARED, "in.bert")) == b"of Bert",
       "runs_among_names_that_change_end_and_write_nowhere_else", ends)
there = [(name, os.lstat(name)) for name in glob.glob(SHARED + "/[dks].*")]
report(not any(stat.S_ISREG(s.st_mode) and s.st_uid == BERT and s.st_size > len("of Bert") for _, s in there), "and_into_no_file_of_anothers",
       there)

# ---- Kills, among leftovers of another user ----
BIG = ("edm", "in.long.csv", "-o", "big.npy", "--metric", "minkowski", "--p", "1.5", "--memory", "2M")


def leftovers(folder):
    for name in ("big.npy.part.2-of-5.journal", "big.npy.part.1-of-3.journal", "big.npy.abcdef.part", "k.triplets.part.zzzzzz.part"):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            write(path, f"{name} of Bert\n", BERT, 0o666)
    if not os.path.lexists(os.path.join(folder, "k.triplets.2-of-3.part")):
        link(SECRET, os.path.join(folder, "k.triplets.2-of-3.part"), BERT)


def killed(words, folder, least, most):
    """Kills a run after some time. Had it ended? What it printed; None: an earlier one had done all, and was killed after that."""
    process = start(*words, "--resume", folder=folder)
    time.sleep(random.uniform(least, most))
    process.kill()
    out, said = process.communicate()
    complete = "complete already" in said or (not marks and "wedge cannot tell what it was computed from" in said)
    if process.returncode not in (0, -9) and not complete:
        report(False, "a_killed_run_resumes", said)
    return process.returncode == 0 or complete, None if complete else out


def of_a_run(folder, name):
    """Left by a run. A file under a name for a moment stays where a run is killed before it could mark it."""
    path = os.path.join(folder, name)
    if name.startswith("in.") or os.path.islink(path) or b"of Bert" in read(path):
        return False
    return not re.search(r"\.\w{6}\.part$", name) or bool(marks and os.path.getsize(path))


random.seed(os.urandom(8))
BODIES = ("nbody", "in.bodies.csv", "--steps", "300000", "--dt", "1e-4", "--softening", "0.1", "--every", "100000", "-o", "n.npy")
for folder in (SHARED, STICKY):
    write(os.path.join(folder, "in.bodies.csv"), "".join(f"{line},0,0,0,1\n" for line in points(20, 3).split()), ANNA)
    clear(folder)
    bodies_want = run(*BODIES, "--quiet", "--threads", 1, folder=folder).stdout, read(os.path.join(folder, "n.npy"))
    clear(folder)
    begun = time.time()
    run(*BIG, "--threads", 1, folder=folder)
    seconds, digest = time.time() - begun, hashlib.sha256(read(os.path.join(folder, "big.npy"))).hexdigest()
    clear(folder)
    leftovers(folder)
    kills = 0
    while kills < (arguments.kills + 1) // 2:
        output = os.path.join(folder, "big.npy")
        commands = ((BIG, seconds), ((*LONG, "--state", "k"), 2), (BODIES, 2))
        words, length = commands[max(0, kills % 5 - 2)]
        while True:
            ended, out = killed(words, folder, 0, 1.2 * length)
            if ended:
                break
            kills += 1
            length *= 1.3  # a slow machine comes to the end, too
            if words is BIG and os.path.exists(output) and hashlib.sha256(read(output)).hexdigest() != digest:
                report(False, "an_output_is_complete_or_not_there")
        right = (hashlib.sha256(read(output)).hexdigest() == digest if words is BIG else out == long_want if words is not BODIES
                 else out in (bodies_want[0], None) and read(os.path.join(folder, "n.npy")) == bodies_want[1])
        if not right:
            report(False, "a_killed_run_resumes_to_the_same_bytes", words)
        if words is not commands[1][0]:
            os.unlink(output if words is BIG else os.path.join(folder, "n.npy"))
    left = sorted(os.listdir(folder))
    leftovers(folder)
    report(sorted(os.listdir(folder)) == left and not any(of_a_run(folder, name) for name in left),
           f"{kills}_kills_in_{os.path.basename(folder)}_left_what_was_there_and_nothing_else", left)
    unharmed("kills")
sys.exit(len(failed) > 0)
