"""puad export without any other tool: the file is an ONNX model whose graph holds together, its trees are the forest's, and what
cannot be exported is refused."""
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, test
from exported import SOURCE, run, scores_of, write_table
from onnx_file import Model, walk

FLOAT, INTEGER, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11
golden = os.path.join(SOURCE, "tests", "golden")
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def exported(model, *options):
    run("export", model, "-o", path("m.onnx"), *options)
    return Model(path("m.onnx"))


def outputs(model):
    return {value.name: value.type for value in model.graph.outputs}


for file in sorted(glob.glob(os.path.join(golden, "*.safetensors"))):
    name = os.path.basename(file)
    model = exported(file)
    model.graph.check()
    check(model.version == 8 and model.opsets == {"": 18, "ai.onnx.ml": 3}, f"{name}: versions {model.version}, {model.opsets}")
    check({value.name: value.type for value in model.graph.inputs} == {"amount": DOUBLE, "hour": DOUBLE, "kind": STRING}, f"{name}: inputs")
    check(all(value.shape == ["rows", 1] for value in model.graph.inputs), f"{name}: shapes")
    wanted = {"score": FLOAT}
    if "calibrated" in name:
        wanted |= {"p_value": FLOAT, "probability": FLOAT, "threshold": FLOAT, "flag": BOOL}
    check(outputs(model) == wanted, f"{name}: outputs {outputs(model)}")


@test
def trees_of_the_file_are_those_of_the_forest():
    with open(path("rows.csv"), "w", encoding="ascii") as file:
        file.write("a,b\n" + "".join(f"{i * 7 % 100},{i * i % 97}\n" for i in range(400)))
    run("fit", path("rows.csv"), "-o", path("m.safetensors"), "--method", "if", "--force", "--quiet")
    ours = scores_of(path("m.safetensors"), path("rows.csv"))["score"]
    trees, = (node for node in exported(path("m.safetensors")).graph.nodes if node.type == "TreeEnsembleRegressor")
    columns = json.loads(run("inspect", path("m.safetensors"), "--json").stdout)["table"]["columns"]
    average = 10.244770920116851  # of 256 rows
    for i in range(0, 400, 37):
        row = []
        for column, value in zip(columns, (i * 7 % 100, i * i % 97)):
            held = (value - column["pivot"]) * column["factor"]
            bounded = min(max(held, column.get("low", held)), column.get("high", held))
            row.append((bounded - column["mean"]) / column["sd"] * column.get("scale", 0.25))
        score = 2 ** (-walk(trees.attributes, row) / 100 / average)
        assert abs(score - ours[i]) < 1e-5, f"row {i}: {score}, {ours[i]}"


@test
def a_column_named_like_an_output_gets_another_name():
    write_table(path("train.csv"), 400, 1, odd=False)
    run("fit", path("train.csv"), "--label-column", "label", "-o", path("m.safetensors"), "--force", "--quiet")
    model = exported(path("m.safetensors"), "--threshold", "2")
    model.graph.check()
    names = [value.name for value in model.graph.inputs]
    assert names == ["amount", "time", "score_input", "shop", "flag_input", "small", "extreme", "when", "price"], names
    assert outputs(model) == {"score": FLOAT, "threshold": FLOAT, "flag": BOOL}


@test
def every_case_of_a_missing_word_is_known():
    encoder = next(node for node in exported(path("m.safetensors")).graph.nodes if node.type == "LabelEncoder")
    codes = dict(zip(encoder.attributes["keys_strings"], encoder.attributes["values_int64s"]))
    assert len(codes) == len(encoder.attributes["keys_strings"]), "a text is there twice"
    for word in ("", "NA", "nA", "Missing", "NULL", "?"):
        assert codes[word] == codes["na"] != codes["web"], word
    assert "Straße" in codes and "web" in codes and "WEB" not in codes


@test
def unsupported_exports_are_rejected_without_a_file():
    one = os.path.join(golden, "committee.safetensors")
    for arguments, message in (
            ((one,), "-o FILE"), ((one, "-o", path("x.onnx"), "--flag-rate", "0.1"), "--flag-rate"),
            ((one, "-o", path("x.onnx"), "--fdr", "0.1"), "fdr"), ((one, "-o", one), one),
            ((one, "-o", path("x.onnx"), "--flag-rate", "0.1", "--threshold", "1"), "--threshold")):
        said = run("export", *arguments, code=2).stderr
        assert message in said, said
    assert "nowhere" in run("export", one, "-o", path("nowhere/x.onnx"), code=1).stderr
    assert not os.path.exists(path("x.onnx"))


finish()
