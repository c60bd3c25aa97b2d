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

# ---- Ctrl-C ----
for every in (1000, 0):
    more = ("--every", str(every)) if every else ()
    process = subprocess.Popen([WEDGE, "nbody", "c.npy", "--steps", "200000000", "--dt", "0.001", *more, "-o", "stop.npy",
                                "--device", "cpu"], cwd=folder.name, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    part = lambda: [f for f in os.listdir(folder.name) if f.startswith("stop.npy") and f.endswith(".part")]
    while every and not any(os.stat(path(f)).st_blocks for f in part()):
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    report(process.returncode == 6 and "stopped at step" in err and not out and not part(), f"ctrl_c_every_{every}", err)
    if every:
        frames = np.load(path("stop.npy"))
        report(frames.ndim == 3 and len(frames) >= 1 and np.array_equal(frames[0], circle) and f"{len(frames)} frame" in err,
               "the_frames_so_far_are_there", frames.shape)
        os.remove(path("stop.npy"))
report(not os.path.exists(path("stop.npy")), "without_frames_nothing_is_left")

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
