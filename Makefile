# `make` lists the targets that a developer needs first, `make help ALL=1` lists all. Each target installs the Debian packages
# that it needs (packaging/debian-packages). Only a Swift toolchain is required beforehand.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Every target but files in .build.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(MAKEFILE_LIST))

SWIFT ?= swift
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
# Recorded logs of real receivers, which are not part of this repository.
CAPTURES ?= $(or $(SEXTANT_SHARED),../shared)/captures

release := .build/release
need = @packaging/need-packages.sh
# Passes on the options of a command, such as --seed with the value of SEED, if they are set.
options = $(foreach name,$(1),$(if $($(name)),--$(shell echo $(name) | tr A-Z_ a-z-) $($(name))))
flags = $(foreach name,$(1),$(if $($(name)),--$(shell echo $(name) | tr A-Z_ a-z-)))

# The text behind ## is for `make help`, that behind #+ for `make help ALL=1`, each with an example behind the bar.
help: ## List the targets | make help ALL=1
	@sed -nE 's/^([a-z-]*):[^#]*#[#$(if $(ALL),+,#)] (.*) \| (.*)/\1\n\2\n\3/p' $(MAKEFILE_LIST) | \
	    while read -r target && read -r description && read -r example; do \
	        printf '  %-12s %s\n  %-12s     %s\n' "$$target" "$$description" '' "$$example"; \
	    done

setup: #+ Install the missing Debian packages that the build needs | make setup
	$(need) build
setup-test:
	$(need) build test
	@packaging/make-venv.sh .build/venv packaging/test-requirements.txt
setup-lint setup-bench setup-fuzz setup-deb setup-fleet:
	$(need) build $(@:setup-%=%)
recorded-logs:
	@test -d '$(CAPTURES)' || { echo 'There is no folder $(CAPTURES). Name a folder of recorded logs: CAPTURES=FOLDER' >&2; exit 1; }

include packaging/release-options.mk
# Builds a development tool or a benchmark for release, beside the programs.
build_tool = SEXTANT_TOOLS=1 $(SWIFT) build $(release_options) --product $(1) >&2

# Package.swift adds this directory to the search path of the linker. If there is no static C++ library, the shared one
# is linked.
.build/static/libstdc++.a:
	@mkdir -p $(@D)
	@library=$$(clang -print-file-name=libstdc++.a || true); if [ -e "$$library" ]; then ln -sf "$$library" $@; fi

build: setup .build/static/libstdc++.a ## Build the release programs into .build/release | make build
	$(SWIFT) build $(release_options)
	@for name in $$(sed -n 's|^link .*/||p' packaging/files); do ln -sf sextantd $(release)/$$name; done

run: build ## Simulate a receiver, run the daemon and show the position live until q | make run CAPTURE=captures/tunnel.nmea DURATION=10
	@$(release)/sextant demo $(call options,DURATION) $(or $(CAPTURE),captures/demo.nmea)
web: build ## Simulate a receiver and show it in a web browser, until Ctrl-C | make web CAPTURE=captures/tunnel.nmea DURATION=10
	@$(release)/sextant demo --web --page Sources/Programs/sextant-web/Page $(call options,DURATION) $(or $(CAPTURE),captures/demo.nmea)
test-web: build ; @Tests/Web/run $(call flags,SHORT) #+ Test the page in a browser: faults, demand, refusals, keys, accessibility | make test-web SHORT=1
web-figures: build ; @Tests/Web/run --figures $(call options,MINUTES) #+ Print the figures of the page, its server and the track with their limits | make web-figures MINUTES=60
first-paste: build #+ Run the README's first commands 100 times in a script and in a terminal | make first-paste RUNS=10
	@packaging/first-paste.sh
picture: build #+ Draw sextant watch and the page as docs/watch.svg and docs/web.png, the pictures in the README | make picture
	packaging/screenshot.py && Tests/Web/run --picture

# Tests with a process of their own: those of whole daemons, one at a time, which take as long as all others; those of other programs,
# which mostly wait. And those of libraries with Swift concurrency: tests that wait in other targets occupy all threads of its pool.
apart := $(addprefix --apart ,'DaemonTests.WholeDaemon' 'CoreLocation|SextantClientTests|VarlinkClientTests' 'ProgramTests|ExamplesTests|FleetTests')
# Tests that convert dates in their own process expect UTC.
check test: export TZ = UTC
# The same build as that of the other commands with tests, which need a tool.
test kill-test permission-events leak-test: export SEXTANT_TOOLS = 1
test: setup setup-test ## Run all tests, or those of one target | make test FILTER=NMEATests
	$(SWIFT) build --build-tests
	@.ci/test $(if $(FILTER),$(SWIFT) test --skip-build --filter $(FILTER),$(apart) \
	    $$($(SWIFT) build --show-bin-path)/sextantPackageTests.xctest --testing-library swift-testing)
check: ## Build and test the pure targets alone, after each small change | make check FILTER=NMEATests
	@SEXTANT_PURE=1 .ci/test $(SWIFT) test --scratch-path .build/pure $(call options,FILTER)
kill-test: setup #+ Kill the daemon at random times under load; check that no event or decision is lost or invented | make kill-test KILLS=200
	SEXTANT_KILLS=$(or $(KILLS),200) $(SWIFT) test --filter 'DaemonTests.*Kills'
visit-kill-test: build #+ Kill the daemon while visits begin and end and events start programs; none may be lost or invented | make visit-kill-test KILLS=1000
	$(need) visits
	Tools/visits/kills.py $(call options,KILLS SEED)
permission-events: setup #+ Apply random events to the permissions in any order; compare each verdict with the rules | make permission-events EVENTS=10000000
	SEXTANT_EVENTS=$(or $(EVENTS),10000000) $(SWIFT) test --filter 'PermissionRandomTests'
leak-test: setup #+ Cancel programs of the Swift libraries while the daemon restarts; no descriptor, object or demand may stay | make leak-test CANCELLATIONS=1000 RESTARTS=200
	SEXTANT_CANCELLATIONS=$(or $(CANCELLATIONS),1000) SEXTANT_RESTARTS=$(or $(RESTARTS),200) \
	    $(SWIFT) test --filter 'LeakTests|DaemonTransportTests.*cancellations'
docs: setup #+ Build the documentation of the libraries into .build/docs | make docs
	@SWIFT='$(SWIFT)' packaging/make-docs.sh

generate: setup ## Write Sources/API/SextantAPI/Generated from the interface files | make generate
	SEXTANT_TOOLS=1 $(SWIFT) run generate-api .
goldens: setup #+ Regenerate the expected results in captures/golden from replay; review the diff | make goldens
	$(SWIFT) build --product sextant
	captures/make-goldens.sh

calibration: setup recorded-logs #+ Count how often the true position is within the accuracy, over recorded logs | make calibration CAPTURES=FOLDER JSON=1
	@SEXTANT_TOOLS=1 $(SWIFT) build --product calibrate >&2
	@.build/debug/calibrate $(call flags,JSON) $(CAPTURES)
moved-fixes: build recorded-logs #+ Move one fix of each recorded log at random; the accuracy of the others must stay | make moved-fixes MOVES=40 SEED=2
	Tools/moved-fixes.py $(call options,MOVES SEED) $(release)/sextant $(filter-out %.ubx,$(wildcard $(CAPTURES)/recorded/*))
motion: build recorded-logs #+ Report the results of the motion detector for recorded logs | make motion CAPTURES=FOLDER
	@$(call build_tool,MotionReport)
	@$(release)/MotionReport $(CAPTURES)
fences: build recorded-logs #+ Report the results of fences for recorded and synthetic logs | make fences CAPTURES=FOLDER
	@$(call build_tool,MotionReport)
	@$(release)/MotionReport $(CAPTURES) --fences
recognition: build recorded-logs #+ Read noise and binary logs at wrong baud rates; no protocol may be named, nothing written | make recognition CAPTURES=FOLDER
	@$(call build_tool,RecognitionReport)
	@$(release)/RecognitionReport $(CAPTURES)
commuter: build #+ Simulate a commuter's day with fences, with one stream and without clients; check energy and delays | make commuter SEEDS=12
	Benchmarks/commuter-day $(call options,SEEDS)

places-data:
	$(need) places
	@Tools/places/fetch-data.sh .build/places
places: build places-data #+ Import a gazetteer and compare the names with data of others; print size, time and memory | make places JSON=1
	@[ ! -e .build/places/data ] || { $(call build_tool,PlaceTimes) && Tools/places/figures.py $(call flags,JSON) .build/places/data; }

# Without data, the order of sextant-places stays.
order: places-data #+ Record which functions the services execute, for the linker | make order PROGRAMS=sextantd
	$(need) order
	@mkdir -p .build/order
	SEXTANT_LINK_MAP=$(CURDIR)/.build/order/map $(MAKE) build
	@Tools/order/order.py .build/order/map .build/places/data $(PROGRAMS)

.build/simulation/machine.so: $(wildcard Tests/Simulation/Machine/*.[ch] Tests/Simulation/Machine/*/*.[ch])
	$(need) simulate
	Tests/Simulation/make-machine.sh $@
simulate: build .build/simulation/machine.so #+ Run the daemon in a simulated world with faults: 3 minutes, or HOURS=8, or one SEED | make simulate SEED=7 TRACE=1
	@$(call build_tool,simulation)
	@$(foreach name,HOURS SEED TRACE CALLS SHRINK SHORT ARGUMENTS,$(name)='$($(name))') Tests/Simulation/simulate
simulation-check: build .build/simulation/machine.so #+ Compare the simulated machine with the kernel; check that it answers all calls | make simulation-check
	.ci/simulation-check

lint: setup-lint ## Check format, sizes, imports, generated files, units, udev rules, man pages and scripts | make lint
	@SWIFT='$(SWIFT)' .ci/lint
linkage: build #+ Check that the release daemon links neither Foundation nor ICU and idles without wakeups | make linkage
	.ci/linkage-check

bench: setup-bench build #+ Compare the daemon with gpsd on the same input and check the thresholds | make bench ONLY=cpu,latency
	@for program in Sentence Fence Client; do $(call build_tool,$${program}Benchmark) || exit 1; done
	Benchmarks/run

conformance: build #+ Run programs of gpsd, NMEA and chrony against the bridges | make conformance RUNS=10
	$(need) conformance
	@packaging/make-venv.sh .build/conformance Tools/conformance/requirements.txt
	# Debian does not install ntpsec beside chrony.
	@[ -e .build/conformance/ntpsec ] || \
	    { cd .build/conformance && apt-get download --quiet ntpsec && dpkg-deb --extract ntpsec_*.deb ntpsec; }
	@Tools/conformance/conformance.py --strict $(call options,RUNS ONLY) $(call flags,SHORT)
conformance-short: build #+ Run those of the programs that are installed, in less than a minute | make conformance-short
	@Tools/conformance/conformance.py --short
bridge-kill-test: build #+ Kill the daemon and the bridge under clients of gpsd; no connection may be lost | make bridge-kill-test KILLS=50
	@Tools/conformance/kills.py $(if $(KILLS),--daemon $(KILLS) --bridge $(KILLS))

attack: build #+ Attack the release daemon as another user and judge the delays of its clients; needs root | sudo make attack SHORT=1 UNTIMED=1
	Tools/attack/attack.py $(call options,SECONDS SLOW_FSYNC) $(call flags,SHORT UNTIMED) $(ATTACKS)
fleet-test: build #+ Report to real servers that are killed and refuse; check that no record is lost or repeated | make fleet-test KILLS=20
	$(need) fleet
	Tools/fleet/all-tests.sh $(if $(KILLS)$(SHORT),--kills $(or $(KILLS),6)) $(call options,SEED) $(call flags,SHORT)
fleet-figures: build #+ Print the figures of sextant-fleet with their limits, in 20 minutes | make fleet-figures KILLS=200 CAPTURES=FOLDER
	$(need) fleet
	@$(call build_tool,fleet-load)
	Tools/fleet/figures.py $(call options,KILLS DEVICES CAPTURES)
soak: build #+ Run the release daemon for hours under changing clients and check that it does not grow | make soak HOURS=2
	@Tools/soak/soak.py $(call options,HOURS SEED) $(call flags,JSON)
fuzz: setup-fuzz #+ Fuzz the parsers of all outside input with libFuzzer | make fuzz TARGET=framer SECONDS=60
	Fuzzing/run $(TARGET) $(call options,SECONDS RUNS)

deb: setup-deb ## Build the Debian packages into .build/packages | make deb ARCH=arm64
	@$(if $(filter-out $(shell dpkg --print-architecture),$(ARCH)),packaging/cross/build-deb.sh $(ARCH),packaging/build-deb.sh) .build/packages
repository: setup-deb #+ Make a signed apt repository of the packages in .build/packages | make repository URL=https://example.org/apt
	@URL='$(URL)' KEY='$(KEY)' packaging/make-repository.sh .build/repository
check-client: #+ Build packages that use SextantClient and CoreLocation, as users do, and the examples; print size and memory | make check-client
	@SWIFT='$(SWIFT)' packaging/check-client-package.sh
	@SWIFT='$(SWIFT)' packaging/check-examples.sh
check-deb: setup-deb #+ Check the package with lintian, build it a second time elsewhere and compare the bytes | make check-deb
	@packaging/check-deb.sh
test-deb: #+ Install, upgrade, downgrade, remove and purge the package in a small Debian with systemd, and by apt | make test-deb
	$(need) test-deb
	@packaging/test-deb.sh
	@packaging/test-repository.sh
vm-test: $(if $(filter arm64,$(ARCH)),build) #+ Test the package on a Debian under QEMU: hot-plug, replugs, power cuts, purge | sudo make vm-test SHORT=1
	$(need) vm $(if $(filter arm64,$(ARCH)),vm-arm64) || true
	@packaging/vm/vm-test.py $(call options,ARCH CYCLES CUTS SEED ONLY) $(call flags,SHORT JSON)
release: setup-deb #+ Write source archive, package, list of its parts and checksums into .build/packages | make release
	@packaging/make-release.sh .build/packages

install_folders := $(foreach name,DESTDIR PREFIX SYSCONFDIR UNITDIR UDEVDIR,$(name)='$($(name))')
install: ## Install the files in packaging/files, after make build | sudo make install PREFIX=/usr
	@$(install_folders) packaging/install.sh install
uninstall: #+ Stop the service and remove the installed files, except /etc/sextant and the state | sudo make uninstall PREFIX=/usr
	@$(install_folders) packaging/install.sh uninstall
clean: #+ Remove .build with everything that was built | make clean
	rm -rf .build Examples/*/.build debian/.debhelper debian/tmp debian/sextant debian/sextant-fleet debian/sextant-web debian/changelog
	rm -rf debian/debhelper-build-stamp debian/files debian/*.substvars debian/*.debhelper
