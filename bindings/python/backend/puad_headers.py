#!/usr/bin/env python3
"""Reads the public headers and writes what ctypes needs: enum values, struct layouts and signatures.

usage: puad_headers.py HEADERS [--c]      the module puad/_api.py, or a C program that prints the same layouts
"""
import pathlib
import re
import sys

SCALARS = {
    "char": "c_char", "signed char": "c_byte", "unsigned char": "c_ubyte", "int": "c_int", "unsigned": "c_uint",
    "long long": "c_longlong", "int8_t": "c_int8", "uint8_t": "c_uint8", "int32_t": "c_int32", "uint64_t": "c_uint64",
    "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t", "float": "c_float", "double": "c_double",
}


class Headers:
    def __init__(self, folder):
        files = sorted(pathlib.Path(folder).glob("*.h"), key=lambda path: (path.name != "puad.h", path.name))
        if not files:
            raise SystemExit(f"{folder}: no headers")
        text = "\n".join(re.sub(r"^\s*#.*(\\\n.*)*", "", path.read_text(), flags=re.M) for path in files)
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = re.sub(r'extern "C" \{', "", text)
        self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}
        self.constants = {}
        for declaration in declarations(text):
            self.read(declaration)
        # puad_options_set_head may precede puad_own_head: sort structs by dependency
        self.order = []
        for name in self.structs:
            self.place(name, ())

    def read(self, text):
        if found := re.match(r"(?:typedef )?enum (?:\w+ )?\{(.*)\}\s*(\w*)$", text):
            value = -1
            for item in filter(None, (part.strip() for part in found[1].split(","))):
                name, _, given = (part.strip() for part in item.partition("="))
                value = (self.constants[given] if given in self.constants else int(given, 0)) if given else value + 1
                self.constants[name] = value
            if found[2]:
                self.enums[found[2]] = True
        elif found := re.match(r"typedef struct (\w+) \{(.*)\}\s*\w+$", text):
            self.structs[found[1]] = [field for part in members(found[2]) for field in fields(part)]
        elif found := re.match(r"typedef (.*?)\b(puad_\w+)\((.*)\)$", text):
            self.callbacks[found[2]] = (found[1].strip(), arguments(found[3]))
        elif found := re.match(r"PUAD_API (.*?)(puad_\w+)\((.*)\)$", text):
            self.functions[found[2]] = (found[1].strip(), arguments(found[3]))
        elif not re.match(r"(typedef )?struct \w+( \w+)?$", text):
            raise SystemExit(f"cannot read the declaration: {text}")

    def place(self, name, above):
        if name in self.order or name in above:
            return
        for kind, _, _ in self.structs[name]:
            base = bare(kind if isinstance(kind, str) else kind[0])
            for used in [base] if isinstance(kind, str) else [base] + [bare(one) for one in kind[1]]:
                if used in self.structs:
                    self.place(used, (*above, name))
        self.order.append(name)

    # --- ctypes ------------------------------------------------------------------------------------------------

    def value(self, kind, parameter=False):
        """The ctypes name of a C type. A parameter that is a pointer takes any address."""
        kind = re.sub(r"\bstruct ", "", kind).strip()
        if kind in ("const char *",):
            return "c_char_p"
        if kind in self.callbacks:
            return title(kind)
        if kind.endswith("*"):
            base = bare(kind[:-1])
            if base in self.callbacks:
                return title(base)
            if parameter or kind.count("*") > 1 or base == "void":
                return "c_void_p"
            if base in self.structs:
                return f"POINTER({title(base)})"
            return f"POINTER({SCALARS[base]})" if base in SCALARS else "c_void_p"
        base = bare(kind)
        if base in self.enums:
            return "c_int"
        return title(base) if base in self.structs else "None" if base == "void" else SCALARS[base]

    def result(self, kind):
        """Arrays that the library owns are returned as addresses."""
        made = self.value(kind)
        return "c_void_p" if made.startswith("POINTER(c_") else made

    def call(self, result, taken):
        parts = [self.value(result)] + [self.value(kind) for kind in taken]
        return f"CFUNCTYPE({', '.join(parts)})"

    def module(self):
        lines = ['"""Generated from the headers of puad by puad_headers.py: do not edit."""', "import ctypes"]
        names = sorted(set(SCALARS.values()) | {"POINTER", "CFUNCTYPE", "c_char_p", "c_void_p"})
        lines += [f"from ctypes import {', '.join(names)}", ""]
        lines += [f"{name[5:]} = {value}" for name, value in self.constants.items()]
        for name in self.order:
            for kind, field, _ in self.structs[name]:
                if not isinstance(kind, str):
                    for used in kind[1]:
                        assert bare(used.rstrip("*")) not in self.structs or bare(used.rstrip("*")) in self.order, name
                    lines += ["", f"{title(name)}{title('puad_' + field)} = {self.call(*kind)}"]
            lines += ["", "", f"class {title(name)}(ctypes.Structure):", f'    """{name}."""', "", "    _fields_ = ["]
            for kind, field, count in self.structs[name]:
                made = self.value(kind) if isinstance(kind, str) else title(name) + title("puad_" + field)
                size = self.constants.get(count, count) if count else None
                lines.append(f'        ("{field}", {made}{f" * {size}" if size else ""}),')
            lines.append("    ]")
        lines.append("")
        for name, (result, taken) in self.callbacks.items():
            lines.append(f"{title(name)} = {self.call(result, taken)}")
        lines += ["", "CHECKED = {  # calls that return a status"]
        checked = {name: call for name, call in self.functions.items() if call[0] == "puad_status"}
        for name, (_, taken) in checked.items():
            lines.append(f'    "{name[5:]}": [{", ".join(self.value(kind, True) for kind in taken)}],')
        lines += ["}", "PLAIN = {  # calls that return a value"]
        for name, (result, taken) in self.functions.items():
            if name not in checked:
                lines.append(f'    "{name[5:]}": ({self.result(result)}, [{", ".join(self.value(kind, True) for kind in taken)}]),')
        return "\n".join([*lines, "}", ""])

    def c_program(self):
        """Prints each struct with its size and the offset of each member, and each constant."""
        lines = ["#include <puad/advanced.h>", "#include <stdio.h>", "int main(void)", "{"]
        for name in self.order:
            lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'    printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for _, field, _ in self.structs[name]]
        lines += [f'    printf("{name} %d\\n", (int){name});' for name in self.constants]
        return "\n".join([*lines, "    return 0;", "}", ""])


def declarations(text):
    """Statements that end with a semicolon outside of braces."""
    depth, begin = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "}" and depth < 0:  # of extern "C"
            depth, begin = 0, place + 1
        if letter == ";" and depth == 0:
            yield " ".join(text[begin:place].split())
            begin = place + 1


def members(text):
    return filter(None, (part.strip() for part in text.split(";")))


def fields(text):
    """(type, name, array size) of a member declaration; of a function pointer the type is (result, arguments)."""
    if found := re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", text):
        return [((found[1].strip(), arguments(found[3])), found[2], None)]
    found = re.match(r"((?:const |struct |unsigned (?=char|int|long))*\w+(?: const)?)\s*(.*)$", text)
    made = []
    for part in found[2].split(","):
        part = re.match(r"([* ]*(?:const \*)?)(\w+)(?:\[(\w+)\])?$", part.strip())
        made.append((f"{found[1]} {part[1].strip()}".strip(), part[2], part[3]))
    return made


def arguments(text):
    """The types of parameters."""
    made = []
    for part in (part.strip() for part in text.split(",")):
        if part in ("void", ""):
            continue
        found = re.match(r"(.*?)\b(?!const\b|void\b)(\w+)(\[\w*\])?$", part)
        stars = found[1].strip()
        made.append(stars + (" *" if found[3] else ""))
    return made


def bare(kind):
    return re.sub(r"\b(const|struct)\b|\*", "", kind).strip()


def title(name):
    return "".join(word.capitalize() for word in name.replace("puad_", "", 1).split("_"))


if __name__ == "__main__":
    headers = Headers(sys.argv[1])
    print(headers.c_program() if "--c" in sys.argv[2:] else headers.module(), end="")
