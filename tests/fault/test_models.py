"""Damaged and planted models and checkpoints. Every changed byte of a model with a checksum is refused or changes nothing; golden models,
which have none, are refused or give finite scores; a small file never takes much memory; a checkpoint is refused, or a training goes on from
it to a model that works."""
import glob
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, test
from faults import FIT, LONG, PUAD, SANITIZED, SOURCE, describe, died, run, scratch, write_rows

GOLDEN = os.path.join(SOURCE, "tests", "golden")
ROUNDS = 1500 if LONG else 40
MOST_MEMORY = 600 << 20
draw = random.Random(int(os.environ.get("SEED", "1")))


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    if not SANITIZED:  # which reserve terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def bounded(*arguments, folder):
    return run(*arguments, folder=folder, preexec_fn=limit)


def split(raw):
    length, = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8:8 + length]), raw[8 + length:]


def join(header, data):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def changed_text(raw, key, change):
    """A model in which one of the JSON texts of its metadata was changed; without its checksum."""
    header, data = split(raw)
    text = json.loads(header["__metadata__"][key])
    change(text)
    header["__metadata__"][key] = json.dumps(text)
    header["__metadata__"].pop("checksum", None)
    return join(header, data)


NASTY = ["0", "-1", "1e999", "-0", "9007199254740993", "1000000000", "null", "\"\"", "[]", "{}", "true", "NaN", "0.5", "4294967296"]


def mutate(raw):
    """One to three changes: flipped bits, cuts, repeats, numbers of the header replaced."""
    out = bytearray(raw)
    for _ in range(draw.choice((1, 1, 2, 3))):
        kind = draw.randrange(6)
        at = draw.randrange(max(1, len(out)))
        if kind == 0 and out:
            out[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del out[at:at + draw.choice((1, 2, 8, 64, 4096))]
        elif kind == 2:
            out[at:at] = out[at:at + draw.choice((1, 8, 64))]
        elif kind == 3 and len(out) > 16:
            at = draw.randrange(8, min(len(out), 8 + int.from_bytes(out[:8], "little") % (1 << 20)) or 9)
            out[at] = draw.choice(b'{}[]",:0123456789eE.-\\ \x00\xff')
        elif kind == 4:
            numbers = [m for m in re.finditer(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", bytes(out[8:8 + 20000]))]
            if numbers:
                found = draw.choice(numbers)
                new = draw.choice(NASTY).encode()
                width = found.end() - found.start()
                if len(new) <= width or draw.random() < 0.5:
                    new = new.ljust(width) if len(new) <= width else new
                    out[8 + found.start():8 + found.end()] = new
                    if len(new) > width and len(out) >= 8:
                        length = int.from_bytes(out[:8], "little") + len(new) - width
                        out[:8] = struct.pack("<Q", length % (1 << 64))
        elif out:
            width = draw.choice((1, 2, 4, 8))
            out[at:at + width] = draw.choice((b"\x00", b"\xff", b"\x7f")) * width
    return bytes(out)


def scores_of(text):
    rows = text.decode().splitlines()[1:]
    return [float(row.rsplit(",")[1] if row.count(",") else row) for row in rows]


def judge_model(folder, name, raw, same=None):
    """Scores and looks at a model that should not be trusted; what is wrong with how that went, or None."""
    with open(os.path.join(folder, name), "wb") as file:
        file.write(raw)
    for arguments in (["score", name, "rows.csv", "--threads", "1"], ["inspect", name, "--json"]):
        done = bounded(*arguments, folder=folder)
        if died(done.returncode):
            return f"{arguments[0]}: {describe(done.returncode)} {done.stderr.decode()[-200:]}"
        if done.returncode and not done.stderr.strip():
            return f"{arguments[0]}: fails without a word"
        if done.returncode == 0 and arguments[0] == "score":
            if re.search(rb"(?i)\b(nan|inf)\b", done.stdout):
                return "score: a score that is no number, with exit status 0"
            if same is not None and done.stdout != same:
                return "score: a model with a wrong checksum gives other scores"
        if done.returncode == 0 and arguments[0] == "inspect":
            json.loads(done.stdout)
    return None


def keep(raw):
    """Leaves a finding where it can be looked at."""
    place = os.environ.get("FINDINGS")
    if place:
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"finding-{len(os.listdir(place))}"), "wb") as file:
            file.write(raw)


with scratch() as folder:
    write_rows(f"{folder}/rows.csv")
    assert run("fit", "rows.csv", "-o", "m.safetensors", "--calibrate=0.3", *FIT, "--method", "pusvdd", "--quiet", folder=folder).returncode == 0
    with open(f"{folder}/m.safetensors", "rb") as file:
        model = file.read()
    with open(os.path.join(GOLDEN, "distance.safetensors"), "rb") as file:
        golden = file.read()

    @test
    def a_small_file_cannot_ask_for_a_large_network():
        for width, latent in ((20000, 2), (8192, 8192), (1000000000, 1), (16, 1000000000), (4000000000, 4000000000)):
            def plant(recipe):
                recipe["width"], recipe["latent"] = width, latent
            with open(f"{folder}/planted.safetensors", "wb") as file:
                file.write(changed_text(golden, "recipe", plant))
            done = bounded("inspect", "planted.safetensors", folder=folder)
            said = done.stderr.decode()
            assert done.returncode == 1 and "memory" not in said and "planted.safetensors" in said, f"{width}: {done.returncode} {said}"

    @test
    def a_small_file_cannot_claim_large_rows():
        for shape in ([1, 1, 1000000], [1000000, 1000000, 1000000], [1, 1000000, 1000000]):
            header, data = split(golden)
            facts = json.loads(header["__metadata__"]["facts"])
            facts["row_shape"] = shape
            header["__metadata__"]["facts"] = json.dumps(facts)
            del header["__metadata__"]["table"]
            with open(f"{folder}/planted.safetensors", "wb") as file:
                file.write(join(header, data))
            done = bounded("inspect", "planted.safetensors", folder=folder)
            assert done.returncode == 1 and b"memory" not in done.stderr, f"{shape}: {done.returncode} {done.stderr.decode()}"

    @test
    def a_flipped_bit_of_a_model_is_refused_or_changes_nothing():
        whole = run("score", "m.safetensors", "rows.csv", "--threads", "1", folder=folder).stdout
        refused = 0
        places = [draw.randrange(8 * len(model)) for _ in range(ROUNDS)]
        for place in places:
            flipped = bytearray(model)
            flipped[place // 8] ^= 1 << place % 8
            finding = judge_model(folder, "flipped.safetensors", bytes(flipped), whole)
            assert finding is None, f"bit {place}: {finding}"
            refused += bounded("inspect", "flipped.safetensors", folder=folder).returncode == 1
        assert refused > 0.98 * len(places), f"{refused} of {len(places)} refused"

    @test
    def mutated_models_are_refused_or_work():
        files = sorted(glob.glob(os.path.join(GOLDEN, "*.safetensors")))
        for number in range(ROUNDS):
            with open(files[number % len(files)], "rb") as file:
                raw = mutate(file.read())
            finding = judge_model(folder, "mutated.safetensors", raw)
            if finding:
                keep(raw)
            assert finding is None, f"round {number}, {os.path.basename(files[number % len(files)])}: {finding}"

    @test
    def mutated_checkpoints_are_refused_or_taken_up():
        command = ["fit", "rows.csv", *FIT, "--epochs", "300", "--quiet", "--batch", "16"]
        process = subprocess.Popen([PUAD, *command, "-o", "c.safetensors"], cwd=folder, stderr=subprocess.DEVNULL)
        while not os.path.exists(f"{folder}/c.safetensors.checkpoint") and process.poll() is None:
            pass
        process.kill()
        process.wait()
        with open(f"{folder}/c.safetensors.checkpoint", "rb") as file:
            whole = file.read()
        again = [*command, "--epochs", "2", "--resume", "-o", "c.safetensors"]
        refused = 0
        for number in range(ROUNDS // 4):
            shutil.rmtree(f"{folder}/c.safetensors", ignore_errors=True)
            for name in glob.glob(f"{folder}/c.safetensors*"):
                os.unlink(name)
            with open(f"{folder}/c.safetensors.checkpoint", "wb") as file:
                file.write(mutate(whole))
            done = bounded(*again, folder=folder)
            assert not died(done.returncode), f"round {number}: {describe(done.returncode)} {done.stderr.decode()[-300:]}"
            refused += done.returncode != 0
            if done.returncode == 0:
                assert run("score", "c.safetensors", "rows.csv", folder=folder).returncode == 0
            else:
                assert b"checkpoint" in done.stderr, f"round {number}: {done.stderr.decode()}"
        assert refused > 0, "no checkpoint was refused"
finish()
