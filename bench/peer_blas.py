"""The linear algebra library that PyTorch uses in this process. The reference BLAS is 5 to 10 times slower than common ones, so a
comparison with it would be unfair, and benches reject it."""
import re
import sys


def name():
    import torch
    torch.ones(64, 64) @ torch.ones(64, 64)  # loads libraries that are loaded lazily
    settings = torch.__config__.show()
    if torch.backends.mkl.is_available():
        version = re.search(r"Math Kernel Library Version (\S+)", settings)
        return "MKL " + version[1] if version else "MKL"
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = set(re.findall(r"\S*/lib(?:openblas|blis|mkl|blas|atlas|cblas)[^/\s]*", maps.read()))
    for wanted in ("openblas", "mkl", "blis", "atlas"):
        found = sorted(file for file in files if wanted in file)
        if found:
            return found[0]
    return "reference BLAS " + (sorted(files)[0] if files else "of unknown origin")


def checked():
    found = name()
    if found.startswith("reference"):
        sys.exit(f"this PyTorch uses the {found}, which gives unfair comparisons: install libopenblas0-pthread, or use 'tools/bootstrap peers'")
    return found
