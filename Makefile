# The front door. Everything real is in CMakeLists.txt; these targets set up what is missing and call it.
BUILD ?= build
CMAKE_FLAGS ?=
PUAD_DATA ?= ../shared/data
export PUAD_DATA

.PHONY: help demo deps build test test-sanitize test-thread test-fault test-valgrind test-real bench install wheel docs fuzz lint test-compilers test-arm format format-check clean

help:
	@echo 'make demo           set up, build, and run the main job on generated data'
	@echo 'make test           set up, build with warnings as errors, run all tests'
	@echo 'make deps           install the Debian or Ubuntu packages that building and testing need (as root)'
	@echo 'make build          build/puad, build/puad-lab, build/libpuad.so, build/libpuad.a'
	@echo 'make test-sanitize  the same tests under the address and undefined-behavior sanitizers, then make test-thread'
	@echo 'make test-thread    the tests that use threads under ThreadSanitizer'
	@echo 'make test-fault     failing memory, disks and streams, kills and damaged files, for some minutes'
	@echo 'make test-valgrind  the unit tests under valgrind'
	@echo 'make test-real      slow checks on real data in PUAD_DATA ($(PUAD_DATA))'
	@echo 'make test-compilers build with gcc-11, gcc-12 and clang-14, warnings as errors'
	@echo 'make test-arm       the tests of the library for 64-bit ARM, under qemu'
	@echo 'make lint           cppcheck, clang-tidy and the check of language; FAST=1: clang-tidy on changed files only'
	@echo 'make bench          speed beside PyTorch, onnxruntime, PyOD and DeepOD'
	@echo 'make fuzz           each fuzz target for FUZZ_SECONDS (60)'
	@echo 'make docs           build/site, the documentation as a site with navigation and search'
	@echo 'make wheel          dist/puad-*.whl, the Python package with the library in it'
	@echo 'make deb            Debian packages in dist/: libpuad1, libpuad-dev, puad, puad-lab, puad-serve'
	@echo 'make test-deb       install them in a clean Debian 12 root and uninstall them (root, debootstrap)'
	@echo 'make install        into DESTDIR, below PREFIX (/usr/local)'

# Only this target and those for tests install packages; make build reports what is missing.
deps:
	@tools/bootstrap build mpi test format onnx python

build:
	@tools/bootstrap --check build
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD)

demo:
	@tools/bootstrap build
	@$(MAKE) --no-print-directory build
	$(BUILD)/puad demo
	$(BUILD)/puad-lab demo

# Formatting is checked where clang-format 14 is installed, as tools/bootstrap does for 'make test'.
format-check:
	@if clang-format --version 2>/dev/null | grep -q 'version 14'; then \
	    git ls-files '*.c' '*.h' '*.inl' | xargs clang-format --dry-run -Werror; \
	else echo 'clang-format 14 is not installed: formatting is not checked'; fi

test: deps
	@tools/bootstrap browser || echo 'no Chromium: the test of the report page says what it skips'
	@tools/bootstrap fault || echo 'no strace: the tests of failing system calls say what they skip'
	@tools/bootstrap cluster || echo 'no Java or PySpark: the tests of Dask and Spark say what they skip'
	@$(MAKE) --no-print-directory format-check
	@cmake -S . -B $(BUILD) -G Ninja -DPUAD_TESTS=ON -DPUAD_WERROR=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc) -LE real

test-sanitize:
	@tools/bootstrap build mpi test onnx
	@cmake -S . -B build-sanitize -G Ninja -DPUAD_TESTS=ON -DPUAD_SANITIZE=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build build-sanitize
	@ctest --test-dir build-sanitize --output-on-failure --timeout 5400 --parallel $$(nproc) -LE real
	@$(MAKE) --no-print-directory test-thread

# A race ends its program; what it says goes to a file, as some tests throw the messages of a program away.
test-thread:
	@tools/bootstrap build mpi test
	@cmake -S . -B build-thread -G Ninja -DPUAD_TESTS=ON -DPUAD_SANITIZE=thread $(CMAKE_FLAGS) >/dev/null
	@cmake --build build-thread --target thread_tests
	@rm -f build-thread/race.*
	@TSAN_OPTIONS='halt_on_error=1 log_path=$(CURDIR)/build-thread/race' \
	    ctest --test-dir build-thread --output-on-failure --parallel $$(nproc) -L threads; \
	    status=$$?; if cat build-thread/race.* 2>/dev/null; then exit 1; fi; exit $$status

test-fault:
	@tools/bootstrap build mpi test
	@tools/bootstrap fault || echo 'no strace: the tests of failing system calls say what they skip'
	@cmake -S . -B $(BUILD) -G Ninja -DPUAD_TESTS=ON -DPUAD_WERROR=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD)
	@FAULT=long ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc) -L fault

test-valgrind:
	@tools/bootstrap build test memory
	@cmake -S . -B build-valgrind -G Ninja -DPUAD_TESTS=ON -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS) >/dev/null
	@cmake --build build-valgrind
	@tools/run_valgrind build-valgrind

test-real: build
	@tools/bootstrap build test bench
	@cmake -S . -B $(BUILD) -G Ninja -DPUAD_TESTS=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build $(BUILD)
	@ctest --test-dir $(BUILD) --output-on-failure -L real

bench: build
	@tools/bootstrap build peers
	@/usr/bin/python3 bench/against_torch.py --puad $(BUILD)/puad
	@/usr/bin/python3 bench/against_onnxruntime.py --build $(BUILD)
	@/usr/bin/python3 bench/fit_against_deep.py --puad $(BUILD)/puad

docs:
	@tools/bootstrap docs
	@tools/build_docs -o $(BUILD)/site

# Files without findings are not checked again until they, a header, the exceptions or the build flags change.
lint:
	@tools/language_check
	@tools/bootstrap build mpi lint
	@cmake -S . -B build-lint -G Ninja -DCMAKE_C_COMPILER=clang-14 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
	@tools/run_lint build-lint $(if $(FAST),--changed)

test-compilers:
	@tools/bootstrap build mpi compilers
	@for compiler in gcc-11 gcc-12 clang-14; do \
	    echo "$$compiler" && cmake -S . -B build-$$compiler -G Ninja -DCMAKE_C_COMPILER=$$compiler -DPUAD_WERROR=ON $(CMAKE_FLAGS) >/dev/null && \
	    cmake --build build-$$compiler || exit 1; done

# Debian's cross compiler and arm64 libraries; about ten minutes under qemu on two processors.
test-arm:
	@dpkg --print-foreign-architectures | grep -qx arm64 || dpkg --add-architecture arm64
	@tools/bootstrap arm
	@cmake -S . -B build-aarch64 -G Ninja --toolchain cmake/aarch64-linux-gnu.cmake -DPUAD_TESTS=ON \
	    -DPUAD_PROGRAM=OFF -DPUAD_WERROR=ON $(CMAKE_FLAGS) >/dev/null
	@cmake --build build-aarch64
	@ctest --test-dir build-aarch64 --output-on-failure --timeout 3600 --parallel $$(nproc)

fuzz:
	@tools/bootstrap build fuzz
	@tools/run_fuzz

install: build
	@cmake --install $(BUILD) --prefix "$(or $(PREFIX),/usr/local)"

deb:
	@tools/bootstrap build mpi deb
	@cmake -S . -B build-deb -G Ninja -DCMAKE_INSTALL_PREFIX=/usr $(CMAKE_FLAGS) >/dev/null
	@cmake --build build-deb
	@cd build-deb && cpack -G DEB -B ../dist >/dev/null && rm -rf ../dist/_CPack_Packages && ls ../dist/*.deb | sed 's,^../,,'

test-deb: deb
	@tools/bootstrap deb
	@tools/test_deb dist

wheel:
	@tools/bootstrap build python
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) >/dev/null
	@mkdir -p dist
	@cd bindings/python && PUAD_WHEEL_BUILD=$(abspath $(BUILD)) python3 -c 'import sys; sys.path.insert(0, "backend"); \
	    import puad_build; print("dist/" + puad_build.build_wheel("../../dist"))'

format:
	@git ls-files '*.c' '*.h' '*.inl' | xargs clang-format -i

clean:
	@rm -rf build build-sanitize build-thread build-valgrind build-fuzz build-lint build-aarch64 build-deb build-gcc-11 build-gcc-12 build-clang-14
