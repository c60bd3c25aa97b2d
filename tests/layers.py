#!/usr/bin/env python3
"""layers.py BUILD_DIR: the folders of src/ use each other in one direction.

Includes and symbols of the library's objects make the graph. It has no cycle, neither of files nor of folders, and only the edges that
the table in CONTRIBUTING.md lists. Calls in the other direction go through pointers, which CONTRIBUTING.md lists too. A folder has at
most 30 files, and its README.md at most 15 lines. Files that READMEs and comments name are there.

One line per statement, then a count; exit 1 on failure. SPDX-License-Identifier: MIT
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
OBJECTS = pathlib.Path(sys.argv[1]) / "CMakeFiles/wedge_objects.dir/src"
MOST_FILES, MOST_LINES = 30, 15
counts = [0, 0]


def report(name, wrong):
    wrong = sorted(set(wrong))
    counts[bool(wrong)] += 1
    print(f"FAIL  {name}: {'; '.join(wrong)}" if wrong else f"ok    {name}", flush=True)


def folder_of(file):
    """As the table names it: engine/job for engine/job/run.c."""
    return str(pathlib.PurePath(file).parent)


def included():
    """Edges of files by #include."""
    edges = collections.defaultdict(set)
    for path in sorted(SRC.rglob("*.[ch]")):
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            if (SRC / name).is_file():
                edges[str(path.relative_to(SRC))].add(name)
    return edges


def linked():
    """Edges of files by the symbols of their objects."""
    needs, has = {}, {}
    for path in sorted(OBJECTS.rglob("*.o")):
        file = str(path.relative_to(OBJECTS))[:-2]
        if not (SRC / file).is_file():
            continue  # of a file that is not there any more
        needs[file] = set()
        for line in subprocess.run(["nm", "-P", path], capture_output=True, text=True, check=True).stdout.splitlines():
            name, kind = line.split()[:2]
            if kind == "U":
                needs[file].add(name)
            elif kind in "TDBRVWC":
                has[name] = file
    return {file: {has[n] for n in names if n in has and has[n] != file} for file, names in needs.items()}


def cycles(edges):
    """Groups of nodes that reach each other (Tarjan)."""
    order, low, stack, groups = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                groups.append(stack[at:])
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in list(edges):
        if node not in order:
            visit(node)
    return groups


def of_folders(*graphs):
    folders = collections.defaultdict(set)
    for edges in graphs:
        for file, others in edges.items():
            folders[folder_of(file)].update({folder_of(o) for o in others} - {folder_of(file)})
    return folders


def table(heading):
    """Rows of the table under a heading of CONTRIBUTING.md, as the words in backticks of their cells."""
    part = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S).group(1)
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| `")]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row] for row in rows]


def pointers():
    """Members and types of headers that are called through a pointer, but those of tables that are chosen by the kind of device."""
    for path in sorted(p for folder in ("engine", "io") for p in (SRC / folder).rglob("*.h")):
        if path.parent.name != "kernels":
            for name in re.findall(r"\(\*(\w+)\)\(|^typedef void (\w+)\(|^typedef wedge_status (\w+)\(", path.read_text(), re.M):
                yield f"{path.relative_to(SRC)}:{''.join(name)}"


OF_OTHERS = {"cmocka.h", "math.h", "linux/fs.h"}  # headers that comments may name
EXAMPLES = {"first.h", "op.h"}  # and files that a reader may have


def named_in_comments():
    """Files that comments name and that are not there."""
    folders = ("src", "cli", "bench", "include", "tests", "examples", "docs", "python", "tools", "cmake")
    files = [str(p.relative_to(ROOT)) for folder in folders for p in (ROOT / folder).rglob("*.*")]
    for file in (f for f in files if f.endswith((".c", ".h"))):
        for comment in re.findall(r"/\*.*?\*/", (ROOT / file).read_text(), re.S):
            for name in re.findall(r'(?<![\w/.<"-])((?:[\w-]+/)*[\w-]+\.(?:c|h|py|sh|md|cmake))\b(?![\w(])', comment):
                known = name in OF_OTHERS | EXAMPLES or pathlib.PurePath(name).stem == "NAME"
                if not known and not any(f == name or f.endswith("/" + name) for f in files):
                    yield f"{file} names {name}"


def passed():
    """Of docs/engine.md: files that are not there, and files that one of the lists of what a call passes names twice."""
    part = re.search(r"^### The files that a call passes\n(.*?)(?=^## )", (ROOT / "docs/engine.md").read_text(), re.M | re.S).group(1)
    first, *others = re.split(r"^\*\*`", part, flags=re.M)
    for text in [first, *(first + other for other in others)]:
        files = re.findall(r"\]\(\.\./src/([^)]+)\)", text)
        yield from (f"{f} is not there" for f in files if not (SRC / f).is_file())
        yield from (f"{f} twice" for f, n in collections.Counter(files).items() if n > 1)
    if len(others) != 3:
        yield f"{len(others)} lists"


MOST_MEMBERS = 25


def large_structs():
    """Structs of state with more than MOST_MEMBERS members; tables of functions may have more, and so may what callers fill."""
    for path in sorted(p for p in SRC.rglob("*.[ch]")):
        text = re.sub(r"/\*.*?\*/|^#.*?$", "", path.read_text(), flags=re.S | re.M)
        for start in re.finditer(r"\bstruct(?: \w+)? \{|\bstruct\s*\{", text):
            depth, end = 1, start.end()
            while depth and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            body = re.sub(r"(struct|union)[^{};]*\{[^{}]*\}", "inner", text[start.end():end - 1])
            if len(re.findall(r"\(\*\w+(?:\[\w+\])*\)\(|\b\w+_fn \*", body)) > 3:
                continue
            members = sum(len(m.split(",")) for m in re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\]]*\]", "", body).split(";") if m.strip())
            if members > MOST_MEMBERS:
                line = text[:start.start()].count("\n")
                name = re.match(r"\s*(\w*)", text[end:]).group(1) or start.group(0)
                yield f"{path.relative_to(SRC)}: {name} has {members} members"


includes, symbols = included(), linked() if shutil.which("nm") else {}
report("objects_were_found", [] if len(symbols) > 80 or not shutil.which("nm") else [f"{len(symbols)} in {OBJECTS}"])
report("no_files_need_each_other", [" and ".join(sorted(g)) for g in cycles(symbols)])
report("no_headers_include_each_other", [" and ".join(sorted(g)) for g in cycles(includes)])
folders = of_folders(includes, symbols)
report("no_folders_need_each_other", [" and ".join(sorted(g)) for g in cycles(folders)])
allowed = {row[0][0]: set(row[1]) for row in table("Which folder uses which")}
there = {folder_of(p.relative_to(SRC)) for p in SRC.rglob("*.[ch]")}
report("the_table_has_every_folder", [f"{f}: one is missing" for f in there ^ set(allowed)])
report("no_folder_uses_another_one", [f"{f} uses {o}" for f in folders for o in folders[f] - allowed.get(f, set())])
if symbols:
    report("the_table_has_no_more", [f"{f} does not use {o}" for f in allowed for o in allowed[f] - folders[f]])
listed = {f"{row[0][0]}:{name}" for row in table("Calls through pointers") for name in row[1]}
report("pointers_are_listed", [f"{p}: one is missing" for p in set(pointers()) ^ listed])
report("folders_are_small", [f"{f}: {n} files" for f, n in ((f, len(list((SRC / f).glob("*.[ch]")))) for f in there)
                             if n > MOST_FILES])
report("structs_are_small", large_structs())
report("lists_of_files_are_true", passed())
report("comments_name_files_that_are_there", named_in_comments())
for readme in sorted(SRC.rglob("README.md")):
    text = readme.read_text()
    named = re.findall(r"`([\w/]+\.[ch])`", text)
    wrong = [f"{n} is not there" for n in named if not (readme.parent / n).is_file() and not (readme.parent.parent / n).is_file()]
    wrong += [f"{len(text.splitlines())} lines"] if len(text.splitlines()) > MOST_LINES else []
    wrong += [] if named else ["it names no file"]
    report(f"{readme.parent.relative_to(SRC)}_has_a_guide", wrong)
report("every_folder_of_the_engine_has_a_guide", [str(d.relative_to(SRC)) for d in (SRC / "engine").iterdir()
                                                 if d.is_dir() and not (d / "README.md").is_file()])
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(counts[1] > 0)
