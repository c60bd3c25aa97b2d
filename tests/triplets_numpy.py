#!/usr/bin/env python3
"""triplets_numpy.py BUILD_DIR [--device D,D...]: `wedge triplets` equals brute force by NumPy.

Energies, forces, cutoffs, periodic boxes and histograms of sides; 2,000 random clusters through the library; n = 1, 2, 3, 4.
Without --device an OpenCL device gets one kernel of each kind: PoCL takes seconds to compile one.

SPDX-License-Identifier: MIT"""
from triplets_oracle import *
import ctypes

ALL = [d for d in devices() if d == "cpu" or arguments.device]  # those that get everything
CLOSE = {"f8": 1e-12, "f4": 1e-5}


def wrong_energy(got, x, dtype, **more):
    x = x.astype("f8")[:, :3]
    e = terms(x, **more)
    near = abs(got[0] - e.sum()) <= CLOSE[dtype] * absolute(x, **more)
    return "" if near and got[1] == len(e) else f"{got}, not {e.sum()!r} {len(e)}"


# ---- Energies ----
for device in devices():
    for dtype in ("f8", "f4") if device in ALL else ("f4",):
        wrong = ""
        for n in (1, 2, 3, 4, 5, 33, 70) if device == "cpu" else (1, 4, 70):
            x = cluster(n, dtype)
            wrong = wrong or wrong_energy(energy_of(save("x.npy", x), "--nu", "2.5", device=device), x, dtype, nu=2.5)
        report(not wrong, f"{device}_energy_{dtype}", wrong)
for device in ALL:
    each = random.random(50) + 0.1
    x = cluster(50)
    save("each.npy", np.column_stack([x, each]))
    wrong = wrong_energy(energy_of("each.npy", device=device), x, "f8", each=each)
    report(not wrong, f"{device}_nu_of_each_atom", wrong)
    x = cluster(90)
    for name, box in (("cutoff", None), ("box", [6.5, 7.25, 8.0]), ("box_open_in_z", [6.5, 7.25, 0])):
        if box:
            x = x * 1.7 # some lie outside of the box
        cutoff = gap_at(sides(x, box).max(1), 0.3 if not box else 0.02)
        more = ("--box", ",".join(map(str, box))) if box else ()
        if box and cutoff >= min(l for l in box if l) / 3:
            cutoff = gap_at(sides(x, box).max(1)[sides(x, box).max(1) < 2.1], 0.8)
        wrong = wrong_energy(energy_of(save("c.npy", x), "--cutoff", repr(cutoff), *more, device=device), x, "f8",
                             cutoff=cutoff, box=box)
        report(not wrong, f"{device}_{name}", wrong)
x = cluster(60)
for scale, shift in ((1e-3, 0), (1e3, 0), (1.0, 1e4)):
    y = x * scale + shift
    wrong = wrong_energy(energy_of(save("y.npy", y)), y, "f8")
    report(not wrong, f"coordinates_times_{scale}_plus_{shift}", wrong)
r = 1.5
got = energy_of(save("even.npy", np.array([[0, 0, 0], [r, 0, 0], [r / 2, r * np.sqrt(3) / 2, 0]])), "--nu", "3")[0]
report(abs(got / (11 / 8 * 3 / r ** 9) - 1) < 1e-14, "an_equilateral_triangle", got)
got = energy_of(save("line.npy", np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 3]])), "--nu", "3")[0]
report(abs(got / (-2 * 3 / (1 * 2 * 3) ** 3) - 1) < 1e-14, "three_on_a_line", got)
report(good("triplets", save("two.npy", cluster(2))) == "energy 0\ntriplets 0\n", "two_atoms_have_no_triplet")

# ---- Forces ----


def wrong_forces(got, x, dtype, **more):
    want = gradient_forces(x.astype("f8")[:, :3], **more)
    near = np.abs(got - want).max(initial=0) <= (1e-11 if dtype == "f8" else 2e-5) * np.abs(want).max(initial=0)
    still = np.abs(got.sum(0)).max() <= (1e-13 if dtype == "f8" else 1e-5) * np.abs(got).sum()
    shape = got.shape == (len(x), 3) and got.dtype == x.dtype
    return "" if near and still and shape else f"{got.dtype} {got.shape} {np.abs(got - want).max(initial=0)} {got.sum(0)}"


for device in devices():
    for dtype in ("f8", "f4") if device in ALL else ("f4",):
        wrong = ""
        for n in (1, 2, 3, 4, 20) if device == "cpu" else (3, 20):
            x = cluster(n, dtype)
            got = energy_of(save("x.npy", x), "--forces", "f.npy", "--force", "--nu", "2", device=device)
            wrong = wrong or wrong_energy(got, x, dtype, nu=2) or wrong_forces(np.load(path("f.npy")), x, dtype, nu=2)
        report(not wrong, f"{device}_forces_{dtype}", wrong)
for device in ALL:
    x, each = cluster(20), random.random(20) + 0.5
    for name, more, words in (("nu_of_each_atom", {"each": each}, ()), ("cutoff", {"cutoff": 1.9}, ("--cutoff", "1.9")),
                              ("box", {"cutoff": 1.9, "box": [6.0, 6.5, 7.0]},
                               ("--cutoff", "1.9", "--box", "6,6.5,7"))):
        y = np.column_stack([x, each]) if "each" in more else x
        energy_of(save("y.npy", y), *words, "--forces", "f.npy", "--force", device=device)
        wrong = wrong_forces(np.load(path("f.npy")), y, "f8", **more)
        report(not wrong, f"{device}_forces_with_{name}", wrong)
x = cluster(4)
good("triplets", write_xyz("four.xyz", x, ["O", "H", "C", "He"]), "--forces", "f.csv")
lines = [line.split(",") for line in open(path("f.csv")).read().splitlines()]
report(lines[0] == ["element", "fx", "fy", "fz"] and [l[0] for l in lines[1:]] == ["O", "H", "C", "He"] and
       not wrong_forces(np.array([l[1:] for l in lines[1:]], "f8"), x, "f8"), "forces_as_text_keep_the_elements", lines)
good("triplets", save("x.npy", x), "--forces", "f.tsv")
report(open(path("f.tsv")).readline() == "fx\tfy\tfz\n", "forces_as_tsv")

# ---- Histograms ----
for device in ALL:
    for n, bins, most, dtype in ((40, 7, 4.0, "f8"), (40, 1, 2.0, "f4"), (33, 20, 9.0, "f8"), (2, 3, 1.0, "f8")):
        x = cluster(n, dtype)
        s = -np.sort(-sides(x.astype("f8")), 1)
        want = np.histogramdd(s, bins, [(0, most)] * 3)[0].astype("i8")
        near = np.abs(s * bins / most - np.round(s * bins / most)).min(initial=1)
        got = energy_of(save("x.npy", x), "--histogram", bins, "--max", most, "-o", "h.npy", "--force", device=device)
        h = np.load(path("h.npy"))
        fine = h.dtype == np.int64 and h.shape == (bins,) * 3 and np.array_equal(h, want) and near > 1e-6
        report(fine and not wrong_energy(got, x, dtype), f"{device}_histogram_of_{n}_atoms_{dtype}", (h.sum(), want.sum()))
x = np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 3]]) # sides 3, 2, 1: on edges, the last one closed
good("triplets", save("x.npy", x), "--histogram", 3, "--max", 3, "-o", "h.npy", "--force")
report(np.argwhere(np.load(path("h.npy"))).tolist() == [[2, 2, 1]], "sides_on_edges_go_where_numpy_puts_them")
x, box = cluster(60) * 1.7, [6.5, 7.25, 8.0]
s = -np.sort(-sides(x, box), 1)
good("triplets", save("x.npy", x), "--histogram", 9, "--max", 2, "--cutoff", 2.1, "--box", "6.5,7.25,8", "-o", "h.npy", "--force")
report(np.array_equal(np.load(path("h.npy")), np.histogramdd(s, 9, [(0, 2.0)] * 3)[0]), "histogram_in_a_box")

# ---- 2,000 clusters, in one process ----


class Parameter(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("value", ctypes.c_double)]


class JobSpec(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("op", ctypes.c_char_p), ("parameters", ctypes.c_void_p),
                ("parameter_count", ctypes.c_size_t), ("sink", ctypes.c_char_p), ("sink_parameters", ctypes.c_void_p),
                ("sink_parameter_count", ctypes.c_size_t), ("layout", ctypes.c_int), ("dtype", ctypes.c_int),
                ("n", ctypes.c_uint64), ("d", ctypes.c_uint64), ("points", ctypes.c_void_p), ("place", ctypes.c_int),
                ("points_offset", ctypes.c_size_t), ("points_stride", ctypes.c_uint64), ("m", ctypes.c_uint64),
                ("others", ctypes.c_void_p), ("others_offset", ctypes.c_size_t), ("others_stride", ctypes.c_uint64),
                ("map", ctypes.c_char_p), ("tile", ctypes.c_uint32), ("stream", ctypes.c_void_p), ("prune", ctypes.c_int),
                ("box", ctypes.c_void_p), ("cutoff", ctypes.c_double)]


class Result(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("values", ctypes.c_void_p), ("indices", ctypes.c_void_p),
                ("counts", ctypes.c_void_p), ("place", ctypes.c_int), ("values_offset", ctypes.c_size_t),
                ("indices_offset", ctypes.c_size_t), ("counts_offset", ctypes.c_size_t), ("room", ctypes.c_uint64),
                ("state", ctypes.c_void_p), ("count", ctypes.c_uint64)]


lib = ctypes.CDLL(os.path.join(os.path.abspath(arguments.build), "libwedge.so"))
lib.wedge_job_get_info.restype = ctypes.POINTER(ctypes.c_uint64)
lib.wedge_device_message.restype = ctypes.c_char_p


def run_job(dev, x, sink, out, nu, cutoff):
    set_nu = Parameter(ctypes.sizeof(Parameter), b"nu", nu)
    p = JobSpec(size=ctypes.sizeof(JobSpec), op=b"axilrod_teller", parameters=ctypes.addressof(set_nu), parameter_count=1,
                sink=sink, layout=5, dtype=x.dtype == "f8", n=len(x), d=x.shape[1], points=x.ctypes.data, cutoff=cutoff)
    job, r = ctypes.c_void_p(), Result(size=ctypes.sizeof(Result), values=out.ctypes.data, room=len(x))
    status = lib.wedge_job_create(dev, ctypes.byref(p), ctypes.byref(job))
    status = status or lib.wedge_job_run(job, ctypes.c_uint64(0), ctypes.c_uint64(lib.wedge_job_get_info(job)[0]),
                                         ctypes.byref(r), None, None)
    if status:
        raise RuntimeError(lib.wedge_device_message(dev).decode())
    lib.wedge_job_destroy(job)


def wrong_cluster(dev, k):
    dtype = "f8" if k % 2 else "f4"
    x = cluster(1 + k % 17, dtype)
    nu, cutoff = 0.5 + random.random(), gap_at(sides(x.astype("f8")).max(1, initial=0), random.random()) if k % 3 else 0
    e = terms(x.astype("f8"), nu=nu, cutoff=cutoff or None)
    size = CLOSE[dtype] * absolute(x.astype("f8"), nu=nu, cutoff=cutoff or None)
    summary, forces = np.zeros(16), np.zeros((len(x), 4), x.dtype)
    summary.view("u8")[0] = summary.nbytes  # its size
    run_job(dev, x, b"summary", summary, nu, cutoff)
    count, energy = int(summary.view("u8")[1]), summary[3]
    if count != len(e) or abs(energy - e.sum()) > size:
        return f"cluster {k}: {count} {energy}, not {len(e)} {e.sum()}"
    run_job(dev, x, b"scatter", forces, nu, cutoff)
    total = forces[:, 0].astype("f8").sum()
    return "" if abs(total - 3 * e.sum()) <= 3 * size else f"cluster {k}: sums of atoms {total / 3}"


for device in ALL:
    context, dev = ctypes.c_void_p(), ctypes.c_void_p()
    lib.wedge_context_create(ctypes.byref(context))
    lib.wedge_device_open(context, device.encode(), ctypes.byref(dev))
    count, wrong = 2000 if device == "cpu" else 20, ""
    for k in range(count):
        wrong = wrong or wrong_cluster(dev, k)
    report(not wrong, f"{device}_{count}_random_clusters", wrong)
    lib.wedge_device_close(dev)
    lib.wedge_context_destroy(context)
finish()
