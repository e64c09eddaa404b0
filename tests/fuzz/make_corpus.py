#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets: FOLDER/NAME/... for fuzz_NAME.c, by other people's writers.

usage: make_corpus.py FOLDER [PUAD]        with the program there are ledgers, too
"""
import csv, glob, gzip, io, itertools, json, os, struct, subprocess, sys, tarfile, tempfile

import numpy as np
from PIL import Image

ROOT = sys.argv[1]


def save(target, name, content):
    os.makedirs(os.path.join(ROOT, target), exist_ok=True)
    with open(os.path.join(ROOT, target, name), "wb") as file:
        file.write(content)


def csv_text(rows, **how):
    text = io.StringIO()
    csv.writer(text, **how).writerows(rows)
    return text.getvalue().encode()


def csv_seeds():
    table = [["id", "size", "color", "label"], ["a", "1.5", "red", "1"], ["b", "-2e3", "with, comma", "0"],
             ["c", "", 'with "quotes"', ""], ["d", "NA", "two\nlines", "-1"], ["e", "17", "red", "0"]]
    number = 0
    for delimiter in ",;\t|":
        for terminator in "\n", "\r\n":
            for first in 0, 4, 8, 16 + 4, 48 + 4:  # the options, see fuzz_csv.c
                text = csv_text(table, delimiter=delimiter, lineterminator=terminator)
                save("csv", f"table{number}", bytes([first]) + text)
                number += 1
    save("csv", "bom", b"\0\xef\xbb\xbf" + csv_text(table))
    save("csv", "latin1", b"\0" + "größe,b\n1,ä\n2,ö\n".encode("latin-1"))
    save("csv", "comma", b"\0" + b"a;b\n1,5;2\n-3,25;4\n")
    save("csv", "bare", b"\0" + b"5.1,3.5,setosa\n4.9,3.0,setosa\n7,3.2,versicolor\n")
    save("csv", "long", b"\4" + b"a,b\n" + b"".join(b"%d,%d.%d\n" % (i, i, i * 7) for i in range(400)))
    save("csv", "gzip", b"\0" + gzip.compress(csv_text(table)))
    save("csv", "digits", b"\4a\n1234567890123456789012345678901234567890\n1e308\n1e-320\n.5\n5.\n0x10\n")


def request_seeds():
    bodies = {
        "objects": [{"amount": 12.5, "country": "home", "new": True}, {"amount": None, "country": 3}],
        "rows": {"id": "a", "rows": [{"amount": 1}]},
        "arrays": {"columns": ["a", "b"], "rows": [[1, "x"], [None, "y"]]},
        "unnamed": {"rows": [[1, 2], [3, 4]]},
        "tensors": {"inputs": [{"name": "a", "shape": [2], "datatype": "FP64", "data": [1, 2]},
                               {"name": "m", "shape": [2, 2], "datatype": "FP64", "data": [1, 2, 3, 4]}]},
        "empty": [],
    }
    for name, body in bodies.items():
        save("request", name, json.dumps(body).encode())


def transform_seeds():
    number = {"name": "size", "type": "number", "indicator": True, "pivot": 5, "factor": 0.5, "mean": 0.1, "sd": 2}
    category = {"name": "color", "type": "category", "indicator": False, "categories": ["red", "blue"], "rest": True}
    dropped = {"name": "same", "type": "dropped", "reason": "all its values are the same"}
    for i, columns in enumerate([[number], [category], [number, category, dropped]]):
        save("transform", f"table{i}", json.dumps({"kind": "table", "named": True, "columns": columns}).encode())
    save("transform", "image", json.dumps({"kind": "image", "height": 32, "width": 32, "channels": 3, "divisor": 255}).encode())


def written(write, *arguments, **how):
    out = io.BytesIO()
    write(out, *arguments, **how)
    return out.getvalue()


def npy_seeds():
    for dtype in "?", "u1", "i2", ">i4", "u8", "f2", ">f4", "f8":
        for order in "C", "F":
            array = np.asarray(np.arange(24).reshape(2, 3, 4), dtype=dtype, order=order)
            save("npy", f"{np.dtype(dtype).name}{dtype[0] == '>'}{order}", written(np.save, array))
    save("npy", "text", written(np.save, np.array(["fine", "odd \u00e9"])))
    save("npy", "bytes", written(np.save, np.array([b"fine", b"\xe9"])))
    save("npy", "empty", written(np.save, np.zeros((0, 3))))


def npz_seeds():
    arrays = {"X": np.arange(12.0).reshape(4, 3), "y": np.array([0, 1, 0, -1])}
    save("npz", "stored", written(np.savez, **arrays))
    save("npz", "deflated", written(np.savez_compressed, **arrays))
    save("npz", "text", written(np.savez, X=arrays["X"], y=np.array(["a", "b", "", "dent"])))


def idx_seeds():
    pixels = struct.pack(">HBBIII", 0, 8, 3, 2, 3, 4) + bytes(range(24))
    save("idx", "images", pixels)
    save("idx", "images.gz", gzip.compress(pixels))
    save("idx", "doubles", struct.pack(">HBBI", 0, 14, 1, 2) + struct.pack(">dd", 1.5, -2))


def image_seeds():
    color = Image.fromarray(np.arange(12 * 10 * 3, dtype=np.uint8).reshape(12, 10, 3))
    for mode in "1", "L", "LA", "P", "RGB", "RGBA":
        save("image", f"{mode}.png", written(lambda out: color.convert(mode).save(out, "png")))
    for mode in "L", "RGB", "CMYK":
        save("image", f"{mode}.jpg", written(lambda out: color.convert(mode).save(out, "jpeg")))
    for mode in "1", "L", "P", "RGB", "RGBA":
        save("image", f"{mode}.bmp", written(lambda out: color.convert(mode).save(out, "bmp")))
        for packing in "raw", "packbits", "tiff_lzw", "tiff_adobe_deflate":
            save("image", f"{mode}.{packing}.tif", written(lambda out: color.convert(mode).save(out, "tiff", compression=packing)))
    save("image", "progressive.jpg", written(lambda out: color.save(out, "jpeg", progressive=True)))


def mat_seeds():
    from scipy.io import savemat
    pixels = np.arange(32 * 32 * 3 * 2, dtype=np.uint8).reshape(32, 32, 3, 2)
    for name, packed in ("stored", False), ("deflated", True):
        save("mat", name, written(savemat, {"X": pixels, "y": np.array([[1], [10]], dtype=np.uint8)}, do_compression=packed))


def tar_seeds():
    for name, mode in ("plain", "w"), ("packed", "w:gz"):
        for kind in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode=mode, format=kind) as archive:
                for member in "train.bin", "test.bin":
                    about = tarfile.TarInfo("cifar-100-binary/" + member)
                    about.size = 2 * 3074
                    archive.addfile(about, io.BytesIO(bytes(about.size)))
            save("tar", f"{name}{kind}", out.getvalue())


def safetensors_seeds():
    header = json.dumps({"__metadata__": {"method": "pusvdd"}, "w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})
    save("safetensors", "one", struct.pack("<Q", len(header)) + header.encode() + bytes(16))


CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus", "files")


def people_seeds():
    """Files as people have them, tests/corpus."""
    for name in os.listdir(CORPUS):
        path = os.path.join(CORPUS, name)
        if os.path.isdir(path):
            continue
        content = open(path, "rb").read()
        if name.endswith(".csv"):
            save("csv", "corpus-" + name, b"\4" + content[:1500])
        else:
            save("stream", name, content)


def sheet_seeds():
    sheet = (b"<worksheet><dimension ref='A1:C3'/><sheetData><row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='inlineStr'><is><t>b&amp;"
             b"</t></is></c><c r='C1'/></row><row r='2'><c r='A2' s='1'><v>45000.5</v></c><c r='B2' t='b'><v>1</v></c><c r='C2' t='e'><v>#N/A</v>"
             b"</c></row></sheetData></worksheet>")
    texts = b'<sst><si><t>a, "x"</t></si><si><r><t>p</t></r><rPh><t>q</t></rPh></si></sst>'
    save("sheet", "alone", b"\0" + sheet)
    while (len(texts) + len(sheet)) * 64 // 256 > len(texts):  # the first byte says which part are the texts
        texts += b" "
    save("sheet", "texts", bytes([-(-len(texts) * 256 // (len(texts) + len(sheet)))]) + texts + sheet)


TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def model_seeds():
    """Golden models, without the checksum that would refuse every change."""
    for path in glob.glob(os.path.join(TESTS, "golden", "*.safetensors")):
        raw = open(path, "rb").read()
        length, = struct.unpack("<Q", raw[:8])
        header = json.loads(raw[8:8 + length])
        header["__metadata__"].pop("checksum", None)
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        save("model", os.path.basename(path), struct.pack("<Q", len(text)) + text + raw[8 + length:])


RESULTS = os.path.join(TESTS, "..", "docs", "results")


def ledger_seeds():
    with open(os.path.join(RESULTS, "ledger.csv"), encoding="utf-8") as source:
        lines = list(itertools.islice(source, 6))
        lines += [line for line in source if '""averaged""' in line][:1]  # a run with its curve
    for count in 1, 2, 6, 7:
        save("ledger", f"csv{count}", b"\1" + "".join(lines[:count]).encode())
    save("ledger", "curve", b"\1" + (lines[0] + lines[-1]).encode())
    if len(sys.argv) > 2:
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/l.csv", "w", encoding="utf-8") as out:
                out.writelines(lines)
            subprocess.run([sys.argv[2], "lab", "import", "--ledger", f"{folder}/l.db", f"{folder}/l.csv", "--quiet"], check=True)
            save("ledger", "database", b"\0" + open(f"{folder}/l.db", "rb").read())


def answers_seeds():
    for first in 0, 1:
        save("answers", f"plain{first}", bytes([first]) + b"row,score,id,label\n0,1.5,a,1\n3,1.2,d,-1\n7,1,h,\n19,0.5,'=t,1\n")
    save("answers", "words", b"\0label;row\nyes;1\nno;2\nnormal;3\n;4\n")


def intervals_seeds():
    """Options and the share of the intervals in two bytes (fuzz_intervals.c), the intervals, the series."""
    def pair(name, how, intervals, series):
        text = csv_text(intervals)
        if not series:
            save("intervals", name, bytes([how, 0]) + text)
            return
        behind = csv_text(series)
        share = lambda: -(-len(text) * 256 // (len(text) + len(behind)))
        while share() * (len(text) + len(behind)) // 256 != len(text):  # until a byte can name the place
            text += b"\n"
        save("intervals", name, bytes([how, share()]) + text + behind)

    numbers = [["start", "end", "label"], [3, 5, 1], ["4.5", "9", -1], [20, 20, ""], [7, 8, 1]]
    grouped = [["sensor", "start", "end"], ["a", 1, 4], ["b", 2, 2], ["a", 3, 9]]
    days = [["from", "to"], ["2024-01-03", "2024-01-05 12:00"], ["2024-01-09T00:00:00+01:00", "2024-01-10"]]
    series = [["time", "sensor", "x", "y"]] + [[t, "ab"[t > 12], t * t % 7, 0.5 * t] for t in range(24)]
    dated = [["time", "x"]] + [[f"2024-01-{day:02} 0{hour}:30", day * hour % 5] for day in range(1, 13) for hour in (1, 7)]
    pair("numbers", 0, numbers, None)
    pair("comma", 128, [["start", "end"], ["1,5", "2,5"]], None)
    pair("groups", 32, grouped, None)
    pair("bare", 0, [[3, 5], [6, 7]], None)
    pair("series", 0, numbers, series)
    pair("sensors", 32, grouped, series)
    pair("dated", 1, days, dated)
    for order, text in enumerate(["2024-01-31", "31.01.2024", "01/31/2024", "20240131", "10:00", "1706695200", "1706695200000"]):
        pair(f"order{order}", 1 + 2 * order, [["start", "end"], [text, text]], None)


def file_set_seeds():
    table = [["size", "color", "label"]] + [[n * 1.5, ("red", "blue")[n % 2], ("good", "bad", "10", "9")[n % 4]] for n in range(40)]
    save("file_set", "table", b"\0" + csv_text(table))
    save("file_set", "two", b"\0" + csv_text([["a", "label"]] + [[n, n % 3 == 0] for n in range(30)]))
    arrays = {"X": np.arange(60.0).reshape(20, 3), "y": np.arange(20) % 3}
    save("file_set", "stored", b"\1" + written(np.savez, **arrays))
    save("file_set", "deflated", b"\1" + written(np.savez_compressed, **arrays))
    save("file_set", "images", b"\1" + written(np.savez, X=np.arange(12 * 36, dtype=np.uint8).reshape(12, 6, 6), y=np.arange(12) % 2))


def published_seeds():
    rows = [["table", "metric", "labeled_anomaly_pct", "dataset", "model", "value"], ["D1", "AUCROC", "1.0", "cardio", "XGBOD", "91.25"],
            ["D1", "AUCPR", "5", "with, comma", "DeepSAD", "N/A"], ["D2", "AUCPR", "100", "fault", "REPEN", "0"]]
    for count in 1, 2, 4:
        save("published", f"shares{count}", b"\0" + csv_text(rows[:count]))
    save("published", "paper", b"\1anomalies,dataset,method,auroc_mean,auroc_std,best\nall,mnist,pusvdd,98.5,0.5,1\nunseen,SVHN,oc-svm,60,nan,0\n")


def cell_seeds():
    texts = ["2024-01-31T10:00:00.5+01:00", "31.01.2024 17:30", "Jan 31, 2024 5:30 PM", "20240131100000", "10:00:30", "1706695200", "1706695200000",
             "1,234,567.89 EUR", "(1.234,50)", "-12 %", "$ 5", "1'000", "yes", "nein", "1e308", "Wed, 31 Jan 2024", "12:60", "0x1F", "\u00a35", "1 000 kg"]
    for number, text in enumerate(texts):
        save("cell", str(number), text.encode())


for name, seeds in sorted(globals().copy().items()):
    if name.endswith("_seeds"):
        seeds()
