#!/usr/bin/env python3
"""nbody_numpy.py BUILD_DIR [--device D,D...]: `wedge nbody` equals a leapfrog by NumPy, and keeps what nature keeps.

Momentum to rounding, the energy error of an orbit in proportion to dt^2, a circular orbit that closes; frames; the same bytes for
every number of threads; Ctrl-C; what is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
import signal
import time


def accelerations(x, m, soft, g):
    t = x[None] - x[:, None]
    r2 = (t**2).sum(-1) + soft**2
    np.fill_diagonal(r2, 1)
    w = g * m[None] / r2**1.5
    np.fill_diagonal(w, 0)
    return (w[..., None] * t).sum(1)


def leapfrog(bodies, steps, dt, soft=0.0, g=1.0):
    x, v, m = bodies[:, :3].copy(), bodies[:, 3:6].copy(), bodies[:, 6]
    a = accelerations(x, m, soft, g)
    frames = [np.column_stack([x, v, m])]
    for _ in range(steps):
        v += a * dt / 2
        x += v * dt
        a = accelerations(x, m, soft, g)
        v += a * dt / 2
        frames.append(np.column_stack([x, v, m]))
    return np.array(frames)


def energy(bodies, soft=0.0, g=1.0):
    x, v, m = bodies[:, :3], bodies[:, 3:6], bodies[:, 6]
    i, j = np.triu_indices(len(m), 1)
    return (m * (v**2).sum(1)).sum() / 2 - g * (m[i] * m[j] / np.sqrt(((x[i] - x[j])**2).sum(1) + soft**2)).sum()


def some_bodies(n):
    b = random.normal(size=(n, 7))
    b[:, 6] = 0.1 + random.random(n)
    return b


def nbody(*words, device="cpu"):
    done = as_json("nbody", *words, "-o", "out.npy", "--force", device=device)
    return np.load(path("out.npy")), done


for device in devices():
    for n in (1, 2, 3, 150) if device == "cpu" else (70,):
        b = some_bodies(n)
        want = leapfrog(b, 20, 0.003, 0.1, 1.5)
        words = (save("b.npy", b), "--steps", 20, "--dt", 0.003, "--softening", 0.1, "--g", 1.5)
        got, said = nbody(*words, device=device)
        report(got.shape == (n, 7) and np.allclose(got, want[-1], rtol=1e-9, atol=1e-9), f"{device}_{n}_bodies",
               np.abs(got - want[-1]).max())
        report(np.isclose(said["energy_start"], energy(b, 0.1, 1.5), rtol=1e-10) and
               np.isclose(said["energy_end"], energy(want[-1], 0.1, 1.5), rtol=1e-9), f"{device}_{n}_energies", said)
        start = (b[:, 6:] * b[:, 3:6]).sum(0)
        report(np.allclose(said["momentum_start"], start, rtol=1e-12, atol=1e-13) and
               np.abs(np.array(said["momentum_end"]) - said["momentum_start"]).max() < 1e-13 * n,
               f"{device}_{n}_keep_their_momentum", said)
        got, said = nbody(*words, "--every", 7, device=device)
        report(got.shape == (4, n, 7) and said["frames"] == 4 and
               np.allclose(got, want[[0, 7, 14, 20]], rtol=1e-9, atol=1e-9) and np.array_equal(got[0], b),
               f"{device}_{n}_frames_and_the_end", got.shape)
        got, said = nbody(*words, "--every", 10, device=device)
        report(got.shape == (3, n, 7) and np.allclose(got, want[::10], rtol=1e-9, atol=1e-9),
               f"{device}_{n}_frames_that_divide_the_steps_have_no_end_twice", got.shape)
    # Test particles: those of mass 0 feel the others, and nothing feels them. Two of them may be in one place.
    b = some_bodies(60)
    b[[0, 7, 8, 59], 6] = 0
    b[7, :6] = b[8, :6]
    want = leapfrog(b, 20, 0.003, 0.1, 1.5)[-1]
    got, said = nbody(save("b.npy", b), *words[1:], device=device)
    report(np.allclose(got, want, rtol=1e-9, atol=1e-9) and np.abs(got - b)[[0, 7, 59], 3:6].min() > 1e-6,
           f"{device}_test_particles_feel_forces", np.abs(got - want).max())
    report(np.isclose(said["energy_start"], energy(b, 0.1, 1.5), rtol=1e-10), f"{device}_test_particles_have_no_energy", said)
    heavy = b[:, 6] > 0
    alone, _ = nbody(save("h.npy", b[heavy]), *words[1:], device=device)
    report(np.array_equal(got[heavy], alone), f"{device}_test_particles_attract_nothing")
b = some_bodies(100).astype("f4")
got, said = nbody(save("b.npy", b), "--steps", 10, "--dt", 0.001, "--softening", 0.2)
report(got.dtype == np.float32 and np.allclose(got, leapfrog(b.astype("f8"), 10, 0.001, 0.2)[-1], rtol=1e-4, atol=1e-5), "f32")

# ---- Two bodies, whose orbit is known ----
circle = np.array([[0.5, 0, 0, 0, 0.5, 0, 0.5], [-0.5, 0, 0, 0, -0.5, 0, 0.5]])
got, said = nbody(save("c.npy", circle), "--steps", 4000, "--dt", 2 * np.pi / 4000)
report(np.abs(got - circle).max() < 1e-5 and abs(said["drift"]) < 1e-11, "a_circle_closes", np.abs(got - circle).max())
ellipse = circle * [1, 1, 1, 0.7, 0.7, 0.7, 1]
worst = []
for steps in (2000, 4000, 8000):
    frames, _ = nbody(save("e.npy", ellipse), "--steps", steps, "--dt", 8 / steps, "--every", steps // 100)
    worst.append(max(abs(energy(f) - energy(ellipse)) for f in frames))
report(3.8 < worst[0] / worst[1] < 4.2 and 3.8 < worst[1] / worst[2] < 4.2, "the_energy_error_falls_by_4_as_dt_by_2", worst)
frames, said = nbody("e.npy", "--steps", 40000, "--dt", 0.004, "--every", 100)
errors = np.array([abs(energy(f) - energy(ellipse)) for f in frames])
report(errors[-100:].max() < 1.2 * errors[:100].max(), "and_does_not_grow", (errors[:100].max(), errors[-100:].max()))

# ---- The same bytes ----
save("b.npy", some_bodies(300))
words = ("b.npy", "--steps", 5, "--dt", 0.01, "--softening", 0.1, "--every", 2)
nbody(*words)
want = open(path("out.npy"), "rb").read()
for threads in (1, 2, 7):
    nbody(*words, "--threads", threads)
    report(open(path("out.npy"), "rb").read() == want, f"same_bytes_{threads}_threads")
lines = good("nbody", "c.npy", "--steps", 1, "--dt", 0.1, "-o", "new.npy").splitlines()
report([line.split(":")[0] for line in lines] == ["energy_start", "energy_end", "drift", "momentum_start", "momentum_end"],
       "lines", lines)

# ---- Stopped, killed, resumed ----
save("k.npy", some_bodies(40).astype("f4"))
LEFT = ("got.npy.part", "got.npy.part.job", "got.npy.part.1-of-1.journal", "got.npy.nbody.part")


def start(*words):
    return subprocess.Popen([WEDGE, "nbody", *words, "-o", "got.npy", "--device", "cpu", "--threads", "1", "--quiet"], cwd=folder.name,
                            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def steps_for(seconds):
    """How many steps take so long here."""
    started = time.time()
    good("nbody", "k.npy", "--steps", 20000, "--dt", 1e-4, "--softening", 0.1, "-o", "got.npy", "--threads", 1)
    os.remove(path("got.npy"))
    return int(20000 * seconds / (time.time() - started)) + 1000


def stopped(how, words):
    """Stops a run that has kept its state; None: it was done before."""
    process = start(*words)
    while process.poll() is None and not os.path.exists(path("got.npy.nbody.part")):
        time.sleep(0.005)
    process.send_signal(how)
    out, said = process.communicate()
    return None if not process.returncode else (process.returncode, out, said)


steps = steps_for(3)
for every in (steps // 50, 0):
    words = ("k.npy", "--steps", str(steps), "--dt", "0.0001", "--softening", "0.1", *(("--every", str(every)) if every else ()))
    lines = good("nbody", *words, "-o", "want.npy", "--force", "--threads", 2)
    want = open(path("want.npy"), "rb").read()
    for how, code in ((signal.SIGINT, 6), (signal.SIGTERM, 6), (signal.SIGKILL, -9)):
        name = f"{how.name}_every_{every > 0}"
        end = stopped(how, words)
        if not end:
            print(f"skip  {name}: it was done too soon")
            os.remove(path("got.npy"))
            continue
        report(end[:2] == (code, "") and (code < 0 or "--resume continues from there" in end[2]), name, end)
        report(not os.path.exists(path("got.npy")) and all(os.path.exists(path(f)) for f in LEFT), f"{name}_keeps_its_state",
               os.listdir(folder.name))
        if every:
            frames = np.load(path("got.npy.part"))
            full = np.load(path("want.npy"))
            report(frames.shape == full.shape and np.array_equal(frames[0], full[0]), f"{name}_has_the_frames_so_far", frames.shape)
        done = run("nbody", *words, "-o", "got.npy")
        report(done.returncode == 2 and "--resume continues it" in done.stderr, f"{name}_is_not_overwritten_unasked", done.stderr)
        done = run("nbody", *words[:-1], "3" if every else "0.2", "-o", "got.npy", "--resume")
        report(done.returncode == 2 and "belongs to another" in done.stderr, f"{name}_is_not_resumed_as_another_job", done.stderr)
        if how == signal.SIGTERM:
            os.remove(path("got.npy.nbody.part"))  # then it begins again, and writes what is not there yet
        said = good("nbody", *words, "-o", "got.npy", "--resume")
        report(said == lines and open(path("got.npy"), "rb").read() == want, f"{name}_resumed_to_the_same_bytes", said)
        report(not any(os.path.exists(path(f)) for f in LEFT), f"{name}_resumed_leaves_nothing_beside")
        done = run("nbody", *words, "-o", "got.npy", "--resume")
        report(done.returncode == 0 and not done.stdout and "was complete already" in done.stderr, f"{name}_and_then_it_is_there", done)
        os.remove(path("got.npy"))
    kills = 0
    while True:
        process = start(*words, "--resume")
        time.sleep(random.random() * 2.5)
        process.kill()
        out, said = process.communicate()
        if process.returncode != -9:
            break
        kills += 1
    report(process.returncode == 0 and out == lines and open(path("got.npy"), "rb").read() == want,
           f"{kills}_kills_every_{every > 0}_end_with_the_same_bytes", (process.returncode, said))
    os.remove(path("got.npy"))
save("k.npy", some_bodies(3000))
process = start("k.npy", "--steps", "9", "--dt", "0.1")
time.sleep(0.05)
process.send_signal(signal.SIGINT)
out, said = process.communicate()
report(process.returncode in (0, 6, -2) and not [f for f in LEFT if os.path.exists(path(f))] or "--resume" in said,
       "a_stop_before_the_first_step_leaves_nothing", (process.returncode, said))

# ---- What is refused ----
for name, said, words in (
        ("no_steps", "missing --steps", ("--dt", 1)), ("no_dt", "missing --dt", ("--steps", 1)),
        ("no_step", "--steps 0", ("--steps", 0, "--dt", 1)), ("negative_steps", "--steps -1", ("--steps", -1, "--dt", 1)),
        ("a_dt_of_0", "--dt 0", ("--steps", 1, "--dt", 0)), ("a_negative_dt", "--dt -1", ("--steps", 1, "--dt", -1)),
        ("a_nan_dt", "--dt nan", ("--steps", 1, "--dt", "nan")), ("a_word_as_dt", "--dt x", ("--steps", 1, "--dt", "x")),
        ("negative_softening", "--softening -1", ("--steps", 1, "--dt", 1, "--softening", -1)),
        ("a_g_of_0", "--g 0", ("--steps", 1, "--dt", 1, "--g", 0)),
        ("every_0", "--every 0", ("--steps", 1, "--dt", 1, "--every", 0)),
        ("every_beyond_the_end", "--every 2", ("--steps", 1, "--dt", 1, "--every", 2))):
    refuses(name, 2, said, "nbody", "c.npy", *words, "-o", "none.npy")
refuses("no_output", 2, "missing -o", "nbody", "c.npy", "--steps", 1, "--dt", 1)
refuses("six_columns", 3, "6 columns", "nbody", save("six.npy", circle[:, :6]), "--steps", 1, "--dt", 1, "-o", "none.npy")
refuses("one_column", 3, "1 column;", "nbody", save("one.npy", circle[:, :1]), "--steps", 1, "--dt", 1, "-o", "none.npy")
refuses("a_negative_mass", 3, "body 1 has a mass of -0.5", "nbody", save("m.npy", circle * [[1] * 7, [1] * 6 + [-1]]), "--steps",
        1, "--dt", 1, "-o", "none.npy")
refuses("no_mass_at_all", 3, "all masses are 0", "nbody", save("m.npy", circle * ([1] * 6 + [0])), "--steps", 1, "--dt", 1,
        "-o", "none.npy")
refuses("a_test_particle_in_a_body", 3, "body 1 coincides", "nbody", save("m.npy", circle[[0, 0]] * [[1] * 7, [1] * 6 + [0]]),
        "--steps", 1, "--dt", 1, "-o", "none.npy")
refuses("bodies_that_coincide", 3, "--softening", "nbody", save("m.npy", circle[[0, 0]]), "--steps", 1, "--dt", 1, "-o",
        "none.npy")
save("m.npy", circle * [1, 1, 1, 0, 0, 0, 1])
refuses("more_frames_than_disk", 5, "raise --every, or write to another disk", "nbody", "c.npy", "--steps", "2^50", "--dt", 1, "--every", 1, "-o", "none.npy")
meet = np.array([[-1.0, 0, 0, 1, 0, 0, 1e-9], [1, 0, 0, -1, 0, 0, 1e-9]])
refuses("bodies_that_meet", 1, "step 1", "nbody", save("m.npy", meet), "--steps", 2, "--dt", 1, "--g", 1e-300, "-o", "none.npy")
finish()
