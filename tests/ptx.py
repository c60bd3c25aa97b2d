#!/usr/bin/env python3
"""ptx.py [BUILD_DIR]: what the functions of map.h return is computed and stored by the code that NVRTC makes of them.

A compiler once lost the store of a returned number, which only a GPU would have shown. So each function is compiled for sm_80,
sm_90 and sm_100, in a kernel that stores what it returns, and the PTX is run here, instruction by instruction, over chosen and
random arguments, against exact integers. What the assembler makes of PTX is not seen. Where there is no NVRTC the test is skipped.
No other packages. SPDX-License-Identifier: MIT
"""
import ctypes
import fractions
import glob
import math
import os
import pathlib
import random
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")
SKIPPED = 77
TARGETS = ["compute_80", "compute_90", "compute_100"]
NONE = 0xFFFFFFFF
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
FIELDS = {"wedge_pair": "i j", "wedge_pair64": "i j", "wedge_triple": "i j k", "wedge_triple64": "i j k",
          "wedge_segment": "i j k end left", "wedge_u32": "", "wedge_u64": ""}
OUT, TABLE = 1 << 40, 1 << 44  # addresses


# ---- The compiler ----

def nvrtc():
    names = [os.environ.get("WEDGE_NVRTC", ""), "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
             *glob.glob(str(BUILD / "nvrtc" / "**" / "libnvrtc.so.[0-9]*"), recursive=True)]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    print("skipped: no NVRTC here to compile map.h with")
    sys.exit(SKIPPED)


def text_of(library, what, program):
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, text)
    return text.value.decode()


def compile_ptx(library, source, target):
    """The PTX; None where this compiler does not know the target."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"map.cu", 0, None, None)
    option = (ctypes.c_char_p * 1)(f"--gpu-architecture={target}".encode())
    error = library.nvrtcCompileProgram(program, 1, option)
    log = text_of(library, "ProgramLog", program)
    if error and "gpu-architecture" in log:
        return None
    if error:
        sys.exit(f"FAIL  {target}: map.h does not compile:\n{log}")
    return text_of(library, "PTX", program)


def flat(parameters):
    """C of a function's parameters: as a kernel takes them, structs as their fields; what puts those together; the arguments."""
    taken, made, given = [], [], []
    for kind, name in (re.fullmatch(r"(.*?)(\w+)", p.strip()).groups() for p in parameters.split(",")):
        fields = FIELDS.get(kind.strip(), "").split()
        number = "wedge_u64" if "64" in kind else "wedge_u32"
        taken += [f"{number} {name}_{f}" for f in fields] or [kind + name]
        made += [f"{kind}{name};"] * bool(fields) + [f"{name}.{f} = {name}_{f};" for f in fields]
        given.append(name)
    return ", ".join(taken), " ".join(made), ", ".join(given)


def kernels():
    """Source with a kernel per function, {name: number of its results}, and the functions that nothing here tries."""
    header = "".join((ROOT / "include" / "wedge" / f).read_text() for f in ("lang.h", "map.h"))
    header = re.sub(r'^#include "[^"]*"$', "", header, flags=re.M)
    source, results, untried = [header], {}, []
    for returned, name, parameters in re.findall(r"^WEDGE_FN (\w+) wedge_(\w+)\(([^)]*)\)", header[header.index("WEDGE_MAP_H"):], re.M):
        if name not in EXACT:
            untried += [name] * (name not in UNTRIED)
            continue
        fields = FIELDS[returned].split()
        taken, made, given = flat(parameters)
        stores = " ".join(f"out[{k}] = r.{f};" for k, f in enumerate(fields)) or "out[0] = r;"
        source.append(f'extern "C" __global__ void {name}({taken}, unsigned long long *out) '
                      f"{{ {made} {returned} r = wedge_{name}({given}); {stores} }}")
        results[name] = max(1, len(fields))
    return "\n".join(source), results, untried


# ---- The machine: registers hold bits, each instruction says what they mean ----

def single(x):
    """The bits of a double, rounded to float."""
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0x7F800000 | (0x80000000 if x < 0 else 0)


def nearest_single(q):
    """A fraction, rounded once: to odd with more bits than a float has, then to float."""
    if not q:
        return single(0.0)
    shift = 40 - (abs(q.numerator).bit_length() - q.denominator.bit_length())
    scaled = abs(q) * fractions.Fraction(2) ** shift
    whole = int(scaled)
    whole |= whole != scaled
    return single(math.ldexp(-whole if q < 0 else whole, -shift))


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def decode(bits, kind):
    if kind == "f32":
        return struct.unpack("<f", struct.pack("<I", bits & M32))[0]
    if kind == "f64":
        return struct.unpack("<d", struct.pack("<Q", bits & M64))[0]
    if kind == "pred":
        return bits
    width = int(kind[1:])
    bits &= (1 << width) - 1
    return signed(bits, width) if kind[0] == "s" else bits


def encode(value, kind):
    if kind == "f32":
        return single(value)
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    return value & ((1 << int(kind[1:])) - 1) if kind != "pred" else int(value)


def fused(a, b, c, kind):
    if not all(map(math.isfinite, (a, b, c))):
        return encode(a * b + c, kind)
    exact = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
    return nearest_single(exact) if kind == "f32" else encode(float(exact), kind)


def divided(a, b, kind):
    if kind[0] in "us":
        return encode(int(fractions.Fraction(a, b)), kind)
    if not b or not math.isfinite(a) or not math.isfinite(b):
        return encode(math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) if not b else a / b, kind)
    return encode(a / b, kind)


def converted(parts, value):
    """cvt.[rounding.]to.from"""
    to, rounding = parts[-2], parts[1] if len(parts) > 3 else ""
    if to[0] == "f":
        return encode(float(value), to)
    if isinstance(value, float):
        low, high = (-(1 << 31), (1 << 31) - 1) if to == "s32" else (0, (1 << int(to[1:])) - 1)
        if math.isnan(value):
            return 0
        value = min(max(value, float(low)), float(high))
        value = min(high, {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}[rounding](value))
    return encode(value, to)


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
           "ge": lambda a, b: a >= b, "nan": lambda a, b: a != a or b != b, "lo": lambda a, b: a < b, "ls": lambda a, b: a <= b,
           "hi": lambda a, b: a > b, "hs": lambda a, b: a >= b, "num": lambda a, b: a == a and b == b,
           "neu": lambda a, b: a != b, "ltu": lambda a, b: not a >= b, "gtu": lambda a, b: not a <= b, "leu": lambda a, b: not a > b,
           "geu": lambda a, b: not a < b, "equ": lambda a, b: not (a < b or a > b)}
ARITHMETIC = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
              "shl": lambda a, b: a << min(b, 64), "shr": lambda a, b: a >> min(b, 64), "min": min, "max": max, "neg": lambda a: -a,
              "abs": abs, "not": lambda a: ~a, "copysign": lambda a, b: math.copysign(b, a), "ex2": lambda a: 2.0 ** a,
              "lg2": lambda a: math.log2(a) if a > 0 else -math.inf, "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
              "rsqrt": lambda a: 1 / math.sqrt(a) if a > 0 else math.inf, "rcp": lambda a: 1 / a if a else math.inf}


class Machine:
    def __init__(self, body):
        """The instructions of one kernel, and where its labels are."""
        self.code, self.labels = [], {}
        for line in re.sub(r"//.*", "", body).splitlines():
            line = line.strip().rstrip(";").strip()
            if line.startswith("$") and line.endswith(":"):
                self.labels[line[:-1]] = len(self.code)
            elif line and not line.startswith((".", "{", "}")) or line.startswith("{ "):
                guard = re.match(r"@(!?)(%p\d+)\s+(.*)", line)
                text = guard[3] if guard else line
                word, _, rest = text.partition(" ") if " " in text else text.partition("\t")
                operands = [o.strip() for o in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s{}\[\]]+", rest)]
                self.code.append((guard and (guard[1] == "!", guard[2]), word.strip().split("."), operands))

    def value(self, operand, kind):
        if operand[0] == "%":
            return decode(self.registers[operand], kind)
        if operand.startswith(("0f", "0F", "0d", "0D")):
            return decode(int(operand[2:], 16), "f32" if operand[1] in "fF" else "f64")
        return decode(int(operand, 0), kind) if kind[0] != "f" else float(int(operand, 0))

    def address(self, operand):
        base, _, offset = operand.strip("[]").partition("+")
        return self.registers[base] + int(offset or 0)

    def run(self, arguments, memory):
        self.registers, self.memory, at = {}, memory, 0
        for _ in range(100000):
            guard, parts, operands = self.code[at]
            at += 1
            if guard and bool(self.registers[guard[1]]) == guard[0]:
                continue
            if parts[0] == "ret":
                return
            if parts[0] == "bra":
                at = self.labels[operands[0]]
            else:
                self.step(parts, operands, arguments)
        sys.exit("FAIL  a kernel does not end")

    def step(self, parts, operands, arguments):
        word, kind, to = parts[0], parts[-1], operands[0]
        if word == "ld" and parts[1] == "param":
            self.registers[to] = arguments[int(re.search(r"param_(\d+)", operands[1])[1])]
        elif word == "ld":
            self.registers[to] = self.memory[self.address(operands[1])]
        elif word == "st":
            names = [n.strip() for n in operands[1].strip("{}").split(",")]
            for k, name in enumerate(names):
                self.memory[self.address(operands[0]) + k * int(kind[1:]) // 8] = encode(self.value(name, "u" + kind[1:]), "u" + kind[1:])
        elif word == "mov" and to[0] == "{":
            bits, half = self.registers[operands[1]], int(kind[1:]) // 2
            for k, name in enumerate(n.strip() for n in to.strip("{}").split(",")):
                self.registers[name] = bits >> (k * half) & ((1 << half) - 1)
        elif word == "mov" and operands[1][0] == "{":
            half = int(kind[1:]) // 2
            low, high = (self.registers[n.strip()] for n in operands[1].strip("{}").split(","))
            self.registers[to] = low | high << half
        elif word in ("mov", "cvta"):
            self.registers[to] = encode(self.value(operands[1], kind), kind)
        elif word == "setp":
            self.registers[to] = int(COMPARE[parts[1]](*(self.value(o, kind) for o in operands[1:3])))
        elif word == "selp":
            chosen = operands[1] if self.registers[operands[3]] else operands[2]
            self.registers[to] = encode(self.value(chosen, kind), kind)
        elif word == "cvt":
            self.registers[to] = converted(parts, self.value(operands[1], kind))
        else:
            self.registers[to] = self.compute(word, parts, kind, operands[1:])

    def compute(self, word, parts, kind, operands):
        if word in ("shl", "shr"):
            return encode(ARITHMETIC[word](self.value(operands[0], kind), self.value(operands[1], "u32")), kind)
        values = [self.value(o, kind) for o in operands[:2 if word == "mad" and parts[1] == "wide" else 3]]
        width = 0 if kind[0] == "f" or kind == "pred" else int(kind[1:])
        if word in ("mul", "mad") and width:
            product = values[0] * values[1] >> (width if parts[1] == "hi" else 0)
            wide = kind[0] + str(2 * width) if parts[1] == "wide" else kind
            if word == "mad":
                product += self.value(operands[2], wide)
            return encode(product, wide)
        if word == "mul":
            return encode(values[0] * values[1], kind)
        if word in ("fma", "mad"):
            return fused(*values, kind)
        if word == "div":
            return divided(*values, kind)
        if word == "clz":
            return width - values[0].bit_length()
        if word == "not" and kind == "pred":
            return int(not values[0])
        return encode(ARITHMETIC[word](*values), kind)


# ---- What the functions are, in integers that do not wrap ----

def tri(i):
    return i * (i + 1) // 2


def tet(i):
    return i * (i + 1) * (i + 2) // 6


def pair(w):
    i = (math.isqrt(8 * w + 1) - 1) // 2
    return i, w - tri(i)


def triple(w):
    i = int(round((6 * w) ** (1 / 3)))
    while tet(i) > w:
        i -= 1
    while tet(i + 1) <= w:
        i += 1
    return (i, *pair(w - tet(i)))


def moved(coordinates, *by):
    return tuple(c + b for c, b in zip(coordinates, by))


def condensed(n, p):
    i, j = pair(n * (n - 1) // 2 - 1 - p)
    return n - 2 - i, n - 1 - j


def rb(m, x, y):
    odd = m % 2
    return (m - 1 - y, m - 1 - x + odd) if y + odd <= x else (y - 1 + odd, x)


def hmap(m, x, y):
    if y == m:
        return m - 1, x + m // 2
    side = 1 << ((y + 1).bit_length() - 1)
    return y + 2 * (x // side * side), x + x // side * side


def hmap_any(s, x, y):
    side = s << (max(1, (max(y, 1) - 1) // s).bit_length() - 1)
    q = x // side * side
    return (y - 1 + 2 * q, x + q) if y > x - q else (x + q + s, y + 2 * q + s)


def hinge(b, x0, y0, x, y, z):
    if x + y + z >= 2 * b - 1:
        x, y, z = b - 1 - x, b - 1 - y, 2 * b - 1 - z
    return x0 + x + y0 + y + z, x0 + x + y0 + y, x0 + x


def hmap3(m, x, y, z):
    """None: any number, where there is no tile."""
    if z < m // 2:
        return hinge(m // 2, 0, 0, x, y, z)
    b, z = 1 << max(y.bit_length() - 1, 0), z - m // 2
    if y == 0 or z >= b:
        return NONE, None, None
    x0 = 2 * (x // b * b)
    return hinge(b, x0, m - 2 * b - x0, x % b, y - b, z)


def corner(n, level, number):
    """Where a corner begins, by the halves that its number takes."""
    seconds = [number >> (level - l) & 1 for l in range(1, level + 1)]
    return (sum(n >> l for l, s in enumerate(seconds, 1) if s), sum(n >> l for l, s in enumerate(seconds, 1) if not s))


def hmap3_cube(m, level, x, y, z):
    b = ((m + 1) >> level) // 2
    return hinge(b, *corner(m + 1, level, z // b), x, y, z % b)


def hmap3_strip(m, level, x, y, z):
    side, (x0, y0) = ((m + 1) >> level) - 1, corner(m + 1, level, z)
    i, j = rb(side, x, y)
    return x0 + y0 + side - 1, x0 + y0 + i, x0 + j


def utm(n, p):
    a = 0
    while p >= n - 1 - a:
        p -= n - 1 - a
        a += 1
    return a + 1 + p, a


def segment(tile, count):
    """Of a tile (i, j) or (i, j, k)."""
    row, column = tile[-2:]
    taken = min(count, row + 1 - column)
    end = column + taken if taken else 0
    return (*tile, 0, end, count - taken) if len(tile) == 2 else (*tile, end, count - taken)


def next_segment(i, j, k, end, left):
    """The row after row j of layer i."""
    i, j = (i + 1, 0) if j == i else (i, j + 1)
    return i, j, 0, min(left, j + 1), left - min(left, j + 1)


def next_row(i, j, k, end, left):
    return i + 1, 0, k, min(left, i + 2), left - min(left, i + 2)


def hmap_levels(m):
    return next(k for k in range(1, 32) if (m - 1) >> k < 256)


def hmap_side(m):
    return ((m - 1) >> hmap_levels(m)) + 1


def hmap_inverse(m):
    return 0 if hmap_levels(m) == 1 else 0x7FFFFFFFFF // hmap_side(m) + 1


def walk(of, block, run, extra):
    return segment(of(block * run + min(block, extra)), run + (block < extra))


# ---- Which arguments ----

dice = random.Random(2026)
RANDOM = 12


def numbers(limit, edges=()):
    """Up to limit: the first, the last, around powers of two, what begins and ends rows, and random ones of all sizes."""
    some = {0, 1, 2, 3, 7, 8, 9, 10, limit, limit - 1, *edges}
    for bits in range(8, limit.bit_length() + 1, 8):
        some |= {(1 << bits) - 1, 1 << bits}
    some |= {dice.getrandbits(dice.randrange(1, limit.bit_length() + 1)) for _ in range(RANDOM)}
    return sorted((w,) for w in some if 0 <= w <= limit)


def ends(of, last):
    """Around the first number of some rows."""
    rows = {dice.randrange(1, last) for _ in range(RANDOM)} | {1, 2, last - 1, last}
    return {of(r) - d for r in rows for d in (0, 1)}


def w32():
    return numbers(M32, ends(tri, 92681))


def w64():
    return numbers(M64, ends(tri, 6074000999))


def w32_of_3():
    return numbers(M32, ends(tet, 2952))


def w64_of_3():
    return numbers(M64, ends(tet, 4801278))


def some(count, make):
    return [make() for _ in range(count)]


def cells(rank, most):
    def one():
        c = sorted((dice.randrange(most >> dice.randrange(0, most.bit_length() - 1)) for _ in range(rank)), reverse=True)
        return tuple(c)
    return lambda: some(40, one)


def condensed_places(most):
    def one():
        n = dice.randrange(2, most)
        p = n * (n - 1) // 2
        return n, dice.choice((0, 1, p - 1, dice.randrange(p))) % p
    return lambda: some(40, one)


def condensed_cells(most):
    def one():
        n = dice.randrange(2, most)
        i = dice.randrange(n - 1)
        return n, i, dice.randrange(i + 1, n)
    return lambda: some(40, one)


def blocks(sizes, grid):
    def one():
        m = dice.choice(sizes)
        x, y = grid(m)
        return m, dice.randrange(x), dice.choice((0, 1, y - 1, dice.randrange(y)))
    return lambda: some(60, one)


def hmap_any_blocks():
    found = []
    for _ in range(60):
        m = dice.randrange(3, 100000)
        s, side = hmap_side(m), hmap_side(m) << hmap_levels(m)
        found.append((s, hmap_inverse(m), dice.randrange(side // 2), dice.randrange(side + 1)))
    return found


def hmap3_blocks():
    def one():
        m = 2 << dice.randrange(8)
        return m, dice.randrange(m // 2), dice.randrange(m // 2), dice.randrange(max(1, 3 * m // 4))
    return some(60, one)


def hmap3_pieces(strip):
    def one():
        m = dice.randrange(3, 3000)
        levels = [l for l in range((m + 1).bit_length() - 1) if (m + 1) >> l > 2 and (not strip or (m + 1) >> l & 1)]
        if not levels:
            return one()
        level = dice.choice(levels)
        side = (m + 1) >> level
        if strip:
            return m, level, dice.randrange(side // 2), dice.randrange(side), dice.randrange(1 << level)
        return m, level, dice.randrange(side // 2), dice.randrange(side // 2), dice.randrange((side // 2) << level)
    return lambda: some(60, one)


def runs(limit):
    def one():
        run, block = dice.randrange(1, 5000), dice.randrange(min(1 << 20, limit // 5001))
        return block, run, dice.randrange(block + 2)
    return lambda: some(40, one)


def segments(rank):
    """In rank 2 k is carried along."""
    def one():
        i, j, k = sorted((dice.randrange(3000) for _ in range(3)), reverse=True)
        return i, dice.choice((i, j)) if rank == 3 else j, k, j + 1, dice.choice((0, 1, i, i + 1, i + 2, dice.randrange(1 << 20)))
    return lambda: some(40, one)


def tiles_to_walk(rank):
    tile = cells(rank, 3000)
    return lambda: [(*t, dice.choice((0, 1, t[0], dice.randrange(1 << 20)))) for t in tile()]


def sides(most):
    return lambda: [(m,) for m in (1, 2, 3, 255, 256, 257, 511, 512, 513, most, *(dice.randrange(1, most) for _ in range(RANDOM))) if m <= most]


def hinges():
    def one():
        b = dice.randrange(1, 400)
        return b, dice.randrange(1000), dice.randrange(1000), dice.randrange(b), dice.randrange(b), dice.randrange(b)
    return some(40, one)


def roots():
    """A row that is not far from its root, as bits of a float."""
    return some(20, lambda: (lambda i: (tri(i) + dice.randrange(i + 1), single(i + 0.75)))(dice.randrange(4000)))


def lut_tiles():
    found = []
    for m in (1, 2, 3, 10, 57):
        found += [(m, TABLE, w) for w in {0, tet(m) - 1, tet(m) // 2, tet(m - 1), dice.randrange(tet(m))}]
    return found


def lut_table(m):
    """As map.h has it: the shift, Te(0..m), the first layer of each bucket, and m - 1."""
    shift = next(s for s in range(32) if (tet(m) - 1) >> s < m)
    first = [triple(b << shift)[0] for b in range(((tet(m) - 1) >> shift) + 1)]
    return [shift, *(tet(i) for i in range(m + 1)), *first, m - 1]


def triangle(q):
    return lambda side, x, y: (q * side + y if x <= y else NONE, q * side + x)


def upper_pairs(*sizes):
    return lambda: some(40, lambda: (lambda n: (n, dice.randrange(n * (n - 1) // 2)))(dice.choice(sizes)))


def rec_blocks():
    return some(40, lambda: (lambda s: (s, dice.randrange(64), dice.randrange(s), dice.randrange(s)))(dice.randrange(1, 300)))


def boxes(rank):
    return lambda: some(30, lambda: tuple(dice.randrange(12) for _ in range(rank)))


# The seeds may err by one, and are in the functions that correct them; the table of lut is filled by hosts.
UNTRIED = {"tri_seed64", "tet_seed64", "lut_fill"}

EXACT = {
    "pair_of": (lambda i, j: (i, j), boxes(2)), "pair64_of": (lambda i, j: (i, j), boxes(2)),
    "triple_of": (lambda i, j, k: (i, j, k), boxes(3)), "triple64_of": (lambda i, j, k: (i, j, k), boxes(3)),
    "tri32": (tri, lambda: numbers(92680)), "tri64": (tri, lambda: numbers(6074000998)),
    "tet32": (tet, lambda: numbers(2951)), "tet64": (tet, lambda: numbers(4801277)),
    "tri_rank32": (lambda i, j: tri(i) + j, cells(2, 92000)), "tri_rank64": (lambda i, j: tri(i) + j, cells(2, 6074000000)),
    "tri_unrank32": (pair, w32), "tri_unrank64": (pair, w64),
    "tri_strict_rank32": (lambda i, j: tri(i - 1) + j, cells(2, 92000)), "tri_strict_rank64": (lambda i, j: tri(i - 1) + j, cells(2, 6074000000)),
    "tri_strict_unrank32": (lambda w: moved(pair(w), 1, 0), w32), "tri_strict_unrank64": (lambda w: moved(pair(w), 1, 0), w64),
    "condensed_rank32": (lambda n, i, j: i * (2 * n - i - 1) // 2 + j - i - 1, condensed_cells(92000)),
    "condensed_rank64": (lambda n, i, j: i * (2 * n - i - 1) // 2 + j - i - 1, condensed_cells(6000000000)),
    "condensed_unrank32": (condensed, condensed_places(92000)), "condensed_unrank64": (condensed, condensed_places(6000000000)),
    "tet_rank32": (lambda i, j, k: tet(i) + tri(j) + k, cells(3, 2900)), "tet_rank64": (lambda i, j, k: tet(i) + tri(j) + k, cells(3, 4801000)),
    "tet_unrank32": (triple, w32_of_3), "tet_unrank64": (triple, w64_of_3),
    "tet_strict_rank32": (lambda i, j, k: tet(i - 2) + tri(j - 1) + k, cells(3, 2900)),
    "tet_strict_rank64": (lambda i, j, k: tet(i - 2) + tri(j - 1) + k, cells(3, 4801000)),
    "tet_strict_unrank32": (lambda w: moved(triple(w), 2, 1, 0), w32_of_3), "tet_strict_unrank64": (lambda w: moved(triple(w), 2, 1, 0), w64_of_3),
    "bb_tile": (lambda x, y: (y if x <= y else NONE, x), boxes(2)),
    "bb3_tile": (lambda x, y, z: (z if x <= y <= z else NONE, y, x), boxes(3)),
    "lambda_tile": (pair, w32), "lambda_tile64": (pair, lambda: numbers(tri(M32 - 1))),
    "lambda3_tile": (triple, w32_of_3), "lambda3_tile64": (triple, w64_of_3),
    "rb_tile": (rb, blocks(range(1, 3000), lambda m: (m // 2 + m % 2, m + 1 - m % 2))),
    "rec_square": (lambda s, q, x, y: ((2 * q + 1) * s + y, 2 * q * s + x), rec_blocks),
    "rec_triangle": (lambda s, q, x, y: triangle(q)(s, x, y), rec_blocks),
    "hmap_tile": (hmap, blocks([2 << p for p in range(14)], lambda m: (m // 2, m + 1))),
    "hmap_any_tile": (lambda s, inverse, x, y: hmap_any(s, x, y), hmap_any_blocks),
    "hmap3_tile": (hmap3, hmap3_blocks), "hmap3_cube": (hmap3_cube, hmap3_pieces(False)), "hmap3_strip": (hmap3_strip, hmap3_pieces(True)),
    "hmap_levels": (hmap_levels, sides(1 << 31)), "hmap_side": (hmap_side, sides(1 << 31)), "hmap_inverse": (hmap_inverse, sides(1 << 31)),
    "hmap3_hinge": (hinge, hinges), "lut_shift": (lambda m: lut_table(m)[0], sides(2952)), "lut_words": (lambda m: len(lut_table(m)), sides(2952)),
    "utm_cell": (utm, upper_pairs(2, 3, 4096, 92682)), "utm_x_cell": (utm, upper_pairs(2, 3, 100, 4096, 4097)),
    "lambda_from_root": (lambda w, root: pair(w), roots),
    "lambda_x_tile": (pair, lambda: numbers(tri(4607) - 1)), "lambda_n_tile": (pair, lambda: numbers(tri(1622) - 1)),
    "lambda_r_tile": (pair, lambda: numbers(tri(443) - 1)), "lambda3_x_tile": (triple, lambda: numbers(tet(3) - 1)),
    "walk_from": (lambda i, j, count: segment((i, j), count), tiles_to_walk(2)),
    "walk3_from": (lambda i, j, k, count: segment((i, j, k), count), tiles_to_walk(3)),
    "walk_next": (next_row, segments(2)), "walk3_next": (next_segment, segments(3)),
    "walk_first": (lambda *a: walk(pair, *a), runs(M32)), "walk_first64": (lambda *a: walk(pair, *a), runs(M64)),
    "walk3_first": (lambda *a: walk(triple, *a), runs(M32)), "walk3_first64": (lambda *a: walk(triple, *a), runs(M64)),
    "lut_tile": (lambda m, table, w: triple(w), lut_tiles),
}


def is_distinct(arguments):
    return all(a > b for a, b in zip(arguments, arguments[1:]))


def failures(ptx, target, results):
    """What is wrong, one line per function, and how many arguments were tried."""
    wrong, tried = [], 0
    for name, body in re.findall(r"\.entry (\w+)\([^)]*\)\s*(?:\.\w+[^{]*)?\{(.*?)^\}", ptx, re.S | re.M):
        oracle, arguments = EXACT[name]
        machine = Machine(body)
        for given in arguments():
            if "strict_rank" in name and not is_distinct(given):
                continue
            memory = {TABLE + 4 * k: word for k, word in enumerate(lut_table(given[0]))} if name == "lut_tile" else {}
            machine.run([*given, OUT], memory)
            got = tuple(memory.get(OUT + 8 * k) for k in range(results[name]))
            want = oracle(*given)
            want = want if isinstance(want, tuple) else (want,)
            tried += 1
            if None in got or any(w not in (None, g) for g, w in zip(got, want)):
                lost = "" if None not in got else ": a store is lost"
                wrong.append(f"{target}: wedge_{name}{given} stores {got}, not {want}{lost}")
                break
    return wrong, tried


def unnoticed(ptx, target, results):
    """The check itself is tried: each store left out by itself must be noticed."""
    wrong = []
    stores = [m.span() for m in re.finditer(r"^\s*st\.global[^;]*;", ptx, re.M)]
    for begin, end in stores:
        name = re.findall(r"\.entry (\w+)", ptx[:begin])[-1]
        start = ptx.index(f".entry {name}(")
        body = ptx[start:ptx.index("\n}", start) + 2]
        lost = body[:begin - start] + body[end - start:]
        if not failures(lost, target, results)[0]:
            wrong.append(f"{target}: a store of wedge_{name} that is left out is not noticed")
    return wrong


def main():
    library = nvrtc()
    source, results, untried = kernels()
    wrong, tried, targets = [f"map.h has no wedge_{name}" for name in sorted(set(EXACT) - set(results))], 0, []
    wrong += [f"wedge_{name} of map.h is not tried: it needs a line in EXACT" for name in untried]
    for target in TARGETS:
        ptx = compile_ptx(library, source, target)
        if ptx is None:
            print(f"skipped: this NVRTC knows no {target}")
            continue
        found = re.findall(r"\.entry (\w+)", ptx)
        wrong += [f"{target}: no kernel {name}" for name in results if name not in found]
        more, count = failures(ptx, target, results)
        wrong, tried, targets = wrong + more, tried + count, targets + [target]
        wrong += [] if more else unnoticed(ptx, target, results)
    for line in wrong:
        print("FAIL ", line)
    print(f"{len(results)} functions, {tried} arguments, {', '.join(targets)}: {len(wrong)} failed")
    return 1 if wrong or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
