# `make` without a target lists the targets. Each target installs the Debian packages that it needs. Only a Swift
# toolchain is required beforehand.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
# Recorded logs of real receivers, which are not part of this repository.
CAPTURES ?= $(or $(SEXTANT_SHARED),../shared)/captures

release := .build/release
packages := .build/packages
build_packages := libsqlite3-dev libsystemd-dev libudev-dev libmosquitto-dev libsodium-dev libtomlplusplus-dev libcurl4-openssl-dev pkg-config
test_packages := $(build_packages) mosquitto openssl python3 python3-venv umockdev gpsd-clients python3-gps
lint_packages := systemd udev umockdev man-db groff-base binutils python3 shellcheck
conformance_packages := gpsd gpsd-clients gpsd-tools python3-gps libgps-dev gcc libc6-dev libnet-gpsd3-perl chrony tmux python3 python3-venv geoclue-2.0 geoclue-2-demo dbus xvfb navit navit-gui-gtk foxtrotgps collectd-core direwolf xdg-desktop-portal xdg-desktop-portal-gtk python3-gi
bench_packages := gpsd valgrind gcc libc6-dev python3
fuzz_packages := $(build_packages) python3
deb_packages := $(build_packages) debhelper dh-apparmor dpkg-dev lintian python3 binutils
deb_test_packages := mmdebstrap python3
vm_packages := mmdebstrap qemu-system-x86 qemu-utils e2fsprogs busybox-static cpio python3

.PHONY: help setup setup-test setup-lint setup-bench setup-fuzz setup-deb recorded-logs
# The modules with a documentation of their own.
documented := CoreLocation SextantClient Varlink Chronology Geodesy NMEA Positioning Geofencing Locator

.PHONY: build debug run first-paste picture places test check generate docs kill-test permission-events leak-test fleet-test fleet-figures goldens calibration moved-fixes motion fences commuter places-data order lint linkage bench conformance conformance-short bridge-kill-test attack soak fuzz
.PHONY: deb check-deb check-client test-deb vm-test release install uninstall clean

# Each line with `## DESCRIPTION | EXAMPLE` after the target is part of this list.
help: ## List the targets | make help
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\) | \(.*\)/\1\n\2\n\3/p' $(MAKEFILE_LIST) | \
	    while read -r target && read -r description && read -r example; do \
	        printf '  %-12s %s\n  %-12s     %s\n' "$$target" "$$description" '' "$$example"; \
	    done

setup: ## Install the missing Debian packages that the build needs | make setup
	@packaging/need-packages.sh $(build_packages)

setup-test: .build/venv/ready
	@packaging/need-packages.sh $(test_packages)

setup-lint:
	@packaging/need-packages.sh $(lint_packages)

setup-bench: setup
	@packaging/need-packages.sh $(bench_packages)

setup-fuzz:
	@packaging/need-packages.sh $(fuzz_packages)

.build/venv/ready: packaging/test-requirements.txt
	@packaging/need-packages.sh $(test_packages)
	rm -rf .build/venv
	python3 -m venv .build/venv
	.build/venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

setup-deb:
	@packaging/need-packages.sh $(deb_packages)

recorded-logs:
	@test -d '$(CAPTURES)' || { echo 'There is no folder $(CAPTURES). Name a folder of recorded logs: CAPTURES=FOLDER' >&2; exit 1; }

# Omit debug information: it doubles the size of the programs, and valgrind of Debian 12 cannot read DWARF 5. The symbols
# stay.
without_debug_information = -Xlinker -S
# The same source gives the same programs in every folder. Assertions in C++ headers contain the name of their file: it is
# written without the folder of the build. The build ID is a hash of a section that `make install` clears.
without_build_path = -Xcxx -ffile-prefix-map=$(CURDIR)/= -Xlinker --build-id=none
# Resolve all functions at the start, so that the table of their addresses is write-protected. Start time and private
# memory stay the same.
hardening = -Xlinker -z -Xlinker now
# Keep one of several functions with the same code, and none that nothing refers to: the programs are 6 % smaller. Swift
# compares no addresses of functions.
folding = -Xlinker --gc-sections -Xlinker --icf=all
# Each function in a section of its own, so that the linker can order them (packaging/*.order). Package.swift cannot say
# so: other packages could then not depend on the libraries.
function_sections = -Xswiftc -Xfrontend -Xswiftc -function-sections
release_options = -c release --static-swift-stdlib $(without_debug_information) $(without_build_path) $(hardening) \
    $(folding) $(function_sections)
# Builds a development tool or a benchmark for release, beside the programs.
build_tool = SEXTANT_TOOLS=1 $(SWIFT) build $(release_options) --product $(1) >&2

# Package.swift adds this directory to the search path of the linker. If there is no static C++ library, the shared one
# is linked.
.build/static/libstdc++.a:
	@mkdir -p $(@D)
	@library=$$(clang -print-file-name=libstdc++.a || true); if [ -e "$$library" ]; then ln -sf "$$library" $@; fi

build: setup .build/static/libstdc++.a ## Build the release programs into .build/release | make build
	$(SWIFT) build $(release_options)

debug: setup ## Build the programs with checks and debug information into .build/debug | make debug
	$(SWIFT) build

run: build ## Simulate a receiver, run the daemon and show the position live until Ctrl-C | make run CAPTURE=captures/tunnel.nmea DURATION=10
	@$(release)/sextant demo $(if $(DURATION),--duration $(DURATION)) $(or $(CAPTURE),captures/demo.nmea)

first-paste: build ## Run the README's first commands 100 times in a script and in a terminal | make first-paste RUNS=10
	@packaging/first-paste.sh

picture: build ## Draw sextant watch as docs/watch.svg, the picture in the README | make picture
	packaging/screenshot.py

# Tests of libraries with Swift concurrency have a process of their own: tests that wait in other targets occupy all threads
# of the concurrency pool.
concurrent_tests := CoreLocation|SextantClientTests|VarlinkClientTests
filter_option = $(if $(FILTER),--filter '$(FILTER)')

# Tests that convert dates in their own process expect UTC.
check test: export TZ = UTC
# The same build as that of the other commands with tests, which need a tool.
test kill-test permission-events leak-test: export SEXTANT_TOOLS = 1
test: setup setup-test ## Run all tests, or those of one target | make test FILTER=NMEATests
	@.ci/test $(SWIFT) test $(or $(filter_option),--skip '$(concurrent_tests)')
	@$(if $(FILTER),,.ci/test $(SWIFT) test --skip-build --filter '$(concurrent_tests)')

check: ## Build and test the pure targets alone, after each small change | make check FILTER=NMEATests
	@SEXTANT_PURE=1 .ci/test $(SWIFT) test --scratch-path .build/pure $(filter_option)

kill-test: setup ## Kill the daemon at random times under load; check that no event or decision is lost or invented | make kill-test KILLS=200
	SEXTANT_KILLS=$(or $(KILLS),200) $(SWIFT) test --filter 'DaemonTests.*Kills'

visit-kill-test: build ## Kill the daemon while visits begin and end and events start programs; none may be lost or invented | make visit-kill-test KILLS=1000
	@packaging/need-packages.sh gcc libc6-dev python3
	Tools/visits/kills.py $(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED))

permission-events: setup ## Apply random events to the permissions in any order; compare each verdict with the rules | make permission-events EVENTS=10000000
	SEXTANT_EVENTS=$(or $(EVENTS),10000000) $(SWIFT) test --filter 'PermissionRandomTests'

leak-test: setup ## Cancel programs of the Swift libraries while the daemon restarts; no descriptor, object or demand may stay | make leak-test CANCELLATIONS=1000 RESTARTS=200
	SEXTANT_CANCELLATIONS=$(or $(CANCELLATIONS),1000) SEXTANT_RESTARTS=$(or $(RESTARTS),200) \
	    $(SWIFT) test --filter 'LeakTests|DaemonTransportTests.*cancellations'

docs: setup ## Build the documentation of the libraries into .build/docs | make docs
	@mkdir -p .build/docs
	@for module in $(documented); do \
	    SEXTANT_DOCS=1 $(SWIFT) package --scratch-path .build-docs --allow-writing-to-directory .build/docs \
	        generate-documentation --target $$module --output-path .build/docs/$$module \
	        --transform-for-static-hosting --hosting-base-path $$module || exit 1; \
	done

generate: ## Write Sources/API/SextantAPI/Generated from the interface files | make generate
	SEXTANT_TOOLS=1 $(SWIFT) run generate-api .

goldens: setup ## Regenerate the expected results in captures/golden from replay; review the diff | make goldens
	$(SWIFT) build --product sextant
	captures/make-goldens.sh

calibration: setup recorded-logs ## Count how often the true position is within the accuracy, over recorded logs | make calibration CAPTURES=FOLDER JSON=1
	@SEXTANT_TOOLS=1 $(SWIFT) build --product calibrate >&2
	@.build/debug/calibrate $(if $(JSON),--json) $(CAPTURES)

moved-fixes: build recorded-logs ## Move one fix of each recorded log at random; the accuracy of the others must stay | make moved-fixes MOVES=40 SEED=2
	Tools/moved-fixes.py $(if $(MOVES),--moves $(MOVES)) $(if $(SEED),--seed $(SEED)) $(release)/sextant $(filter-out %.ubx,$(wildcard $(CAPTURES)/recorded/*))

motion: build recorded-logs ## Report the results of the motion detector for recorded logs | make motion CAPTURES=FOLDER
	@$(call build_tool,MotionReport)
	@$(release)/MotionReport $(CAPTURES)

commuter: build ## Simulate a commuter's day with fences, with one stream and without clients; check energy and delays | make commuter SEEDS=12
	Benchmarks/commuter-day $(if $(SEEDS),--seeds $(SEEDS))

places-data:
	@packaging/need-packages.sh python3 python3-venv
	@if [ ! .build/places/ready -nt Tools/places/fetch.py ]; then \
	    { python3 -m venv .build/places/venv && \
	        .build/places/venv/bin/python -m pip install --quiet --disable-pip-version-check -r Tools/places/requirements.txt && \
	        .build/places/venv/bin/python Tools/places/fetch.py .build/places/data && touch .build/places/ready; } || \
	    { echo 'make places: SKIPPED, because the data to compare with cannot be fetched' >&2; exit 0; }; \
	fi

places: build places-data ## Import a gazetteer and compare the names with data of others; print size, time and memory | make places JSON=1
	@if [ -e .build/places/ready ]; then \
	    $(call build_tool,PlaceTimes) && \
	    Tools/places/figures.py $(if $(JSON),--json) .build/places/data; \
	fi

# With PROGRAMS, only for these.
ordered := sextantd sextant-bridge sextant-places
order: $(if $(filter sextant-places,$(or $(PROGRAMS),sextant-places)),places-data) ## Record which functions the programs execute, for the linker | make order PROGRAMS=sextantd
	@packaging/need-packages.sh python3 valgrind
	@mkdir -p .build/order
	SEXTANT_LINK_MAPS=$(CURDIR)/.build/order $(MAKE) build
	@for program in $(or $(PROGRAMS),$(ordered)); do \
	    Tools/order/order.py $$program .build/order $$([ $$program != sextant-places ] || echo .build/places/data) || exit 1; \
	done

fences: build recorded-logs ## Report the results of fences for recorded and synthetic logs | make fences CAPTURES=FOLDER
	@$(call build_tool,MotionReport)
	@$(release)/MotionReport $(CAPTURES) --fences

lint: setup-lint ## Check format, sizes, imports, words, units, udev rules, man pages and scripts | make lint
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Tools Benchmarks Fuzzing Examples
	.ci/size-check
	.ci/purity-check
	.ci/generated-check
	.ci/arithmetic-check
	python3 .ci/words_check_test.py
	.ci/words-check
	.ci/units-check

linkage: build ## Check that the release daemon links neither Foundation nor ICU and idles without wakeups | make linkage
	.ci/linkage-check

bench: setup-bench build ## Compare the daemon with gpsd on the same input and check the thresholds | make bench ONLY=cpu,latency
	@for program in Sentence Fence Client; do $(call build_tool,$${program}Benchmark) || exit 1; done
	Benchmarks/run

conformance: build .build/conformance/ready ## Run programs of gpsd, NMEA and chrony against the bridges | make conformance RUNS=10
	@Tools/conformance/conformance.py --strict $(if $(RUNS),--runs $(RUNS)) $(if $(SHORT),--short) $(if $(ONLY),--only $(ONLY))

conformance-short: build ## Run those of the programs that are installed, in less than a minute | make conformance-short
	@Tools/conformance/conformance.py --short

bridge-kill-test: build ## Kill the daemon and the bridge under clients of gpsd; no connection may be lost | make bridge-kill-test KILLS=50
	@Tools/conformance/kills.py $(if $(KILLS),--daemon $(KILLS) --bridge $(KILLS))

.build/conformance/ready: Tools/conformance/requirements.txt
	@packaging/need-packages.sh $(conformance_packages)
	rm -rf .build/conformance
	python3 -m venv .build/conformance
	.build/conformance/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	# Debian does not install ntpsec beside chrony.
	cd .build/conformance && apt-get download --quiet ntpsec && dpkg-deb --extract ntpsec_*.deb ntpsec
	touch $@

attack: build ## Attack the release daemon as another user and judge the delays of its clients; needs root | sudo make attack SHORT=1 UNTIMED=1
	Tools/attack/attack.py $(if $(SHORT),--short,$(if $(DURATION),--seconds $(DURATION))) $(if $(UNTIMED),--untimed) $(if $(SLOW_FSYNC),--slow-fsync $(SLOW_FSYNC)) $(ATTACKS)

fleet-test: build ## Report to real servers that are killed and refuse; check that no record is lost or repeated | make fleet-test KILLS=20
	@packaging/need-packages.sh mosquitto mosquitto-clients openssl python3-paho-mqtt
	Tools/fleet/uplink-test.py $(if $(KILLS)$(SHORT),--kills $(or $(KILLS),6)) $(if $(SEED),--seed $(SEED))
	Tools/fleet/http-test.py $(if $(SHORT),--short)
	Tools/fleet/failure-test.py $(if $(SHORT),expired reset daemon token slow-daemon fences duplicate full-disk hostile-broker hostile-http)
	Tools/fleet/encryption-test.py
	Tools/fleet/limits-test.py

fleet-figures: build ## Print the figures of sextant-fleet with their limits, in 20 minutes | make fleet-figures KILLS=200 CAPTURES=FOLDER
	@packaging/need-packages.sh mosquitto mosquitto-clients openssl
	@$(call build_tool,fleet-load)
	Tools/fleet/figures.py $(if $(KILLS),--kills $(KILLS)) $(if $(DEVICES),--devices $(DEVICES)) $(if $(CAPTURES),--captures $(CAPTURES))

soak: build ## Run the release daemon for hours under changing clients and check that it does not grow | make soak HOURS=2
	@Tools/soak/soak.py $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json)

fuzz: setup-fuzz ## Fuzz the parsers of all outside input with libFuzzer | make fuzz TARGET=framer SECONDS=60
	Fuzzing/run $(TARGET) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RUNS),--runs $(RUNS))

deb: setup-deb ## Build the Debian package into .build/packages | make deb
	@packaging/build-deb.sh $(packages)

check-client: ## Build packages that use SextantClient and CoreLocation, as users do, and the examples; print size and memory | make check-client
	@SWIFT='$(SWIFT)' packaging/check-client-package.sh
	@SWIFT='$(SWIFT)' packaging/check-examples.sh

check-deb: setup-deb ## Check the package with lintian, build it a second time elsewhere and compare the bytes | make check-deb
	@packaging/check-deb.sh

test-deb: ## Install, upgrade, downgrade, remove and purge the package in a small Debian with systemd | make test-deb
	@packaging/need-packages.sh $(deb_test_packages)
	@packaging/test-deb.sh

vm-test: ## Test the package on a Debian under QEMU: hot-plug, replugs, power cuts, purge | sudo make vm-test SHORT=1
	@packaging/need-packages.sh $(vm_packages) || true
	@packaging/vm/vm-test.py $(if $(SHORT),--short) $(if $(CYCLES),--cycles $(CYCLES)) $(if $(CUTS),--cuts $(CUTS)) \
	    $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json)

release: setup-deb ## Write source archive, package, list of its parts and checksums into .build/packages | make release
	@packaging/make-release.sh $(packages)

install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export SYSCONFDIR := $(SYSCONFDIR)
install uninstall: export UNITDIR := $(UNITDIR)
install uninstall: export UDEVDIR := $(UDEVDIR)
install: ## Install the files in packaging/files, after make build | sudo make install PREFIX=/usr
	@packaging/install.sh install

uninstall: ## Stop the service and remove the installed files, except /etc/sextant and the state | sudo make uninstall PREFIX=/usr
	@packaging/install.sh uninstall

clean: ## Remove .build with everything that was built | make clean
	rm -rf .build Examples/*/.build
	rm -rf debian/.debhelper debian/tmp debian/sextant debian/sextant-fleet debian/changelog debian/debhelper-build-stamp debian/files debian/*.substvars \
	    debian/*.debhelper
