"""The build backend (PEP 517) of the wheel: CMake builds libpuad.so and the program, which are packed with the libraries they need.

The package is Python and loads the library by ctypes, so one wheel serves every Python version; its tag names the oldest glibc that
works. The backend needs no Python package, so the wheel can be built without access to a registry.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

from old_glibc import lower_versions, newest_version
from puad_headers import Headers

HERE = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|gcc_s)|ld-linux.*|linux-vdso)\.so")  # part of any Linux; all others go into the wheel
SOURCES = ["CMakeLists.txt", "LICENSE", "cli", "cmake", "include", "plot", "src", "tools"]
PROGRAM = "puad/lib/puad"


def source_folder():
    """The clone that contains this folder, or the copy of it in a source distribution."""
    for folder in (HERE / "native", HERE.parent.parent):
        if (folder / "CMakeLists.txt").exists():
            return folder
    raise RuntimeError("the C sources of puad are missing: build the package inside a clone of the project")


def project():
    """Name, version and other fields of pyproject.toml (tomllib exists only since Python 3.11)."""
    text = (HERE / "pyproject.toml").read_text()
    found = dict(re.findall(r'^(name|version|description|requires-python) = "(.*)"$', text, re.M))
    found["dependencies"] = re.findall(r'"(.*?)"', re.search(r"^dependencies = \[(.*?)\]", text, re.M).group(1))
    found["extras"] = {
        name: re.findall(r'"(.*?)"', listed)
        for name, listed in re.findall(
            r"^(\w+) = \[(.*?)\]", text.split("[project.optional-dependencies]")[1].split("\n[")[0], re.M
        )
    }
    return found


def metadata_text():
    about = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        "License: Apache-2.0",
        f"Requires-Python: {about['requires-python']}",
        "Classifier: Operating System :: POSIX :: Linux",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Requires-Dist: {each}" for each in about["dependencies"]]
    for extra, listed in about["extras"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {each}; extra == "{extra}"' for each in listed]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()


def notice(library):
    """The license notice of a library's package that the system has, or None."""
    for path in (str(library), str(library).replace("/usr/lib", "/lib", 1)):  # dpkg may know either
        try:
            found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True).stdout
        except OSError:
            return None
        text = pathlib.Path("/usr/share/doc") / found.split(":")[0] / "copyright"
        if found and text.exists():
            return text.read_bytes()
    return None


def configure(source, build):
    """Without Cairo's headers the wheel has only the library."""
    drawing = shutil.which("pkg-config") and subprocess.run(["pkg-config", "--exists", "cairo"], check=False).returncode == 0
    if not drawing:
        print("puad: cairo is not installed, so the program 'puad' is not built into the package", file=sys.stderr)
    flags = [f"-DPUAD_PROGRAM={'ON' if drawing else 'OFF'}", "-DPUAD_LAB=OFF", "-DPUAD_SERVE=OFF", "-DPUAD_MPI=OFF", "-DCMAKE_BUILD_TYPE=Release"]
    flags += ["-G", "Ninja"] if shutil.which("ninja") else []
    flags += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    subprocess.run(["cmake", "-S", source, "-B", build, *flags], check=True, stdout=sys.stderr)


def build_library(into, notices=None):
    """Puts libpuad.so, the program and their libraries into the folder `into`, and license notices into the dict `notices`."""
    source = source_folder()
    build = pathlib.Path(os.environ.get("PUAD_WHEEL_BUILD") or source / "build-wheel")
    if not shutil.which("cmake"):
        raise SystemExit("puad: building the package from source needs cmake, a C compiler and the headers of zlib, zstd, xz, libpng, libjpeg and cJSON")
    if not (build / "CMakeCache.txt").exists():
        configure(source, build)
    jobs = os.environ.get("PUAD_WHEEL_JOBS", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", build, "--target", "puad_wheel", "--parallel", jobs], check=True, stdout=sys.stderr)
    library, program = build / "bundled" / "libpuad.so", build / "bundled" / "puad"
    for path in (library, program):
        if path.exists():
            shutil.copy(path, into / path.name)
            subprocess.run(["strip", "--strip-debug", str(into / path.name)], check=False)
    linked = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", linked, re.M):
        if SYSTEM.match(name):
            continue
        path = pathlib.Path(path).resolve()
        shutil.copy(path, into / name)
        text = notice(path)
        if text is None:
            print(f"puad: no license notice of {name} was found: add one before you distribute the wheel", file=sys.stderr)
        elif notices is not None:
            notices[name.split(".so")[0] + ".txt"] = text
    for path in into.iterdir():
        path.write_bytes(lower_versions(path.read_bytes()))


def api_module():
    """puad/_api.py, generated from the headers."""
    return Headers(source_folder() / "include" / "puad").module().encode()


def platform_tag(folder):
    """manylinux_2_N for the newest version of glibc that one of the files needs."""
    newest = max([(2, 17)] + [newest_version(path.read_bytes()) for path in folder.iterdir()])
    machine = sysconfig.get_platform().rsplit("-", 1)[-1].replace("-", "_").replace(".", "_")
    return f"manylinux_{newest[0]}_{newest[1]}_{machine}"


def write_wheel(wheel_directory, files, tag, notices=None):
    """Writes a wheel of {path in it: bytes} and {name: license notice}, including RECORD."""
    about = project()
    stem = f"{about['name']}-{about['version']}"
    wheel = f"Wheel-Version: 1.0\nGenerator: puad_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        **files,
        f"{stem}.dist-info/METADATA": metadata_text().encode(),
        f"{stem}.dist-info/WHEEL": wheel.encode(),
        f"{stem}.dist-info/entry_points.txt": b"[console_scripts]\npuad = puad.__main__:main\n",
        f"{stem}.dist-info/LICENSE": (source_folder() / "LICENSE").read_bytes(),
        **{f"{stem}.dist-info/licenses/{name}": text for name, text in (notices or {}).items()},
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    name = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.writerow([path, f"sha256={digest}", len(content)])
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if path == PROGRAM else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
        rows.writerow([f"{stem}.dist-info/RECORD", "", ""])
        archive.writestr(zipfile.ZipInfo(f"{stem}.dist-info/RECORD", (2020, 1, 1, 0, 0, 0)), record.getvalue())
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as temporary:
        libraries = pathlib.Path(temporary)
        notices = {}
        build_library(libraries, notices)
        files = {f"puad/{path.name}": path.read_bytes() for path in (HERE / "puad").glob("*") if path.suffix in (".py", ".typed")}
        files["puad/_api.py"] = api_module()
        files.update({f"puad/lib/{path.name}": path.read_bytes() for path in libraries.iterdir()})
        return write_wheel(wheel_directory, files, f"py3-none-{platform_tag(libraries)}", notices)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    folder = HERE / "puad" / "lib"
    folder.mkdir(exist_ok=True)
    build_library(folder)
    (HERE / "puad" / "_api.py").write_bytes(api_module())
    return write_wheel(wheel_directory, {"puad.pth": f"{HERE}\n".encode()}, f"py3-none-{platform_tag(folder)}")


def build_sdist(sdist_directory, config_settings=None):
    about = project()
    stem = f"{about['name']}-{about['version']}"
    leave_out = lambda entry: None if "__pycache__" in entry.name or "/puad/lib" in entry.name or entry.name.endswith("/puad/_api.py") else entry
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "backend", "puad", "tests"):
            archive.add(HERE / name, f"{stem}/{name}", filter=leave_out)
        for name in SOURCES:
            archive.add(source_folder() / name, f"{stem}/native/{name}", filter=leave_out)
        text = metadata_text().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return f"{stem}.tar.gz"
