"""puad serve: scores over HTTP are those of `puad score`; damaged, large and slow requests are refused while others are served;
a new model file is taken into service without a failed request. Needs puad-serve beside the program."""
import csv
import http.client
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import *

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
SLOW = 10 if os.environ.get("SANITIZE", "OFF") not in ("", "OFF") else 1
if not os.path.exists(PUAD + "-serve"):
    print("skipped: needs puad-serve beside the program")
    sys.exit(77)
folder = tempfile.mkdtemp()
COLUMNS = ["amount", "hour", "country"]


def rows_of(count, seed):
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        odd = i % 10 == 0
        rows.append([f"p{i}", round(draw.gauss(90 if odd else 20, 5), 3), round(draw.gauss(12, 4), 2),
                     "abroad" if odd or i % 7 == 0 else "home", "1" if odd and i % 20 == 0 else "0"])
    return rows


def write(name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["id", *COLUMNS, "label"], *rows])
    return path


def fit(name, seed):
    path = os.path.join(folder, name)
    subprocess.run([PUAD, "fit", write("train.csv", rows_of(1200, seed)), "--label-column", "label", "--id-column", "id", "--calibrate",
                    "--quiet", "-o", path], check=True, capture_output=True)
    return path


class Service:
    def __init__(self, model, *options):
        self.log = open(os.path.join(folder, "access.log"), "w+")
        self.process = subprocess.Popen([PUAD, "serve", model, "--listen", "127.0.0.1:0", *options], stdout=self.log,
                                        stderr=subprocess.PIPE, text=True)
        self.first = self.process.stderr.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", self.first)
        assert found, self.first + self.process.stderr.read()
        self.port = int(found[1])

    def ask(self, path, body=None, method=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method or ("POST" if body is not None else "GET"), path, body,
                           {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(60)
        self.rest = self.process.stderr.read()
        return status


model = fit("m.safetensors", 1)
new = rows_of(40, 2)
new_path = write("new.csv", new)
objects = json.dumps([dict(zip(COLUMNS, row[1:4])) for row in new])
scored = subprocess.run([PUAD, "score", model, new_path, "--flag-rate", "0.05", "--quiet"], capture_output=True, text=True, check=True).stdout
expected = list(csv.DictReader(io.StringIO(scored)))
service = Service(model, "--flag-rate", "0.05", "--max-rows", "50", "--max-body", "20000", "--timeout", "2")


@test
def json_scores_are_those_of_score():
    status, text = service.ask("/score", objects)
    answer = json.loads(text)
    check(status == 200 and answer["schema"] == 1, text[:200])
    for i, row in enumerate(expected):
        check(float(row["score"]) == answer["score"][i], f"row {i}: {row['score']} and {answer['score'][i]}")
        check(abs(float(row["p_value"]) - answer["p_value"][i]) < 1e-6, f"p of row {i}")
    check(any(answer["flag"]) and not all(answer["flag"]), answer["flag"])


@test
def csv_scores_are_those_of_score():
    with open(new_path) as file:
        status, text = service.ask("/score", file.read(), Content_Type="text/csv")
    check(status == 200, text)
    answer = list(csv.DictReader(io.StringIO(text)))
    check([row["score"] for row in answer] == [row["score"] for row in expected], text)
    check([row["id"] for row in answer] == [row[0] for row in new], text)


@test
def arrays_and_tensors_score_alike():
    wanted = json.loads(service.ask("/score", objects)[1])["score"]
    arrays = json.dumps({"columns": COLUMNS, "rows": [row[1:4] for row in new]})
    check(json.loads(service.ask("/score", arrays)[1])["score"] == wanted, "arrays")
    tensors = json.dumps({"id": "7", "inputs": [
        {"name": name, "shape": [len(new), 1], "datatype": "BYTES" if name == "country" else "FP64", "data": [row[1 + i] for row in new]}
        for i, name in enumerate(COLUMNS)]})
    answer = json.loads(service.ask("/v2/models/m/infer", tensors)[1])
    check(answer["id"] == "7" and answer["model_name"] == "m", answer)
    check(next(out for out in answer["outputs"] if out["name"] == "score")["data"] == wanted, "tensors")
    described = json.loads(service.ask("/v2/models/m")[1])
    check({tensor["name"] for tensor in described["inputs"]} >= set(COLUMNS), described)


@test
def reasons_and_notes():
    answer = json.loads(service.ask("/score?explain=2", json.dumps([{"amount": 500, "hour": 3, "country": "home"}]))[1])
    check(len(answer["reasons"]) == 1 and "amount" in json.dumps(answer["reasons"][0]), answer)
    answer = json.loads(service.ask("/score", json.dumps([{"amount": 500, "country": "home", "shoe": 1}]))[1])
    check("hour" in json.dumps(answer["notes"]), answer)


@test
def damaged_requests_are_refused_with_a_reason():
    for body, *facts in (("{", "JSON"), ("[1, 2]", "row 0"), ('[{"amount": [1]}]', "amount", "row 0"), ("5", "rows"), ("[{}]\0", "NUL"),
                         ('[{"amount": 1}, 5]',), ('{"columns": ["a", "a"], "rows": [[1, 2]]}', "'a'"),
                         ('{"columns": ["amount", "hour"], "rows": [[1]]}', "row 0", "2"), ("[" * 5000,),
                         ('{"inputs": [{"name": "amount", "shape": [1e300], "data": []}]}', "amount"),
                         ('{"inputs": [{"name": "amount", "shape": [3], "data": [1]}]}', "amount"),
                         (json.dumps([{"amount": 1}] * 51), "51", "50"), ('[{"shoe": 1}]', "amount")):
        status, text = service.ask("/score", body)
        check(status == 400 and has(json.loads(text)["error"], *facts), f"{body[:60]}: {status} {text}")
    for body in (b"\x1f\x8b\x08\0", b"PK\3\4", b"\x93NUMPY", b"a,b\n\xff,1\n"):
        check(service.ask("/score", body, Content_Type="text/csv")[0] == 400, body)
    check(service.ask("/nosuch")[0] == 404 and service.ask("/v2/models/other")[0] == 404, "paths")
    check(service.ask("/score")[0] == 405 and service.ask("/health", "x")[0] == 405, "methods")
    check(service.ask("/score?explain=-1", objects)[0] == 400, "explain")


@test
def large_bodies_are_refused():
    check(service.ask("/score", "[" + " " * 20000 + "]")[0] == 413, "announced")
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    try:
        connection.request("POST", "/score", iter([b" " * 1000] * 100), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        status = connection.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        status = 413  # closed while the body was sent
    check(status == 413, status)
    check(service.ask("/health")[0] == 200, "alive")


@test
def slow_clients_are_closed_and_others_are_served():
    slow = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(20)]
    begun = time.monotonic()
    for i, one in enumerate(slow):
        one.sendall(b"POST /score HTTP/1.1\r\nHost: x\r\n" if i % 2 else b"POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[")
    closed = set()
    while len(closed) < len(slow) and time.monotonic() - begun < 15 * SLOW:
        for i, one in enumerate(slow):
            try:
                one.sendall(b"x")  # one byte now and then
                one.setblocking(False)
                if one.recv(1) == b"":
                    closed.add(i)
            except BlockingIOError:
                pass
            except OSError:
                closed.add(i)
            finally:
                one.setblocking(True)
        check(service.ask("/score", objects)[0] == 200, "others")
        time.sleep(0.2)
    check(len(closed) == len(slow), f"{len(closed)} of {len(slow)} closed")


@test
def requests_that_wait_for_a_late_service_are_answered():
    connections = [http.client.HTTPConnection("127.0.0.1", service.port, timeout=60) for _ in range(24)]
    for one in connections:
        one.connect()
    time.sleep(0.5)
    service.process.send_signal(signal.SIGSTOP)
    with open(new_path) as file:
        table = file.read()  # CSV, which is not part of the drift sample
    for one in connections:
        one.request("POST", "/score", table, {"Content-Type": "text/csv"})
    time.sleep(3)  # longer than --timeout
    service.process.send_signal(signal.SIGCONT)
    answered = 0
    for one in connections:
        try:
            answered += one.getresponse().status == 200
        except (ConnectionError, http.client.HTTPException):
            pass
        one.close()
    check(answered == len(connections), f"{answered} of {len(connections)} answered")


@test
def metrics_count():
    def value(text, name):
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)[1])

    def settled():
        """A request is counted once its response is out, so a client may be faster: waits until only its own requests are new."""
        page = service.ask("/metrics")[1]
        for _ in range(50 * SLOW):
            time.sleep(0.1)
            later = service.ask("/metrics")[1]
            if value(later, 'puad_requests_total{status="2xx"}') == value(page, 'puad_requests_total{status="2xx"}') + 1:
                return later
            page = later
        raise AssertionError(page)

    before = settled()
    service.ask("/score", objects)
    after = settled()
    check(value(after, "puad_rows_total") == value(before, "puad_rows_total") + 40, "rows")
    check(value(after, 'puad_requests_total{status="2xx"}') >= value(before, 'puad_requests_total{status="2xx"}') + 2, "requests")
    check(value(after, "puad_request_seconds_count") > 0 and value(after, "puad_model_version") == 1, "histogram, version")


@test
def drift_is_counted():
    shifted = json.dumps([{"amount": row[1] * 1000, "hour": row[2], "country": row[3]} for row in new])
    for _ in range(55):
        service.ask("/score", shifted)
    for _ in range(50 * SLOW):
        page = service.ask("/metrics")[1]
        if 'puad_drift_warnings_total{warning="' in page:
            break
        time.sleep(0.2)
    check('column="amount"' in page, re.findall("puad_drift.*", page))


@test
def a_new_model_is_served_without_a_failed_request():
    other = fit("other.safetensors", 5)
    first, second = open(model, "rb").read(), open(other, "rb").read()
    failures, versions, done = [], set(), threading.Event()

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        while not done.is_set():
            try:
                connection.request("POST", "/score", objects)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != 200:
                    failures.append(text)
                versions.add(json.loads(text)["model_version"])
            except Exception as problem:
                failures.append(repr(problem))
                return

    clients = [threading.Thread(target=client) for _ in range(24)]
    for one in clients:
        one.start()
    for i in range(20):
        with open(model + ".new", "wb") as file:
            file.write((second, first)[i % 2])
        os.replace(model + ".new", model)
        service.process.send_signal(signal.SIGHUP)
        time.sleep(0.1 * SLOW)
    done.set()
    for one in clients:
        one.join()
    check(not failures, failures[:3])
    check(len(versions) > 2, versions)


@test
def a_damaged_model_file_changes_nothing():
    version = json.loads(service.ask("/health")[1])["model_version"]
    with open(model + ".new", "wb") as file:
        file.write(b"damaged")
    os.replace(model + ".new", model)
    for _ in range(50 * SLOW):
        page = service.ask("/metrics")[1]
        if re.search(r"^puad_model_reload_failures_total [1-9]", page, re.M):
            break
        time.sleep(0.1)
    check(re.search(r"^puad_model_reload_failures_total 1$", page, re.M), "failures")
    check(json.loads(service.ask("/health")[1])["model_version"] == version and service.ask("/score", objects)[0] == 200, "still served")


@test
def sigterm_ends_it_and_each_request_is_one_line_of_the_log():
    service.ask("/\"\n\x01x".replace("\n", "%0a").replace("\x01", "%01").replace('"', "%22"))
    check(service.end() == 0, "exit status")
    check("m.safetensors" in service.rest, service.rest)
    service.log.seek(0)
    lines = service.log.read().splitlines()
    check(len(lines) > 60 and all(re.fullmatch(r'\S+Z \S+ "[^"]*" \d{1,3} \d+ bytes \d+ rows \S+ ms', line) for line in lines), lines[-3:])


@test
def unsupported_models_are_rejected_at_start():
    for words, code, fact in ((["nosuch.safetensors"], 1, "nosuch.safetensors"), ([new_path], 1, "new.csv"),
                              ([os.path.join(folder, "other.safetensors"), "--listen", "nowhere"], 2, "nowhere")):
        done = subprocess.run([PUAD, "serve", *words], capture_output=True, text=True, timeout=60)
        check(done.returncode == code and fact in done.stderr, f"{words}: {done.returncode} {done.stderr}")


service.process.kill()
shutil.rmtree(folder, ignore_errors=True)
finish()
