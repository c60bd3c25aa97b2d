# The front door: CMake does the work, in $(BUILD); `make help` lists what there is to ask for.
#
# CC chooses the compiler, CMAKE_FLAGS goes to CMake (-DWEDGE_WERROR=ON), CTEST_FLAGS to CTest (-R t100), JOBS says how
# many at once, BUDGET how many seconds `make run` measures. SETUP=: leaves the machine as it is.
#
# SPDX-License-Identifier: MIT
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUDGET ?= 20
SETUP ?= tools/setup
MAKEFLAGS += --no-print-directory

# The compiler that was asked for; CMake drops all settings when it changes, so a folder that knows another starts afresh.
compiler = $(if $(filter-out default undefined,$(origin CC)),$(shell command -v $(firstword $(CC)) || echo $(CC)))
stale = $(if $(compiler),$(if $(shell grep -s '^CMAKE_C_COMPILER:[A-Z]*=$(compiler)$$' $(BUILD)/CMakeCache.txt),,\
    rm -rf $(BUILD)/CMakeCache.txt $(BUILD)/CMakeFiles &&))
jobs = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j $(JOBS))

# $(call build,ON or OFF: with the tests)
define build
@command -v cmake >/dev/null || { echo "make: no cmake here: type tools/setup run" >&2; exit 1; }
@$(stale) cmake -S . -B $(BUILD) -DBUILD_TESTING=$(1) -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX)) \
    $(addprefix -DCMAKE_C_COMPILER=,$(compiler)) $(CMAKE_FLAGS) >/dev/null
+@cmake --build $(BUILD) $(jobs)
endef

# Files that git knows or would add; without git, all that are there.
files = $(patsubst ./%,%,$(wildcard $(shell git ls-files -co --exclude-standard $(1) 2>/dev/null || \
    find . -name 'build*' -prune -o -type f \( -false $(patsubst %,-o -name %,$(1)) \) -print)))

.PHONY: all run test lint install package wheel clean help
.NOTPARALLEL:

all: ## build $(BUILD)/wedge and $(BUILD)/libwedge.so
	$(call build,OFF)

run: ## list the devices, compute the distances of 10,000 points, draw, certify and time the maps
	@$(SETUP) run
	$(call build,OFF)
	@echo && $(BUILD)/wedge devices
	@awk 'BEGIN { srand(1); for (i = 0; i < 10000; ++i) print rand() "," rand() "," rand() }' >$(BUILD)/points.csv
	@echo && echo "wedge edm $(BUILD)/points.csv -o $(BUILD)/distances.npy --dtype f32"
	@$(BUILD)/wedge edm $(BUILD)/points.csv -o $(BUILD)/distances.npy --dtype f32 --force --verbose
	@echo && $(BUILD)/wedge map --draw 8 --map hmap
	@echo && $(BUILD)/wedge certify --rows 10000
	@echo && $(BUILD)/wedge bench map --n 4096 --budget $(BUDGET)

test: ## build the tests and run them on every device found
	@$(SETUP) test
	$(call build,ON)
	@nvrtc=$$(find "$(CURDIR)/build/nvrtc" -name 'libnvrtc.so.[0-9]*' 2>/dev/null | head -n 1); \
	[ -n "$$WEDGE_NVRTC" ] || [ -z "$$nvrtc" ] || export WEDGE_NVRTC="$$nvrtc"; \
	cd $(BUILD) && ctest --output-on-failure --no-tests=error -j $(JOBS) $(CTEST_FLAGS)

lint: ## clang-format, cppcheck and shellcheck without a complaint, and a licence line in every file
	@$(SETUP) lint
	@clang-format --dry-run -Werror $(call files,'*.c' '*.h' '*.cl' '*.cu')
	@cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --max-configs=4 \
	    --suppress=toomanyconfigs '--suppress=shiftTooManyBits:tests/*' -j $(JOBS) -I include -I src -I cli \
	    $(filter-out tests/alone/%,$(call files,'*.c'))
	@shellcheck --severity=warning $$(grep -l '^#!.*sh$$' .ci/* tools/*) $(call files,'*.sh')
	@! grep -L 'SPDX-License-Identifier: MIT' Makefile .ci/* tools/* $(call files,'*.c' '*.h' '*.cl' '*.cu' '*.py' '*.sh' '*.cmake' '*.in' \
	    '*.toml' '*CMakeLists.txt' '*requirements.txt' '*.cff' '*.dict') | sed 's/$$/: no SPDX line/' | grep .
	@echo "lint: clean"

install: ## install into PREFIX (/usr/local), below DESTDIR where that is set
	@[ $(words $(PREFIX)) -eq 1 ] || { echo "make: PREFIX must have no blanks: '$(PREFIX)'" >&2; exit 2; }
	$(call build,OFF)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)

package: ## a .deb and a .tar.gz of what install installs, in $(BUILD)
	$(call build,OFF)
	@umask 022 && cd $(BUILD) && cpack && rm -f wedge-*.json # CPack's note about the .tar.gz

wheel: ## a manylinux wheel of the Python package in $(BUILD), tested in a fresh virtual environment
	$(call build,OFF)
	@tools/wheel-test $(BUILD)

clean: ## remove $(BUILD)
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | sed 's|$$(BUILD)|$(BUILD)|g' | \
	    while IFS='|' read -r door what; do printf '%-14s %s\n' "$$door" "$$what"; done
	@echo "CC=clang BUILD=build-clang: another compiler in a folder of its own"
