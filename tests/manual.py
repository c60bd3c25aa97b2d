#!/usr/bin/env python3
"""manual.py BUILD_DIR: man pages and the reference say what --help and wedge.h say, and man shows them without a warning.

One line per page, then a count; exit 1 on failure. Without `man` the pages are read as they are written.

SPDX-License-Identifier: MIT"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
WEDGE = BUILD / "wedge"
counts = [0, 0]


def report(good, name, detail=""):
    counts[not good] += 1
    print(f"ok    {name}" if good else f"FAIL  {name}: {detail}", flush=True)


def shown(path):
    """The page as a reader sees it, each paragraph one line; and what man has to complain about."""
    if not shutil.which("man"):
        print(f"SKIP  man is missing: {path.name} is not rendered")
        text = re.sub(r"\\f.|\\&", "", path.read_text()).replace("\\-", "-").replace("\\[+-]", "±").replace("\\e", "\\")
        return text, ""
    done = subprocess.run(["man", "--warnings=w", "--no-hyphenation", "--no-justification", "-P", "cat", "-l", str(path)],
                          capture_output=True, text=True, env=dict(os.environ, MANWIDTH="1000", LC_ALL="C.UTF-8"))
    return done.stdout, done.stderr


def help_of(*words):
    return subprocess.run([WEDGE, "help", *words], capture_output=True, text=True).stdout


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def options_of(text):
    return re.findall(r"^  (-[-a-z]+)", text.split("\noptions:\n")[-1].split("\n\n")[0], re.M)


if not shutil.which("awk"):
    print("skipped: no awk here, which makes the pages")
    sys.exit(77)
main = help_of()
commands = re.findall(r"^  ([a-z]+) ", main.split("\ncommands:\n")[1].split("\n\n")[0], re.M)
pages = sorted(p.name for p in (BUILD / "manual" / "man1").iterdir())
report(pages == sorted(["wedge.1"] + [f"wedge-{c}.1" for c in commands]), "one page per command", pages)
page, words = shown(BUILD / "manual" / "man1" / "wedge.1")
report(not words, "wedge.1 has no warnings", words)
report(all(f"wedge-{c}(1)" in page for c in commands), "wedge.1 names every command")

for command in commands:
    text = help_of(command)
    page, words = shown(BUILD / "manual" / "man1" / f"wedge-{command}.1")
    flat = squeezed(page)
    report(not words, f"wedge-{command}.1 has no warnings", words)
    summary = text.splitlines()[0].split(": ", 1)[1]
    report(f"wedge-{command} - {summary}" in flat, f"wedge-{command}.1 has the command's summary", summary)
    listed = re.findall(r"^ {7}(-[-a-z]+)", page.split("\nOPTIONS\n")[1].split("\nEX")[0], re.M)
    report(listed == options_of(text) and len(listed) > 2, f"wedge-{command}.1 has the options of --help, and no others", listed)
    # Every word of the help, in paragraphs, lists and examples.
    lost = [line for line in text.splitlines()[1:]
            if line and not re.match(r"(examples|options):$|usage: ", line)
            and any(part not in flat for part in re.split(r" {2,}", squeezed(line).strip()) if not line.startswith("  -"))]
    lost = [line for line in lost if squeezed(line.rstrip(":")).strip().lower() not in flat.lower()]
    report(not lost, f"wedge-{command}.1 has every line of --help", lost[:3])
    descriptions = [re.split(r" {2,}", line.strip(), 1)[1] for line in text.split("\noptions:\n")[1].split("\n\n")[0].splitlines()
                    if line.startswith("  -")]
    report(all(squeezed(d) in flat for d in descriptions), f"wedge-{command}.1 says what each option does")

header = (ROOT / "include" / "wedge" / "wedge.h").read_text()
functions = sorted(set(re.findall(r"WEDGE_API [^;]*?(wedge_\w+)\(", header)))
page, words = shown(BUILD / "manual" / "man3" / "libwedge.3")
report(not words, "libwedge.3 has no warnings", words)
reference = (BUILD / "manual" / "api.md").read_text()
report(len(functions) > 40 and all(f"{f}(" in page for f in functions), "libwedge.3 has every function",
       [f for f in functions if f"{f}(" not in page])
report(all(f'id="{f}"' in reference for f in functions), "api.md has every function, with an anchor",
       [f for f in functions if f'id="{f}"' not in reference])
types = re.findall(r"^} (wedge_\w+);", header, re.M)
report(all(f"}} {t};" in page and f"}} {t};" in reference for t in types), "both have every struct")
report(reference.count("```") % 2 == 0 and "WEDGE_API" not in reference + page, "code of api.md is closed")

undocumented = BUILD / "manual" / "undocumented.h"
undocumented.write_text(header.replace("/* The version of the library at run time", "\n\n/* The version of the library at run time")
                        .replace('"0.3.0". */\n', '"0.3.0". */\n\n'))
done = subprocess.run(["awk", "-v", "form=md", "-f", ROOT / "tools" / "reference.awk", undocumented], capture_output=True, text=True)
undocumented.unlink()
report(done.returncode == 1 and "wedge_version" in done.stderr, "a function without a word about it is an error", done.stderr)
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(counts[1] > 0)
