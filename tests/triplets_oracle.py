"""triplets_oracle.py: what the tests of `wedge triplets` share: Axilrod-Teller-Muto by NumPy, from angles as books have it.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
import itertools

TRIPLES = {}


def triples(n):
    if n not in TRIPLES:
        TRIPLES[n] = np.array(list(itertools.combinations(range(n), 3)), int).reshape(-1, 3)
    return TRIPLES[n]


def sides(x, box=None):
    """The three sides of every triplet, as (triplets, 3); x may be complex."""
    t = triples(len(x))
    d = np.stack([x[t[:, a]] - x[t[:, b]] for a, b in ((0, 1), (0, 2), (1, 2))], 1)
    for f, length in enumerate(box or ()):
        if length:
            d[..., f] -= length * np.round(d[..., f].real / length)
    return np.sqrt((d * d).sum(-1))


def terms(x, nu=1.0, cutoff=None, box=None, each=None, angles=1.0):
    """The energy of every triplet; each: nu of each atom; angles: a factor of the part with the cosines."""
    r = sides(x, box)
    if cutoff is not None:
        keep = (r.real <= cutoff).all(1)
        r = r[keep]
    a, b, c = r.T
    cosines = (a * a + b * b - c * c) / (2 * a * b) * (a * a + c * c - b * b) / (2 * a * c) * (
        b * b + c * c - a * a) / (2 * b * c)
    e = nu * (1 + angles * 3 * cosines) / (a * b * c) ** 3
    if each is not None:
        m = each[triples(len(x))].prod(1) ** (1 / 3)
        e = e * (m if cutoff is None else m[keep])
    return e


def absolute(x, **more):
    """The sum of absolute terms. Both parts of a triplet count: where they cancel, either was rounded all the same."""
    apart = terms(x, angles=0, **more)
    return (apart + np.abs(terms(x, **more) - apart)).sum()


def gradient_forces(x, **more):
    """Minus the gradient of the energy, by a step along the imaginary axis: right to the last digits."""
    f = np.zeros((len(x), 3))
    for i in range(len(x)):
        for k in range(3):
            y = x.astype(complex)
            y[i, k] += 1e-30j
            f[i, k] = -terms(y, **more).sum().imag / 1e-30
    return f


def cluster(n, dtype="f8", size=None):
    """Atoms that are not too close to each other."""
    size = size or 1.5 * max(n, 2) ** (1 / 3)
    x = np.empty((0, 3))
    while len(x) < n:
        p = random.random(3) * size - size / 3
        if not len(x) or ((x - p) ** 2).sum(1).min() > 0.2:
            x = np.vstack([x, p])
    return x.astype(dtype)


def answer(text):
    lines = text.splitlines()
    assert len(lines) == 2 and lines[0].startswith("energy ") and lines[1].startswith("triplets "), text
    return float(lines[0].split()[1]), int(lines[1].split()[1])


def energy_of(*words, device="cpu"):
    return answer(good("triplets", *words, device=device))


def write_xyz(name, x, elements):
    with open(path(name), "w") as f:
        f.write(f"{len(x)}\n{name}\n" + "".join("%s %.17g %.17g %.17g\n" % (e, *p) for e, p in zip(elements, x)))
    return name
