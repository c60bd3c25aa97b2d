#!/usr/bin/env python3
"""cli_terminal.py BUILD_DIR: `wedge` as someone meets it at a terminal: help, widths, mistyped words, progress.

A progress bar needs a terminal, so a pseudo-terminal is one of the streams here. One line per check, then a count; exit 1
on failure. SPDX-License-Identifier: MIT
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

WEDGE = str(pathlib.Path(sys.argv[1]).resolve() / "wedge")
COMMANDS = ["edm", "map", "devices", "certify", "bench", "report", "tune"]
ENVIRONMENT = dict(os.environ, WEDGE_LIBCUDA="/nonexistent", WEDGE_LIBOPENCL="/nonexistent", TERM="xterm")
ENVIRONMENT.pop("NO_COLOR", None)
failed = passed = 0


def check(name, good, detail=""):
    global failed, passed
    passed, failed = passed + bool(good), failed + (not good)
    print(f"ok    {name}" if good else f"FAIL  {name}: {detail}")


def wedge(*words, **environment):
    return subprocess.run([WEDGE, *words], capture_output=True, text=True, env=dict(ENVIRONMENT, **environment),
                          stdin=subprocess.DEVNULL)


def wide(text):
    return [line for line in text.splitlines() if len(line) > 80]


def on_a_terminal(*words, stream="stderr", **environment):
    """What a terminal gets of one of a command's streams, and its exit code."""
    main, other = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: other}
    run = subprocess.Popen([WEDGE, *words], stdin=subprocess.DEVNULL, env=dict(ENVIRONMENT, **environment), **streams)
    os.close(other)
    text = b""
    while True:
        try:
            got = os.read(main, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
    os.close(main)
    return text.decode(), run.wait()


# ---- Help ----
alone, helped = wedge(), wedge("--help")
check("wedge_alone_is_help_on_stderr_and_a_usage_error",
      (alone.returncode, alone.stderr, alone.stdout) == (2, helped.stdout, ""), alone)
check("help_begins_with_one_line_of_what_it_is", re.match(r"wedge computes [^.]*\.\n\nexamples:\n", helped.stdout))
check("help_fits_80_columns", not wide(helped.stdout), wide(helped.stdout))
check("V_is_version", wedge("-V").stdout == wedge("--version").stdout != "")
for command in COMMANDS:
    text = wedge(command, "--help").stdout
    check(f"{command}_help_begins_with_a_line_and_examples", re.match(rf"wedge {command}: .*\n\nexamples:\n", text), text[:99])
    check(f"{command}_help_fits_80_columns", text and not wide(text), wide(text))
    check(f"help_{command}_is_the_same", wedge("help", command).stdout == wedge("--help", command).stdout == text)
    check(f"h_of_{command}_is_the_same", wedge(command, "-h").stdout == text)
    check(f"help_lists_{command}", re.search(rf"^  {command} ", helped.stdout, re.M))
check("rank_is_not_in_help_but_dim_is", "--rank" not in wedge("help", "map").stdout and "--dim" in wedge("help", "map").stdout)

# ---- Mistyped words ----
with tempfile.TemporaryDirectory() as folder:
    points, out = os.path.join(folder, "p.csv"), os.path.join(folder, "d.npy")
    pathlib.Path(points).write_text("0,0\n3,4\n6,8\n")
    edm = ["edm", points, "-o", out]
    for words, code, meant in [
        (["mpa", "7"], 2, "map"),
        (["dvices"], 2, "devices"),
        (["help", "emd"], 2, "edm"),
        (["--versoin"], 2, "--version"),
        (["map", "--invers", "3", "1"], 2, "--inverse"),
        (["map", "--darw", "4"], 2, "--draw"),
        (["certify", "--row=5"], 2, "--rows"),
        ([*edm, "--metrics", "cosine"], 2, "--metric"),
        ([*edm, "--metric", "euclidien"], 2, "euclidean"),
        ([*edm, "--metric", "cosin"], 2, "cosine"),
        ([*edm, "--map", "lamda"], 2, "lambda"),
        (["map", "--draw", "4", "--map", "lamda"], 2, "lambda"),
        (["map", "--draw", "4", "--dim", "3", "--map", "wlak"], 2, "walk"),
        (["bench", "mpa"], 2, "map"),
        (["bench", "comapre", "a.json", "b.json"], 2, "compare"),
        (["bench", "map", "--map", "hamp"], 2, "hmap"),
        (["bench", "edm", "--map", "engin"], 2, "engine"),
        (["certify", "--device", "cup"], 4, "cpu"),
    ]:
        run = wedge(*words)
        name = " ".join(words).replace(folder + "/", "")
        check(f"did_you_mean_{meant}: {name}", run.returncode == code and f"did you mean '{meant}'?" in run.stderr, run)
        check(f"in_one_line_of_80_columns: {name}",
              run.stderr.count("\n") == 1 and not wide(run.stderr.replace(folder, "")), run.stderr)
    for words in [["frobnicate"], ["bench", "map", "--map", "zzz"], ["map", "--draw", "4", "--map", "zzz"],
                  [*edm, "--metric", "zzz"]]:
        run = wedge(*words)
        check(f"all_words_where_none_is_close: {words[-1]} of {words[0]}",
              run.returncode == 2 and "there are" in run.stderr and "mean" not in run.stderr and not wide(run.stderr), run)
    long_words = ("edm", points, "-o", out, "--metric", "mahalanobis")
    text, code = on_a_terminal(*long_words)
    check("a_long_message_ends_lines_between_words_on_a_terminal",
          code == 2 and text.count("\n") == 2 and not wide(text) and " ".join(text.split()) == wedge(*long_words).stderr.strip(), text)
    check("elsewhere_it_is_one_line", wedge(*long_words).stderr.count("\n") == 1)
    text, code = on_a_terminal("edm", points, "-o", "-", stream="stdout")
    check("a_terminal_gets_no_npy", code == 2 and text == "", text)
    text, code = on_a_terminal("edm", points, "--format", "csv", "--quiet", stream="stdout")
    check("but_text", code == 0 and text.startswith("i,j,value"), text)
    gpu = wedge("certify", "--device", "gpu")
    check("who_asks_for_a_gpu_does_not_mean_the_cpu", gpu.returncode == 4 and "mean" not in gpu.stderr, gpu)

    # ---- First steps that go wrong, and what to type instead ----
    people = os.path.join(folder, "people.csv")
    pathlib.Path(people).write_text("name,height,weight\nAnna,1.7,60\nBob,1.8,75\n")
    run = wedge("edm", people, "-o", out)
    check("a_column_of_names_says_which_columns_to_choose", run.returncode == 3 and "--columns 2:3" in run.stderr, run)
    run = wedge("edm", people, "-o", out, "--columns", "2:3")
    check("and_those_work", run.returncode == 0 and os.path.getsize(out) == 136, run)
    os.remove(out)
    run = wedge("edm", people, out)
    check("an_output_without_o_says_where_to_put_it", run.returncode == 2 and f"{people} -o {out}" in run.stderr, run)
    sheet = os.path.join(folder, "sheet.xlsx")
    pathlib.Path(sheet).write_bytes(b"PK\x03\x04 and so on")
    run = wedge("edm", sheet, "-o", out)
    check("a_spreadsheet_is_to_be_saved_as_csv", run.returncode == 3 and "save a spreadsheet as CSV" in run.stderr, run)

    # ---- What a small result says ----
    run = wedge(*edm)
    check("a_small_result_is_bytes_without_a_rate", run.stderr.splitlines()[-1] == f"{out}: 3 values, 152 bytes", run)
    check("and_they_are_the_files", os.path.getsize(out) == 152)
    many = os.path.join(folder, "many.txt")
    pathlib.Path(many).write_text("".join(f"{k} {k % 7}\n" for k in range(200)))
    run = wedge("edm", many, "-o", os.path.join(folder, "m.npy"))
    check("a_larger_one_is_kilobytes", run.stderr.splitlines()[-1].endswith("m.npy: 19900 values, 159 KB"), run)
    run = wedge("edm", many, "-o", os.path.join(folder, "m.csv"))
    size = os.path.getsize(os.path.join(folder, "m.csv")) / 1e3
    check("of_text_it_is_the_file_that_counts", re.search(rf"m.csv: 19900 values, {size:.0f} KB$", run.stderr), run)
    pathlib.Path(many).write_text("".join(f"{k} {k % 7}\n" for k in range(1000)))
    run = wedge("edm", many, "-o", os.path.join(folder, "l.npy"))
    check("a_large_one_has_time_and_rate", re.search(r": 499500 values, 4.0 MB in \S+ s \(\S+ GB/s\) on cpu$", run.stderr), run)

# ---- Progress ----
bench = ["bench", "map", "--n", "64", "--block", "4", "--map", "lambda", "--device", "cpu", "--no-ceilings", "--budget", "2"]
text, code = on_a_terminal(*bench)
check("bench_shows_a_bar_with_its_group_and_the_time_left",
      code == 0 and re.search(r"\r1/1 map n 64 rho 4  \[=*>? *\] +\d+ %  at most \d+ s left\x1b\[K", text), repr(text))
check("bench_names_the_map_at_work", re.search(r"n 64 rho 4: (bb|lambda)  \[", text), repr(text[:600]))
check("the_bar_is_erased_at_the_end", text.endswith("\r\x1b[K"), repr(text[-80:]))
check("no_colours_in_it", not re.search(r"\x1b\[[0-9;]*m", text), repr(text))
for name, words, environment in [("quiet", [*bench, "--quiet"], {}), ("a_dumb_terminal", bench, {"TERM": "dumb"})]:
    text, code = on_a_terminal(*words, **environment)
    check(f"{name}_shows_none", code == 0 and text == "", repr(text))
text, code = on_a_terminal(*bench, stream="stdout", NO_COLOR="1")
check("NO_COLOR_is_honoured", code == 0 and "lambda" in text and "\x1b" not in text, repr(text))
check("no_bar_without_a_terminal", wedge(*bench).stderr.count("\r") == 0)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
