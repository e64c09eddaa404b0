#!/usr/bin/env python3
"""Help of every command: examples before options, sections, lines within the terminal; names that are close to a mistyped one; versions;
color of errors and warnings."""
import os
import pty
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "help_structure.txt")
folder = tempfile.TemporaryDirectory()


def puad(*arguments, code=0, **environment):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True, cwd=folder.name, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    assert done.returncode == code, f"puad {' '.join(arguments)}: {done.returncode}: {done.stderr}"
    return done


def commands():
    return re.findall(r"^  ([a-z]+) ", puad("help").stdout, re.M)


def structure(name, width):
    """Headings, examples and option names, in order."""
    lines = puad("help", *name.split(), COLUMNS=str(width)).stdout.splitlines()
    assert max(map(len, lines)) <= width, f"{name} at {width}: {max(lines, key=len)}"
    assert not any(line != line.rstrip() for line in lines), name
    out, examples = [], 0
    for line in lines:
        if re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            out.append(line)
        elif line.startswith("  puad ") or line.startswith("  mpirun "):
            examples += 1
        elif found := re.match(r"  (?:-\w, )?(--[a-z-]+)", line):
            out.append(f"  {found[1]}")
        elif re.match(r"(Usage|Exit status|Input options)\b", line):
            out.append(line.split(":")[0].split(" (")[0])
    assert examples > 0, f"{name} has no example"
    return out


@test
def help_of_every_command_has_the_structure_of_the_golden_file():
    shown = {name: structure(name, 80) for name in [*commands(), "lab run", "lab table", "lab figure", "lab report", "lab export", "lab import"]}
    text = "".join(f"{name}\n" + "".join(f"    {line}\n" for line in lines) for name, lines in shown.items())
    if os.environ.get("UPDATE_GOLDEN"):
        with open(GOLDEN, "w") as file:
            file.write(text)
    with open(GOLDEN) as file:
        assert file.read() == text, "help has another structure; run with UPDATE_GOLDEN=1 if that is meant"


@test
def the_structure_does_not_depend_on_the_width():
    for name in commands():
        assert structure(name, 80) == structure(name, 120), name
        text = puad("help", name, COLUMNS="80").stdout
        assert text.index("\nUsage") < text.index("\nExamples:") < text.index("ptions:"), name


@test
def every_input_option_of_the_library_is_in_the_help_of_input():
    with open(os.path.join(os.environ["SOURCE"], "src", "options", "options.def")) as file:
        names = re.findall(r"^OPTION\((?:INPUT|MORE), (\w+),", file.read(), re.M)
    shown = puad("help", "input").stdout
    assert len(names) > 15
    for name in names:
        assert f"--{name.replace('_', '-')} " in shown, name


@test
def short_help_fits_on_one_screen():
    for name in commands():
        if name != "lab":
            lines = puad(name, "-h", COLUMNS="80").stdout.splitlines()
            assert len(lines) <= 40 and max(map(len, lines)) <= 80, f"{name}: {len(lines)} lines"
            assert len(lines) <= len(puad(name, "--help", COLUMNS="80").stdout.splitlines())


@test
def help_is_found_where_people_look_for_it():
    full = puad("fit", "--help").stdout
    assert puad("help", "fit").stdout == full
    assert puad("help", "lab", "run").stdout == puad("lab", "run", "--help").stdout
    assert puad("help").stdout == puad("--help").stdout == puad("-h").stdout
    assert "--delimiter" in puad("help", "input").stdout and "--delimiter" not in full
    assert puad("help", "thresholds").stdout == puad("help", "operate").stdout
    versions = {puad(*words).stdout for words in (["-V"], ["--version"], ["version"], ["fit", "--version"], ["score", "-V"])}
    assert len(versions) == 1 and re.fullmatch(r"puad \d+\.\d+\.\d+ \(\w+\)\n", versions.pop())
    assert "(baseline)" in puad("--version", PUAD_ISA="baseline").stdout
    if os.path.exists(PUAD + "-mpi"):
        assert re.fullmatch(r"puad \S+ \(\w+, MPI\)\n", subprocess.run([PUAD + "-mpi", "--version"], capture_output=True, text=True).stdout)


@test
def close_names_are_suggested():
    def meant(name, *arguments, code=2):
        said = puad(*arguments, code=code).stderr
        assert f"did you mean '{name}'?" in said, f"{arguments}: {said}"
    with open(os.path.join(folder.name, "t.csv"), "w") as file:
        file.write("account,amount,status\n" + "".join(f"A{i},{i % 7},{'fraud' if i < 9 else ''}\n" for i in range(99)))
    meant("score", "scroe")
    meant("--label-column", "fit", "--label-colum", "x")
    meant("--positive", "fit", "t.csv", "--postive=fraud", "-o", "m")
    meant("pusvdd", "fit", "t.csv", "--method", "PUSVDD", "-o", "m")
    meant("methods", "list", "method")
    meant("status", "fit", "t.csv", "--label-column", "Status_", "-o", "m")
    meant("account", "fit", "t.csv", "--label-column", "status", "--positive", "fraud", "--id-column", "acount", "-o", "m")
    meant("mnist", "lab", "table", "--datasets", "mnits", "--ledger", os.path.join(folder.name, "l.db"))
    meant("bash", "completion", "bsh")
    assert "did you mean" not in puad("xyzzy", code=2).stderr


def on_terminal(*arguments, **environment):
    """Standard error of a run whose streams are a terminal."""
    main, side = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    child = subprocess.Popen([PUAD, *arguments], stdin=side, stdout=side, stderr=side, cwd=folder.name, env={**known, "TERM": "xterm", **environment})
    os.close(side)
    said = b""
    while True:
        try:
            some = os.read(main, 4096)
        except OSError:
            break
        if not some:
            break
        said += some
    child.wait()
    os.close(main)
    return said.decode()


@test
def only_the_words_are_colored_and_only_on_a_terminal():
    wrong = ("score", "none.safetensors", "none.csv")
    colored = "\033[1;31merror:\033[0m none.safetensors"
    assert colored in on_terminal(*wrong)
    for plain in (on_terminal(*wrong, NO_COLOR="1"), on_terminal(*wrong, TERM="dumb"), on_terminal(*wrong, "--color", "never"), puad(*wrong, code=1).stderr):
        assert "error: none.safetensors" in plain and "\033" not in plain, plain
    assert colored in puad(*wrong, "--color", "always", code=1).stderr
    assert colored in on_terminal(*wrong, NO_COLOR="")
    assert "'sometimes'" in puad(*wrong, "--color", "sometimes", code=2).stderr


finish()
