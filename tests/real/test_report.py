#!/usr/bin/env python3
"""puad report on real tables with text, dates and missing cells, and on folders of pictures: pages below 3 MB, 100,000 rows in under
15 s of processor time, nothing wrong in a browser at either width, light or dark. PICTURES=FOLDER keeps what the browser shows."""
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import browser  # noqa: E402
import report_files  # noqa: E402

PAGE_BYTES_MAX, SECONDS_MAX = 3e6, 15  # processor time of donors, 100,000 rows: other work on the machine does not count
PUAD, DATA = os.environ["PUAD"], os.environ.get("PUAD_DATA", "../shared/data")
PAGES = {"pump": ["pump.csv", "pump_new.csv", "--label-column", "label", "--positive", "fault"],
         "servers": ["servers.csv", "servers_new.csv", "--label-column", "label", "--positive", "alarm"],
         "bank": ["bank.csv", "bank_new.csv", "--label-column", "label", "--positive", "yes"],
         "donors": ["donors.csv", "--label-column", "label", "--positive", "exciting", "--id-column", "project"],
         "lungs": ["lungs", "lungs_new", "--unlabeled", "unlabeled", "--positive", "ill", "--epochs", "4"]}
if not os.path.isdir(os.path.join(DATA, "timeseries/skab")):
    print(f"skipped: no tables in {DATA}")
    sys.exit(77)
data, pictures = os.path.abspath(DATA), os.path.abspath(os.environ.get("PICTURES", "")) if os.environ.get("PICTURES") else None
PUAD = os.path.abspath(PUAD)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    report_files.make(data, folder)
    for name, words in PAGES.items():
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PUAD, "report", *words, "-q", "-o", name + ".html"], check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
        size = os.path.getsize(name + ".html")
        print(f"{name}: {seconds:.1f} s, {size / 1e6:.2f} MB")
        assert size < PAGE_BYTES_MAX and (seconds < SECONDS_MAX or name != "donors"), (name, size, seconds)
    if not browser.program():
        print("skipped the pages in a browser: no Chromium here (apt-get install chromium)")
    else:
        with browser.Browser() as on:
            for name in PAGES:
                on.open(name + ".html")
                for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
                    on.look(width, 900, dark=dark, mobile=width < 500)
                    assert on.run("document.documentElement.scrollWidth") <= width, (name, width)
                    if pictures:
                        on.picture(os.path.join(pictures, f"{name}-{width}-{'dark' if dark else 'light'}.png"), whole=True)
            assert on.messages == [], on.messages
            assert all(r.startswith(("file:", "data:", "about:")) for r in on.requests), on.requests
    os.chdir("/")
print(f"{len(PAGES)} passed, 0 failed")
sys.exit(0 if browser.program() else 77)
