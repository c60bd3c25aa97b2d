"""The structs of _library.py are those of wedge.h, member by member.

SPDX-License-Identifier: MIT"""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from wedge import _library as w

HEADERS = pathlib.Path(os.environ.get("WEDGE_INCLUDE", pathlib.Path(__file__).parents[2] / "include"))
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
pytestmark = pytest.mark.skipif(not compiler or not HEADERS.exists(), reason="needs a C compiler and wedge.h")


def members(name):
    """The members of a struct as wedge.h declares them."""
    text = re.sub(r"/\*.*?\*/", "", (HEADERS / "wedge" / "wedge.h").read_text(), flags=re.S)
    body = re.search(r"typedef struct \{([^{}]*)\} " + name + ";", text).group(1)
    return [
        re.sub(r"\[.*", "", word.strip().split()[-1]).lstrip("*")
        for line in body.split(";")
        if line.strip()
        for word in line.split(",")
    ]


def test_every_member_lies_where_c_has_it(tmp_path):
    lines = [
        f'printf("{name} %zu\\n", sizeof({name}));'
        + "".join(f'printf("{name}.{m} %zu\\n", offsetof({name}, {m}));' for m in members(name))
        for name in w.STRUCTS
    ]
    source = tmp_path / "layout.c"
    source.write_text('#include <stdio.h>\n#include "wedge/wedge.h"\nint main(void) {' + "\n".join(lines) + "}")
    subprocess.run([compiler, f"-I{HEADERS}", str(source), "-o", str(tmp_path / "layout")], check=True)
    said = dict(
        line.split()
        for line in subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True).stdout.splitlines()
    )
    ours = {}
    for name, struct in w.STRUCTS.items():
        ours[name] = str(ctypes.sizeof(struct))
        ours |= {f"{name}.{field}": str(getattr(struct, field).offset) for field, _ in struct._fields_}
    assert ours == said


@pytest.mark.parametrize(
    "python, c",
    [
        ("OK", "WEDGE_OK"),
        ("STOPPED", "WEDGE_STOPPED"),
        ("NO_MEMORY", "WEDGE_NO_MEMORY"),
        ("TOO_SMALL", "WEDGE_TOO_SMALL"),
        ("TRIPLES", "WEDGE_TRIPLES"),
        ("TRIPLES_PACKED", "WEDGE_TRIPLES_PACKED"),
        ("RECTANGLE", "WEDGE_RECTANGLE"),
        ("PRUNE_NEVER", "WEDGE_PRUNE_NEVER"),
        ("SET_NUM_THREADS", "WEDGE_SET_NUM_THREADS"),
    ],
)
def test_numbers_of_enums_are_c_s(tmp_path, python, c):
    source = tmp_path / "number.c"
    source.write_text(f'#include <stdio.h>\n#include "wedge/wedge.h"\nint main(void) {{ printf("%d", {c}); }}')
    subprocess.run([compiler, f"-I{HEADERS}", str(source), "-o", str(tmp_path / "number")], check=True)
    assert int(subprocess.run([str(tmp_path / "number")], capture_output=True, text=True).stdout) == getattr(w, python)
