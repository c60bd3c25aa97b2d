#!/usr/bin/env python3
"""pages.py: the pages lead to each other, say whom they are for, and say a thing once.

Every relative link of a Markdown file names a file that is there, and every anchor a heading of it. docs/README.md lists every page of docs/.
A page begins with its readers. The code of the README and of the gallery fits GitHub's column. No sentence of twelve words or
more stands on two pages, outside of code, tables and the CHANGELOG.

One line per statement, then a count; exit 1 on failure. SPDX-License-Identifier: MIT
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted(p for pattern in ("*.md", "docs/*.md", "examples/**/*.md", "results/*.md", "src/**/*.md", "python/**/*.md", "tests/**/*.md",
                                    ".github/**/*.md")
               for p in ROOT.glob(pattern))
OF_DOCS = [p for p in PAGES if p.parent == ROOT / "docs"]
OTHER_BEGINNINGS = {"CHANGELOG.md", "CODE_OF_CONDUCT.md", "README.md"}  # of the top folder: they are for everyone, and say so otherwise
counts = [0, 0]


def report(name, wrong):
    counts[bool(wrong)] += 1
    print(f"FAIL  {name}: {'; '.join(wrong)}" if wrong else f"ok    {name}", flush=True)


def without_code(text):
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)


def anchors(page):
    """As GitHub makes them: lower case, no punctuation, blanks are hyphens; a second one of the same name ends in -1."""
    found = collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", without_code(page.read_text()), re.M):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).strip().replace(" ", "-")
        yield f"{name}-{found[name]}" if found[name] else name
        found[name] += 1


def broken_links(page):
    for link in re.findall(r"\]\(([^) ]+)\)", re.sub(r"`[^`\n]*`", "code", without_code(page.read_text()))):
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        if "://" in link or link.startswith("mailto:"):
            continue
        if not target.exists():
            yield f"{link} leads nowhere"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{link}: {target.name} has no such heading"


def first_paragraph(page):
    return next(part for part in page.read_text().split("\n\n") if not re.match(r"#|---|<", part))


def sentences(page):
    """The long ones of its paragraphs and lists, as words."""
    text = re.sub(r"<!--.*?-->", "", without_code(page.read_text()), flags=re.S)
    for part in re.split(r"\n\n|\n(?=[-*] |\d+\. )", re.sub(r"^(\||#|!\[|<|    ).*$", "", text, flags=re.M)):
        for sentence in re.split(r"(?<=[.:;?!]) ", " ".join(part.split())):
            if len(sentence.split()) >= 12:
                yield sentence


def wide_code(page):
    """Lines that GitHub's column cuts off on a screen; readers of these two pages should see every comment."""
    for block in re.findall(r"^ *```.*?^ *```$", page.read_text(), re.M | re.S):
        yield from (line for line in block.splitlines() if len(line) > 88)


for page in PAGES:
    report(f"{page.relative_to(ROOT)}: its links lead somewhere", sorted(set(broken_links(page))))
for page in (ROOT / "README.md", ROOT / "docs" / "gallery.md"):
    report(f"{page.name}: its code fits the column of a screen", list(wide_code(page)))
index = (ROOT / "docs" / "README.md").read_text()
report("docs/README.md lists every page", [p.name for p in OF_DOCS if p.name != "README.md" and f"]({p.name})" not in index])
told = [p for p in PAGES if p.parent.name != "ISSUE_TEMPLATE" and ROOT / "src" not in p.parents and not (p.parent == ROOT and p.name in OTHER_BEGINNINGS)]
report("every page begins with whom it is for", [str(p.relative_to(ROOT)) for p in told if not first_paragraph(p).startswith("For ")])
places = collections.defaultdict(set)
for page in PAGES:
    if page.name != "CHANGELOG.md":
        for sentence in sentences(page):
            places[sentence].add(str(page.relative_to(ROOT)))
report("no sentence stands on two pages", [f"{sentence!r} in {', '.join(sorted(where))}" for sentence, where in places.items() if len(where) > 1])
print(f"{counts[0]} passed, {counts[1]} failed")
sys.exit(counts[1] > 0)
