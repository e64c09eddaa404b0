#!/usr/bin/python3
"""Each public function has a comment in one form: a verb first ("Returns the ..."; "Return ..." before several functions), and a
sentence on errors if it returns a status. A function that only frees needs none."""
import glob
import re
import sys

FUNCTION = re.compile(r"PUAD_API\s+([\w\s\*]+?[\s\*])(puad_\w+)\(")


def faults(path):
    text = open(path, encoding="utf-8").read()
    for group in re.split(r"\n\s*\n", text):
        functions = FUNCTION.findall(group)
        functions = [(kind.strip(), name) for kind, name in functions if not name.endswith("_free")]
        if not functions:
            continue
        comment = re.match(r"(?:#[^\n]*\n|struct \w+;\n)*/\*(.*?)\*/", group, re.S)
        name = functions[0][1]
        if not comment:
            yield f"{path}: {name}: no comment directly before it"
            continue
        words = " ".join(line.strip(" *") for line in comment[1].split("\n")).split()
        verb = words[0]
        if not verb[0].isupper() or verb.endswith("s") != (len(functions) == 1):
            yield f"{path}: {name}: '{verb}' should be a verb, in the form for {len(functions)} functions"
        if any(kind == "puad_status" for kind, _ in functions) and not re.search(r"\b[Ee]rrors\b", " ".join(words)):
            yield f"{path}: {name}: returns a status, and the comment has no sentence on errors"


def main():
    found = [fault for path in sorted(glob.glob("include/puad/*.h")) for fault in faults(path)]
    for fault in found:
        print(fault)
    if len(list(faults_of_bad_header())) != 3:
        print("the check does not find the faults of a bad header")
        found.append("")
    print(f"{0 if found else 1} passed, {1 if found else 0} failed")
    return bool(found)


def faults_of_bad_header():
    import tempfile
    with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
        file.write("PUAD_API int puad_a(void);\n\n/* The number. Errors: none. */\nPUAD_API puad_status puad_b(void);\n\n"
                   "/* Returns one. */\nPUAD_API puad_status puad_c(void);\n")
        file.flush()
        yield from faults(file.name)


if __name__ == "__main__":
    sys.exit(main())
