# edm_files.sh: what the tests of `wedge edm` at the prompt share; sourced after check.sh. Makes the input by python3 without
# NumPy and reads results by od, so that nothing of the program under test is trusted: $o is a folder for one run, $d the
# output in it; four.npy, some.npy (whose distances are want64.npy) and a few more lie in $dir.
#
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034 # $dir and $wedge are check.sh's, what is made here is for others
chmod 755 "$dir"
o=$dir/o
d=$o/d.npy
fresh() { rm -rf "$o"; mkdir "$o"; }
left() { find "$o" -mindepth 1 -printf '%f ' | tr -d '\n'; }
edm() { "$wedge" edm --device cpu "$@" < "$dir/in"; }
skipped() { echo "skip  $1: $2"; }

# npy FILE DESCR SHAPE VALUES...: little-endian; any descr and shape go into the header, f4 and f8 decide the data
npy() {
    python3 - "$@" << 'EOF'
import struct, sys
file, descr, shape, *values = sys.argv[1:]
header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
kind = {"f4": "f", "f8": "d", "i4": "i", "b1": "b"}.get(descr[1:], "B")
values = [(float if kind in "fd" else int)(v) for v in values]
with open(file, "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
    f.write(struct.pack("<%d%s" % (len(values), kind), *values))
EOF
}

# random_points NAME N D f4|f8: NAME.npy, and the same points as text in NAME.txt
random_points() {
    python3 - "$@" << 'EOF'
import array, random, struct, sys
name, n, d, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
random.seed(n)
values = array.array("f" if kind == "f4" else "d", (random.gauss(0, 1) for _ in range(n * d)))
header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, n, d)
with open(name + ".npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
    f.write(values.tobytes())
if n * d < 100000:
    with open(name + ".txt", "w") as f:
        f.writelines(",".join(map(repr, values[i * d:i * d + d])) + "\n" for i in range(n))
EOF
}

about() { head -c 128 "$1" | tr -d '\000\223\001' | sed -n "s/.*'descr': '\([^']*\)'.*'shape': \(([^)]*)\).*/\1 \2/p"; }

numbers() { # FILE: the data as text
    case $(about "$1") in *f4*) format=f4 ;; *) format=f8 ;; esac
    start=$(($(od -An -tu2 -j8 -N2 "$1") + 10))
    tail -c +$((start + 1)) "$1" | od -An -v -t$format | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# yields NAME ABOUT NUMBERS ARGS...: exit 0, an OUT of this dtype and shape with these numbers, and nothing beside it
yields() {
    name=$1; want_about=$2; want=$3; shift 3
    fresh
    edm "$@" -o "$d" > "$dir/out" 2> "$dir/err"
    code=$?
    if [ $code -ne 0 ]; then report no "$name" "exit $code, $(head -c 300 "$dir/err" | tr '\n' '|')"
    elif [ "$(about "$d")" != "$want_about" ]; then report no "$name" "$(about "$d"), wanted $want_about"
    elif [ "$(numbers "$d")" != "$want" ]; then report no "$name" "$(numbers "$d"), wanted $want"
    elif [ "$(left)" != "d.npy " ]; then report no "$name" "left $(left)"
    else report ok "$name"; fi
}

# same NAME WANTED ARGS...: exit 0 and the bytes of the file WANTED, and nothing beside OUT
same() {
    name=$1; wanted=$2; shift 2
    fresh
    edm "$@" -o "$d" > "$dir/out" 2> "$dir/err"
    code=$?
    if [ $code -eq 0 ] && cmp -s "$wanted" "$d" && [ "$(left)" = "d.npy " ]; then report ok "$name"
    else report no "$name" "exit $code, left $(left), $(head -c 300 "$dir/err" | tr '\n' '|')"; fi
}

printf 'x,y\n0,0\n3,4\n12,16\n21,28\n' > "$dir/four.csv"
apart="5 20 35 15 30 15" # the distances of the four
npy "$dir/four.npy" '<f8' '(4, 2)' 0 0 3 4 12 16 21 28
npy "$dir/two.npy" '<f4' '(2, 1)' 1 3.5
npy "$dir/nan.npy" '<f8' '(3, 2)' 0 0 3 4 nan 1
random_points "$dir/some" 1500 5 f8
fresh
edm "$dir/some.npy" -o "$d" && mv "$d" "$dir/want64.npy"
