#!/usr/bin/env python3
"""Writes tests/corpus/files: small tables as people have them, each awkward in its own way. The files are in the tree; this
script made them (Debian's python3-pandas and python3-openpyxl, zstd and xz) and is needed only to add one.

    tests/corpus/make_corpus.py && tests/input/test_corpus.py --write    # then read expected.txt: is it what a person would do?
"""
import datetime as dt, gzip, lzma, os, random, shutil, subprocess
import openpyxl
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "files")
draw = random.Random(7)
N = 40
START = dt.datetime(2024, 1, 29, 6, 30)
TIMES = [START]
while len(TIMES) < N:
    TIMES.append(TIMES[-1] + dt.timedelta(minutes=draw.randrange(20, 900)))
AMOUNTS = [round(draw.uniform(100, 25000) * (-0.04 if i % 5 == 0 else 1), 2) for i in range(N)]
COLOURS = [draw.choice(["red", "green", "blue"]) for _ in range(N)]
COUNTS = [draw.randrange(1, 60) for _ in range(N)]


def us(x):
    return f"{x:,.2f}"


def eu(x):
    return us(x).replace(",", "_").replace(".", ",").replace("_", ".")


def write(name, text, encoding="utf-8", newline="\n"):
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(text.replace("\n", newline).encode(encoding))


def table(name, columns, delimiter=",", **how):
    """columns: name -> list of texts, or a list of (name, texts) where names repeat"""
    columns = list(columns.items()) if isinstance(columns, dict) else columns
    quote = lambda s: f'"{s}"' if delimiter in s or '"' in s or "\n" in s else s
    lines = [delimiter.join(quote(n) for n, _ in columns)]
    lines += [delimiter.join(quote(str(c[i])) for _, c in columns) for i in range(len(columns[0][1]))]
    write(name, "\n".join(lines) + "\n", **how)


def dates(form):
    return [t.strftime(form) for t in TIMES]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    plain = {"colour": COLOURS, "count": COUNTS}
    # numbers
    table("numbers_american.csv", {"amount": [us(x) for x in AMOUNTS], **plain})
    table("numbers_european.csv", {"amount": [eu(x) for x in AMOUNTS], **plain}, ";")
    table("numbers_european_quoted.csv", {"amount": [eu(x) for x in AMOUNTS], **plain})
    table("numbers_swiss.csv", {"amount": [us(x).replace(",", "'") for x in AMOUNTS], **plain})
    table("numbers_french.csv", {"amount": [us(x).replace(",", "\u202f").replace(".", ",") for x in AMOUNTS], **plain}, ";")
    table("numbers_indian.csv", {"amount": ["12,34,567" if i % 2 else f"{i + 1},00,000" for i in range(N)], **plain})
    table("thousands_alone.csv", {"inhabitants": [f"{draw.randrange(200, 90000):,}".replace(",", ".") for _ in range(N)], **plain})
    table("thousands_beside_commas.csv", {"sold": [f"{draw.randrange(1000, 90000):,}".replace(",", ".") for _ in range(N)],
                                          "price": [eu(abs(x)) for x in AMOUNTS]}, ";")
    table("three_decimals.csv", {"weight": [f"{draw.uniform(1, 9):.3f}" for _ in range(N)], **plain})
    table("dollars.csv", {"price": [f"${us(abs(x))}" for x in AMOUNTS], **plain})
    table("euros_behind.csv", {"price": [f"{eu(abs(x))} €" for x in AMOUNTS], **plain}, ";")
    table("pounds_latin1.csv", {"price": [f"£{us(abs(x))}" for x in AMOUNTS], **plain}, encoding="latin-1")
    table("accounting_brackets.csv", {"balance": [f"({us(-x)})" if x < 0 else us(x) for x in AMOUNTS], **plain})
    table("minus_behind.csv", {"balance": [f"{abs(x):.2f}-" if x < 0 else f"{x:.2f}" for x in AMOUNTS], **plain})
    table("percent.csv", {"share": [f"{draw.uniform(0, 100):.1f}%" for _ in range(N)], **plain})
    table("units.csv", {"weight": [f"{draw.uniform(40, 90):.1f} kg" for _ in range(N)], "speed": [f"{c} km/h" for c in COUNTS],
                        "stay": [f"{c} day{'s' * (c != 1)}" for c in COUNTS]})
    table("mixed_units.csv", {"size": [f"{c} {'kg' if i % 2 else 'g'}" for i, c in enumerate(COUNTS)], **plain})
    table("missing_words.csv", {"amount": ["n/a" if i % 9 == 0 else "-" if i % 9 == 1 else us(x) for i, x in enumerate(AMOUNTS)],
                                "colour": ["NULL" if i % 8 == 0 else c for i, c in enumerate(COLOURS)]})
    table("yes_no.csv", {"active": ["Yes" if c % 2 else "NO" for c in COUNTS], "paid": [c % 3 == 0 for c in COUNTS],
                         "member": ["ja" if c % 2 else "nein" for c in COUNTS], "count": COUNTS})
    table("postal_codes.csv", {"zip": [f"{draw.choice([1067, 4109, 10115, 20095]):05d}" for _ in range(N)], "count": COUNTS})
    # dates and times
    table("dates_iso.csv", {"when": dates("%Y-%m-%d %H:%M:%S"), **plain})
    table("dates_iso_zone.csv", {"when": dates("%Y-%m-%dT%H:%M:%S.250+01:00"), **plain})
    table("dates_german.csv", {"Datum": dates("%d.%m.%Y"), **plain}, ";")
    table("dates_british.csv", {"when": dates("%d/%m/%Y %H:%M")[::-1], **plain})
    table("dates_american.csv", {"when": dates("%m/%d/%Y %I:%M %p"), **plain})
    table("dates_doubtful.csv", {"when": [f"0{1 + i % 9}/0{1 + i % 7}/2024" for i in range(N)], **plain})
    table("dates_words.csv", {"when": dates("%B %d, %Y"), "sent": dates("%a, %d %b %Y %H:%M:%S +0000"), **plain})
    table("dates_compact.csv", {"day": dates("%Y%m%d"), **plain})
    table("times_of_day.csv", {"at": dates("%H:%M"), **plain})
    table("epoch_seconds.csv", {"timestamp": [int(t.timestamp()) for t in TIMES], **plain})
    table("epoch_milliseconds.csv", {"created_at": [int(t.timestamp() * 1000) for t in TIMES], **plain})
    table("dates_with_holes.csv", {"when": ["" if i % 7 == 3 else d for i, d in enumerate(dates("%Y-%m-%d"))], **plain})
    # files
    table("bom.csv", plain, encoding="utf-8-sig")
    table("utf16.txt", {"größe": COUNTS, "colour": COLOURS}, "\t", encoding="utf-16")
    table("crlf_semicolons.csv", plain, ";", newline="\r\n")
    table("pipes.txt", plain, "|")
    write("sep_line.csv", "sep=;\na;b\n" + "".join(f"{i * i % 17};{c}\n" for i, c in enumerate(COLOURS)))
    write("title_lines.csv", "Sales report,,\nexported by me,,\n\nregion,count,colour\n" +
          "".join(f"north,{c},{k}\n" for c, k in zip(COUNTS, COLOURS)))
    write("merged_header.csv", "2023,,2024,\nq1,q2,q1,q2\n" + "".join(f"{c},{c * c % 19},{c % 7},{c % 5}\n" for c in COUNTS))
    write("total_row.csv", "colour,count\n" + "".join(f"{k},{c}\n" for c, k in zip(COUNTS, COLOURS)) + f"Total,{sum(COUNTS)}\n")
    write("only_returns.csv", "a,b\n1,2\n3,4\n", newline="\r")
    table("same_names.csv", [("value", COUNTS), ("value", [c * c % 31 for c in COUNTS]), ("", COLOURS)])
    table("ids.csv", {"customer_id": draw.sample(range(10 ** 6), N), "name": [f"n{i}" for i in range(N)], **plain})
    write("free_text.csv", "comment,count\n" + "".join(f'"it was ""fine"", {i}\nreally",{c}\n' for i, c in enumerate(COUNTS)))
    # written by pandas and openpyxl
    frame = pd.DataFrame({"when": TIMES, "amount": AMOUNTS, "colour": pd.Categorical(COLOURS), "flag": [c % 2 == 0 for c in COUNTS],
                          "maybe": [None if i % 5 == 0 else x for i, x in enumerate(AMOUNTS)]})
    frame.to_csv(os.path.join(OUT, "pandas_index.csv"))
    frame.to_csv(os.path.join(OUT, "pandas_german.csv"), sep=";", decimal=",", index=False)
    frame.to_excel(os.path.join(OUT, "pandas.xlsx"), index=False)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["B2"] = "Quarterly figures"
    sheet.merge_cells("B2:E2")
    for i, row in enumerate([["Day", "Turnover", "Share", "Sold"]] + [[t.date(), a, c / 60, bool(c % 2)]
                                                                     for t, a, c in zip(TIMES, AMOUNTS, COUNTS)]):
        for k, value in enumerate(row):
            cell = sheet.cell(row=4 + i, column=2 + k, value=value)
            if k == 1:
                cell.number_format = "#,##0.00 [$€-407]"
            if k == 2:
                cell.number_format = "0.0%"
    book.create_sheet("notes")["A1"] = "nothing here"
    book.save(os.path.join(OUT, "excel_title.xlsx"))
    # packed, and several
    raw = open(os.path.join(OUT, "numbers_american.csv"), "rb").read()
    with gzip.GzipFile(os.path.join(OUT, "packed.csv.gz"), "wb", mtime=0) as file:
        file.write(raw)
    with lzma.open(os.path.join(OUT, "packed.csv.xz"), "wb") as file:
        file.write(raw)
    subprocess.run(["zstd", "-q", os.path.join(OUT, "numbers_american.csv"), "-o", os.path.join(OUT, "packed.csv.zst")], check=True)
    os.makedirs(os.path.join(OUT, "months"))
    for month, part in enumerate((slice(0, 20), slice(20, 40))):
        table(f"months/2024-0{month + 1}.csv", {"colour": COLOURS[part], "count": COUNTS[part]})
    os.makedirs(os.path.join(OUT, "months_differ"))
    table("months_differ/2024-01.csv", {"colour": COLOURS[:9], "count": COUNTS[:9]})
    table("months_differ/2024-02.csv", {"count": COUNTS[:9], "colour": COLOURS[:9]})
    # refused
    write("table.parquet", "PAR1 and so on")
    write("old.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", encoding="latin-1")
    write("page.html", "<html><table><tr><td>1</td></tr></table></html>")
    write("records.json", '{"a": 1}\n{"a": 2}\n')


main()
