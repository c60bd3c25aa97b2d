#!/usr/bin/env python3
"""cli_input.py BUILD_DIR: no input is misread: what a command takes of a file is what its author meant, or it is refused.

Columns of records in any order; each result is compared with that of a plain .npy.

SPDX-License-Identifier: MIT"""
import gzip

from pairs_oracle import *


def write(name, text):
    with open(path(name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return name


def table(name, header, columns, sep=","):
    rows = [sep.join(map(repr, map(float, row))) for row in np.column_stack(columns)]
    return write(name, "\n".join([header] * bool(header) + rows) + "\n")


def said(command, *words):
    """What a run prints to stderr, and its exit code."""
    done = run(command, *words)
    return done.stderr, done.returncode


def same(name, want, *words):
    """The command prints the wanted text, and it succeeds."""
    done = run(*words)
    report(done.returncode == 0 and done.stdout == want, name, f"exit {done.returncode}, {done.stdout!r} {done.stderr!r}")


# ---- Records are found by their names ----
x, y, z, r = random.random((4, 40))
r *= 0.3
want = good("collide", save("s.npy", np.column_stack([x, y, z, r])))
flat = good("collide", save("f.npy", np.column_stack([x, y, r])))
assert want != flat
same("spheres_with_the_radius_first", want, "collide", table("s.csv", "r,x,y,z", [r, x, y, z]))
same("spheres_in_any_case_and_quotes", want, "collide", table("s.csv", '" Z ";Radius;"X";y;"id"', [z, r, x, y, x], ";"))
same("spheres_in_the_plane", flat, "collide", table("s.csv", "r,x,y", [r, x, y]))
same("spheres_without_a_header", want, "collide", table("s.csv", "", [x, y, z, r]))
same("columns_chosen_by_hand_win", flat, "collide", table("s.csv", "r,y,x,z", [r, x, y, z]), "--columns", "2,3,1")
same("columns_chosen_by_hand_are_found_by_name", flat, "collide", table("s.csv", "r,y,x,z", [r, x, y, z]), "--columns", "1:3")
refuses("points_without_a_radius", 3, "no column 'r' in p.csv; there are x, y, z; needed: x[,y][,z],r", "collide",
        table("p.csv", "x,y,z", [x, y, z]))
refuses("spheres_in_xyz_without_a_radius", 3, "no column 'r' in p.xyz; there are element, x, y, z", "collide",
        write("p.xyz", "2\n\nO 1 2 3\nO 4 5 6\n"))
same("spheres_in_extended_xyz", want, "collide", write("s.xyz", "40\nProperties=radius:R:1:species:S:1:pos:R:3\n" + "".join(
    f"{d!r} O {a!r} {b!r} {c!r}\n" for a, b, c, d in np.column_stack([x, y, z, r]).tolist())))
want = good("collide", save("b.npy", np.column_stack([x, y, x + r, y + r])), "--boxes")
for header in "xmax,ymax,xmin,ymin", "maxx,maxy,minx,miny", "XHI,YHI,XLO,YLO":
    same("boxes_of_" + header, want, "collide", table("b.csv", header, [x + r, y + r, x, y]), "--boxes")
refuses("boxes_without_a_corner", 3, "no column 'yhi'", "collide", table("b.csv", "xlo,ylo,xhi", [x, y, x]), "--boxes")
err, code = said("collide", table("s.csv", "id,r,x,y", [x, r, x, y]))
report("3 features (x, y, r); header and column 1 (id) skipped" in err, "what_is_left_out_is_said", err)

m = r + 1
bodies = [x, y, z, -y, x, z * 0, m]
steps = ("--steps", 3, "--dt", 0.01, "--softening", 0.1)
want = good("nbody", save("n.npy", np.column_stack(bodies)), *steps, "-o", "end.npy")
for name, header, columns in (("first", "m,x,y,z,vx,vy,vz", bodies[6:] + bodies[:6]),
                              ("by_another_name", "id,MASS,vx,vy,vz,x,y,z", [x, m, *bodies[3:6], *bodies[:3]])):
    same(f"bodies_with_the_mass_{name}", want, "nbody", table("n.csv", header, columns), *steps, "-o", "end.npy", "--force")
refuses("bodies_without_mass", 3, "no column 'm' in n.csv", "nbody", table("n.csv", "x,y,z,vx,vy,vz,w", bodies), *steps, "-o", "no.npy")

atoms = random.random((30, 3)) * 4
nu = random.random(30)
want, with_nu = (good("triplets", save("t.npy", np.column_stack(c))) for c in ([atoms], [atoms, nu]))
same("atoms_with_an_id", want, "triplets", table("t.csv", "id,x,y,z", [nu, atoms]))
same("atoms_with_nu_first", with_nu, "triplets", table("t.csv", "nu,z,y,x", [nu, atoms[:, ::-1]]))
refuses("atoms_without_z", 3, "no column 'z' in t.csv", "triplets", table("t.csv", "x,y,nu", [atoms[:, :2], nu]))
want = good("within", save("h.npy", np.column_stack([x, y])), "--metric", "haversine", "--radius", 0.2)
same("places_with_the_longitude_first", want, "within", table("h.csv", "Lon,Lat", [y, x]), "--metric", "haversine", "--radius", 0.2)
same("all_columns_of_a_fold_are_features", good("within", "h.npy", "--radius", 0.2), "within", table("h.csv", "r,m", [x, y]), "--radius", 0.2)

# ---- Compressed by gzip ----
plain = good("within", save("g.npy", np.column_stack([x, y])), "--radius", 0.1)
packed = lambda name: gzip.compress(open(path(name), "rb").read())
same("gzip_of_npy", plain, "within", write("g.npy.gz", packed("g.npy")), "--radius", 0.1)
table("g.csv", "x,y", [x, y])
whole = open(path("g.csv"), "rb").read()
same("gzip_of_text_in_members", plain, "within", write("g.csv.gz", b"".join(gzip.compress(whole[k:k + 100]) for k in range(0, len(whole), 100))
                                                   + bytes(700)), "--radius", 0.1)
same("gzip_of_xyz", good("within", "c0.npy", "--radius", 1) if save("c0.npy", np.zeros((2, 3))) else "", "within",
     write("m.xyz.gz", gzip.compress(b"2\n\nO 0 0 0\nH 0 0 0\n")), "--radius", 1)
with open(path("g.csv.gz"), "rb") as f:
    done = run("within", "-", "--radius", 0.1, stdin=f)
report(done.stdout == plain, "gzip_from_standard_input", done.stderr)
data = packed("g.npy")
refuses("gzip_that_is_cut", 3, "gzip data is truncated", "within", write("b.gz", data[:-9]), "--radius", 1)
refuses("gzip_that_is_damaged", 3, "gzip data is damaged", "within", write("b.gz", data[:40] + b"????" + data[44:]), "--radius", 1)
refuses("gzip_of_another_checksum", 3, "gzip data is damaged", "within", write("b.gz", data[:-8] + b"????" + data[-4:]), "--radius", 1)
refuses("bytes_after_gzip", 3, "other bytes follow its gzip data", "within", write("b.gz", data + b"more"), "--radius", 1)
refuses("gzip_of_gzip", 3, "gzip twice", "within", write("b.gz", gzip.compress(data)), "--radius", 1)
refuses("gzip_of_nothing", 3, "is empty", "within", write("b.gz", gzip.compress(b"")), "--radius", 1)
refuses("a_bomb", 5, "raise it with --memory", "within", write("b.gz", gzip.compress(b"1 2 " * 5000000)), "--radius", 1, "--memory", "8M")
os.environ["WEDGE_LIBZ"] = "/nowhere/libz.so"
refuses("gzip_without_zlib", 3, "and zlib, which unpacks it, is missing", "within", "g.npy.gz", "--radius", 1)
del os.environ["WEDGE_LIBZ"]
err, code = said("within", write("t.npy", "1,2\n3,4\n"), "--radius", 1)
report(code == 0 and "t.npy: it is named .npy but does not begin like one, so it was read as text" in err, "text_named_npy", err)
refuses("no_text_named_npy", 3, "is not a number", "within", write("t.npy", "hello world\n1 x\n"), "--radius", 1)
same("npy_named_csv", plain, "within", write("n.csv", open(path("g.npy"), "rb").read()), "--radius", 0.1)

# ---- The periodic cell of extended .xyz ----
cell = random.random((60, 3)) * [9, 8, 7.5]


def xyz(name, comment, points):
    return write(name, f"{len(points)}\n{comment}\n" + "".join("O %r %r %r\n" % tuple(p) for p in points.tolist()))


save("c.npy", cell)
LATTICE = 'Lattice="9 0 0 0 8 0 0 0 7.5" Properties=species:S:1:pos:R:3'
for name, comment, box in (("all", LATTICE, "9,8,7.5"), ("pbc", LATTICE + ' pbc="T T T"', "9,8,7.5"),
                           ("open_in_z", LATTICE + ' pbc="T T F"', "9,8,0"), ("none", LATTICE + ' pbc="F F F"', "none")):
    xyz("c.xyz", comment, cell)
    boxed = () if box == "none" else ("--box", box)
    for words in (("within", "--radius", 2), ("knn", "-k", 3), ("histogram", "--max", 2, "--bins", 4), ("triplets", "--cutoff", 2), ("summary",)):
        same(f"{words[0]}_in_the_cell_{name}", good(words[0], "c.npy", *words[1:], *boxed), words[0], "c.xyz", *words[1:])
    same(f"two_columns_in_the_cell_{name}", good("within", "c.npy", "--radius", 2, "--columns", "3,1", *boxed and
         ("--box", ",".join(box.split(",")[k] for k in (2, 0)))), "within", "c.xyz", "--radius", 2, "--columns", "z,x")
xyz("c.xyz", LATTICE, cell)
good("edm", "c.npy", "-o", "want.npy", "--box", "9,8,7.5")
good("edm", "c.xyz", "-o", "got.npy")
report(np.array_equal(np.load(path("want.npy")), np.load(path("got.npy"))), "edm_in_the_cell")
same("rdf_in_the_cell", good("histogram", "c.npy", "--max", 2, "--bins", 4, "--rdf", "--box", "9,8,7.5"), "histogram", "c.xyz", "--max",
     2, "--bins", 4, "--rdf")
err, code = said("within", "c.xyz", "--radius", 2)
report("c.xyz: periodic box 9 8 7.5, from line 2; --box none for open space" in err, "the_cell_is_said", err)
same("a_box_that_is_given_wins", good("within", "c.npy", "--radius", 2, "--box", 20), "within", "c.xyz", "--radius", 2, "--box", 20)
err, code = said("within", "c.xyz", "--radius", 2, "--box", 20)
report("line 2 gives a periodic cell, which is ignored: --box replaces it" in err, "and_that_is_said", err)
same("open_space_is_had_by_box_none", good("within", "c.npy", "--radius", 2), "within", "c.xyz", "--radius", 2, "--box", "none")
same("one_of_two_files_has_the_cell", good("within", "c.npy", "c.npy", "--radius", 2, "--box", "9,8,7.5"), "within", "c.npy", "c.xyz",
     "--radius", 2)
same("bits_of_points_have_no_cell", good("within", "c.npy", "--metric", "cosine", "--radius", 0.1), "within", "c.xyz", "--metric",
     "cosine", "--radius", 0.1)
refuses("cells_that_differ", 3, "different periodic cells", "within", "c.xyz", xyz("d.xyz", LATTICE.replace("8", "8.5"), cell), "--radius", 2)
periodic = "line 2 gives a periodic cell, but {} has no periodic form; type --box none for open space"
for op in "lennard_jones", "displacement":
    refuses(f"{op}_in_the_cell", 3, periodic.format(op), "edm", "c.xyz", "--metric", op, "-o", "x.npy", "--quiet")
report(said("edm", "c.xyz", "--metric", "lennard_jones", "-o", "x.npy", "--box", "none")[1] == 0, "lennard_jones_in_open_space")
write("atoms.h", '#define OP_FORMULA "a"\n#define OP_DIRECT 3\n#define OP_COLUMNS "x,y,z"\n'
      "WEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] - b[0]; }\n")
refuses("an_op_of_atoms_in_the_cell", 3, periodic.format("atoms"), "run", "atoms.h", "c.xyz", "--sink", "summary")
refuses("a_cell_that_is_tilted", 3, "line 2: Lattice='9 0 0 2 8 0 0 0 7.5' is not orthogonal; wedge needs a box", "within",
        xyz("t.xyz", 'Lattice="9 0 0 2 8 0 0 0 7.5"', cell), "--radius", 2)
report(said("within", "t.xyz", "--radius", 2, "--box", "none")[1] == 0, "a_tilted_cell_with_box_none")
refuses("a_radius_beyond_half_the_cell", 2, "Lattice: length 7.5 is too short", "within", "c.xyz", "--radius", 4)
refuses("triplets_without_a_cutoff", 2, "Lattice needs --cutoff R", "triplets", "c.xyz")
finish()
