"""Names and cells of other people's files on a terminal, in a spreadsheet and in JSON: they are shown, not obeyed."""
import csv
import io
import json
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test
from faults import FIT, PUAD, run, scratch

ESCAPE = "\x1b]0;owned\x07"
FORMULA = "=cmd|' /C calc'!A0"


def on_terminal(*arguments, folder):
    """What a terminal would get."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([PUAD, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL)
    os.close(follower)
    seen = b""
    try:
        while True:
            piece = os.read(leader, 65536)
            if not piece:
                break
            seen += piece
    except OSError:
        pass  # the other end is closed
    os.close(leader)
    assert process.wait() == 0
    return seen


with scratch() as folder:
    with open(f"{folder}/rows.csv", "w", encoding="utf-8") as out:
        out.write(f"amount,kind{ESCAPE},name,label\n")
        for row in range(120):
            name = FORMULA if row % 3 == 0 else f"n{row % 5}{ESCAPE}"
            out.write(f"{row % 7}.{row % 4},{'ab'[row % 2]}{ESCAPE},{name},{int(row % 10 == 0)}\n")
    fitted = run("fit", "rows.csv", "-o", "m.safetensors", *FIT, "--id-column", "name", folder=folder)
    assert fitted.returncode == 0, fitted

    @test
    def descriptions_show_names_and_cells_without_control_characters():
        for arguments in (["data", "rows.csv"], ["inspect", "m.safetensors"]):
            said = run(*arguments, folder=folder)
            assert said.returncode == 0 and b"\x1b" not in said.stdout and b"\x07" not in said.stdout, f"{arguments}: {said.stdout[-300:]}"

    @test
    def messages_and_notes_have_no_control_characters():
        said = run("score", "m.safetensors", f"nothing{ESCAPE}.csv", folder=folder)
        assert said.returncode == 1 and b"\x1b" not in said.stderr and b"nothing?]0;owned?.csv" in said.stderr, said
        said = run("fit", "rows.csv", "-o", "n.safetensors", "--label-column", f"no{ESCAPE}", folder=folder)
        assert said.returncode == 2 and b"\x1b" not in said.stderr, said

    @test
    def cells_on_a_terminal_are_shown_and_in_a_file_stay_as_they_are():
        command = ["score", "m.safetensors", "rows.csv", "--id-column", "name"]
        assert b"\x1b" not in on_terminal(*command, folder=folder)
        assert ESCAPE.encode() in run(*command, folder=folder).stdout

    @test
    def formulas_for_a_spreadsheet_are_guarded_and_answers_still_match():
        asked = run("query", "m.safetensors", "rows.csv", "-n", "60", "--id-column", "name", folder=folder)
        assert asked.returncode == 0, asked
        rows = list(csv.DictReader(io.StringIO(asked.stdout.decode())))
        assert any(row["name"] == "'" + FORMULA for row in rows) and not any(row["name"].startswith("=") for row in rows), rows[:3]
        for number, row in enumerate(rows):
            row["label"] = "1" if number % 2 else "-1"
        with open(f"{folder}/ask.csv", "w", encoding="utf-8", newline="") as out:
            table = csv.DictWriter(out, rows[0].keys())
            table.writeheader()
            table.writerows(rows)
        done = run("fit", "rows.csv", "-o", "n.safetensors", "--answers", "ask.csv", "--update", "m.safetensors", "--force", folder=folder)
        assert done.returncode == 0, done.stderr

    @test
    def scores_for_a_spreadsheet_are_guarded_and_numbers_stay_numbers():
        cells = [FORMULA, "@SUM(1)", "+1+cmd|' '!A0", "-1.5", "-1,234.50", "+4e-3", "-12%", "-", "=", "plain", "-\"x\", y"]
        with open(f"{folder}/kept.csv", "w", encoding="utf-8", newline="") as out:
            table = csv.writer(out)
            table.writerow(["amount", "note", "name", "=more"])
            table.writerows([str(number), "a", cell, cell] for number, cell in enumerate(cells))
        guarded = ["'" + cell if cell in cells[:3] + ["=", cells[-1]] else cell for cell in cells]
        for more in (), ("--top", "20"), ("-o", "out.csv"):
            said = run("score", "m.safetensors", "kept.csv", "--id-column", "name", "--keep-columns", *more, folder=folder)
            assert said.returncode == 0, said
            text = open(f"{folder}/out.csv", encoding="utf-8", newline="").read() if more[:1] == ("-o",) else said.stdout.decode()
            rows = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: int(row["row"]))
            assert [row["name"] for row in rows] == guarded and [row["'=more"] for row in rows] == guarded, rows
        said = run("score", "m.safetensors", "kept.csv", "--keep-columns", "--format", "jsonl", folder=folder)
        kept = [json.loads(line)["=more"] for line in said.stdout.decode().splitlines()]
        assert kept == cells, kept

    @test
    def json_is_valid_utf8_whatever_a_file_holds():
        with open(f"{folder}/latin.csv", "wb") as out:
            out.write(b"caf\xe9,b\n" + b"".join(b"%d,\xe9%d\n" % (i, i % 2) for i in range(20)))
        said = run("data", "latin.csv", "--json", folder=folder)
        assert said.returncode == 0, said
        json.loads(said.stdout.decode("utf-8"))
finish()
