#!/usr/bin/env python3
"""Warnings reach people and programs: on standard error even with -q, in the JSON of each command, in the model, and by the
exit status with --strict."""
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()


def at(name):
    return os.path.join(folder.name, name)


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


draws = numpy.random.default_rng(0)
values = draws.normal(size=(1200, 4))
values[:90] += 3
labels = numpy.zeros(1200, dtype=int)
labels[:60] = 1
numpy.savez(at("train.npz"), X=values, y=labels)
few = numpy.zeros(1200, dtype=int)
few[:3] = 1
numpy.savez(at("few.npz"), X=values, y=few)
NETWORK = ("--method", "pusvdd", "--epochs", "8", "--pretrain-epochs", "4")


@test
def a_warning_is_printed_even_when_quiet():
    done = puad("fit", "few.npz", *NETWORK, "-q", "-o", "few.safetensors")
    assert has(done.stderr, "warning", "3 labeled"), done.stderr
    assert "note:" not in done.stderr, done.stderr


@test
def json_has_a_list_of_warnings():
    done = puad("fit", "few.npz", *NETWORK, "-q", "--json", "-o", "few.safetensors")
    names = [warning["name"] for warning in json.loads(done.stdout)["warnings"]]
    assert names == ["few_anomalies"], names
    done = puad("fit", "train.npz", *NETWORK, "-q", "--json", "-o", "good.safetensors")
    assert json.loads(done.stdout)["warnings"] == [], done.stdout
    assert done.stderr == "", done.stderr


@test
def inspect_names_options_as_the_command_line_does():
    with open(at("ids.csv"), "w") as file:
        file.write("number,x\n" + "".join(f"{i * 7919 % 10007},{i * 31 % 17}\n" for i in range(300)))
    puad("fit", "ids.csv", "--method", "if", "-q", "-o", "ids.safetensors")
    printed = puad("inspect", "ids.safetensors").stdout
    assert has(printed, "number", "--ignore", "--id-column") and "option '" not in printed, printed


@test
def a_model_stores_the_warnings_of_its_training():
    seen = json.loads(puad("inspect", "few.safetensors", "--json").stdout)["warnings"]
    assert [warning["name"] for warning in seen] == ["few_anomalies"], seen
    assert "3 labeled" in puad("inspect", "few.safetensors").stdout
    assert json.loads(puad("inspect", "good.safetensors", "--json").stdout)["warnings"] == []


@test
def operate_repeats_them():
    puad("fit", "train.npz", "--alpha", "0.5", "--calibrate", "-q", "-o", "doubtful.safetensors")
    done = puad("operate", "doubtful.safetensors", "-q", "--json")
    names = [warning["name"] for warning in json.loads(done.stdout)["warnings"]]
    assert "alpha_doubtful" in names and has(done.stderr, "alpha", "0.5"), done
    puad("operate", "doubtful.safetensors", "--strict", code=3)
    puad("fit", "train.npz", "--calibrate", "-q", "-o", "sound.safetensors")
    done = puad("operate", "sound.safetensors", "-q", "--json", "--strict")
    assert json.loads(done.stdout)["warnings"] == [] and done.stderr == "", done


@test
def strict_writes_no_model_after_a_warning():
    done = puad("fit", "few.npz", *NETWORK, "-q", "--strict", "--json", "-o", "strict.safetensors", code=3)
    assert not os.path.exists(at("strict.safetensors")) and json.loads(done.stdout)["model"] is None
    puad("fit", "train.npz", *NETWORK, "-q", "--strict", "-o", "strict.safetensors")
    assert os.path.exists(at("strict.safetensors"))


@test
def other_commands_have_the_list_too():
    assert json.loads(puad("prior", "train.npz", "--json").stdout)["warnings"] == []
    assert json.loads(puad("eval", "good.safetensors", "train.npz", "--json").stdout)["warnings"] == []
    puad("score", "good.safetensors", "train.npz", "--summary", "report.json", "--strict", "--threshold", "1")
    with open(at("report.json")) as file:
        report = json.load(file)
    assert report["rows"] == 1200 and report["warnings"] == [] and isinstance(report["flagged"], int), report


@test
def a_report_does_not_overwrite_its_input():
    puad("score", "good.safetensors", "train.npz", "--summary", "train.npz", code=2)


@test
def a_missing_checkpoint_is_reported():
    done = puad("fit", "train.npz", *NETWORK, "-q", "--resume", "-o", "resumed.safetensors")
    assert "--resume" in done.stderr, done.stderr


@test
def answer_files_without_answers_are_reported():
    with open(at("ask.csv"), "w") as file:
        file.write("row,label\n100,\n200,\n")
    done = puad("fit", "train.npz", "--answers", "ask.csv", "-q", "-o", "asked.safetensors")
    assert "2 rows" in done.stderr, done.stderr
    with open(at("ask.csv"), "w") as file:
        file.write("row,label\n100,\n200,-1\n")
    done = puad("fit", "train.npz", "--answers", "ask.csv", "-q", "-o", "asked.safetensors")
    assert done.stderr == "", done.stderr


@test
def help_names_the_exit_status():
    assert "3 a warning (only with --strict)" in puad("score", "--help").stdout
    assert "3 a warning" not in puad("list", "--help").stdout


finish()
