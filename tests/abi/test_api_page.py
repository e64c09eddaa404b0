#!/usr/bin/python3
"""The C reference made from the headers has a heading and a declaration for every public function."""
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("SOURCE", ".")
sys.path.insert(0, os.path.join(SOURCE, "tests", "helpers"))
from checks import finish, test


@test
def every_function_has_a_heading_and_a_declaration():
    page = subprocess.run([os.path.join(SOURCE, "tools", "make_api_page")], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(SOURCE, "tests", "abi", "symbols.txt"), encoding="utf-8") as file:
        names = {line.strip() for line in file}
    headings = set(re.findall(r"puad_\w+", "\n".join(re.findall(r"(?m)^### (.*)", page))))
    assert names <= headings, names - headings
    code = "\n".join(re.findall(r"(?ms)^```c\n(.*?)^```", page))
    missing = {name for name in names if not re.search(rf"\b{name}\(", code)}
    assert not missing, missing
    assert page.count("```") % 2 == 0


finish()
