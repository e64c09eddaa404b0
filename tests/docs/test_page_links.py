#!/usr/bin/env python3
"""The pages hold together: links and anchors exist, docs/index.md reaches every page within two clicks, and no page is too long."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, test

SOURCE = os.path.abspath(os.environ["SOURCE"])
DOCS = sorted(glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))
PAGES = DOCS + [os.path.join(SOURCE, *name.split("/")) for name in
                ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bindings/python/README.md")]
LONGEST_PAGE = 250
GENERATED = "docs/reference/cli/"


def name_of(path):
    return os.path.relpath(path, SOURCE)


def prose_of(page):
    """The text without code blocks and comments."""
    return re.sub(r"^```.*?^```|<!--.*?-->", "", open(page).read(), flags=re.S | re.M)


def anchors_of(page):
    """Anchors of headings, as GitHub and the site make them, and explicit ones."""
    text, found = prose_of(page), set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-"))
    return found | set(re.findall(r'id="([^"]+)"', text))


def links_of(page):
    """Targets of the links inside the repository: path and anchor."""
    text = re.sub(r"`[^`\n]*`", "", prose_of(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page), anchor, target


@test
def links_and_anchors_exist():
    assert len(DOCS) > 30
    for page in PAGES:
        for path, anchor, target in links_of(page):
            check(os.path.exists(path), f"{name_of(page)}: {target} does not exist")
            if anchor and path.endswith(".md") and os.path.exists(path):
                check(anchor in anchors_of(path), f"{name_of(page)}: {target}: no such heading")


@test
def the_index_reaches_every_page_within_two_clicks():
    reached = {os.path.join(SOURCE, "docs", "index.md")}
    for _ in range(2):
        reached |= {path for page in reached if page.endswith(".md") for path, _, _ in links_of(page) if os.path.exists(path)}
    for page in DOCS:
        check(page in reached, f"{name_of(page)}: more than two clicks from docs/index.md")


@test
def every_picture_is_on_a_page():
    shown = {path for page in PAGES for path, _, _ in links_of(page)}
    for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "pictures", "*"))):
        check(path in shown, f"{name_of(path)}: on no page")


@test
def pages_are_short():
    for page in DOCS:
        lines = open(page).read().count("\n")
        check(lines <= LONGEST_PAGE or name_of(page).startswith(GENERATED), f"{name_of(page)}: {lines} lines, at most {LONGEST_PAGE}")


@test
def lines_of_readme_are_at_most_100_characters():
    for line in open(os.path.join(SOURCE, "README.md")):
        check(len(line.rstrip()) <= 100, f"README.md: {line.strip()}")


@test
def each_page_has_one_title_that_no_other_has():
    titles = {}
    for page in DOCS:
        found = re.findall(r"^# (.*)$", prose_of(page), re.M)
        check(len(found) == 1, f"{name_of(page)}: {len(found)} titles")
        if found:
            check(found[0] not in titles, f"{name_of(page)}: the title of {titles.get(found[0])}")
            titles[found[0]] = name_of(page)


finish()
