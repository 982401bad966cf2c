# `make` alone prints what there is. Every target does its own set-up; nothing needs to be prepared but a Swift toolchain.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
CAPTURES ?= ../shared/captures

release := .build/release
build_packages := libsqlite3-dev libsystemd-dev libudev-dev pkg-config
test_packages := $(build_packages) python3 python3-venv
lint_packages := systemd udev umockdev man-db groff-base binutils python3 shellcheck
bench_packages := gpsd valgrind gcc libc6-dev python3
fuzz_packages := $(build_packages) python3

.PHONY: help setup setup-test setup-lint setup-bench setup-fuzz build debug run test kill-test goldens calibration motion fences commuter lint linkage
.PHONY: bench fuzz
.PHONY: install uninstall clean

help: ## what there is
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
	@echo
	@echo 'Variables: DURATION=10 CAPTURE=FILE (run), FILTER=NAME (test), CAPTURES=FOLDER JSON=1 (calibration), SECONDS RUNS TARGET (fuzz), SEEDS=12 (commuter),'
	@echo '           PREFIX DESTDIR SYSCONFDIR (install)'

setup: ## the Debian packages that building needs, where they are missing
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

# DWARF 5 doubles the files, and Debian 12's valgrind gives up on it. The symbols stay.
without_debug_information = -Xlinker -S

# Where Package.swift has the linker look for it. Without a static C++ library the shared one is linked.
.build/static/libstdc++.a:
	@mkdir -p $(@D)
	@library=$$(clang -print-file-name=libstdc++.a || true); if [ -e "$$library" ]; then ln -sf "$$library" $@; fi

build: setup .build/static/libstdc++.a ## the programs as they are shipped, into .build/release
	$(SWIFT) build -c release --static-swift-stdlib $(without_debug_information)

debug: setup ## the programs with checks and debug information, into .build/debug
	$(SWIFT) build

run: build ## a virtual receiver, the daemon and the live view; Ctrl-C ends it, DURATION=10 does it by itself
	@packaging/demo.sh

test: setup setup-test ## every test; FILTER=NMEATests runs one room's
	@.ci/test $(SWIFT) test $(if $(FILTER),--filter '$(FILTER)')

kill-test: setup ## the daemon killed at random instants under load, KILLS=200 times: no event of a monitor is lost or invented
	SEXTANT_KILLS=$(or $(KILLS),200) $(SWIFT) test --filter 'DaemonTests.*Kills'

goldens: setup ## what the tests expect of captures/, made again from what replay prints now; read the diff before you commit it
	$(SWIFT) build --product sextant
	captures/make-goldens.sh

calibration: setup ## how often the truth lay within the stated accuracy, over the logs of CAPTURES; JSON=1 prints JSON
	@$(SWIFT) build --product calibrate >&2
	@.build/debug/calibrate $(if $(JSON),--json) $(CAPTURES)

motion: setup ## what the motion detector makes of recorded logs; CAPTURES=../shared/captures
	$(SWIFT) run -c release MotionReport $(or $(CAPTURES),../shared/captures)

commuter: build ## a day with fences alone, with one stream, with nobody: energy, delays, wakeups; SEEDS=12
	Benchmarks/commuter-day $(if $(SEEDS),--seeds $(SEEDS))

fences: setup ## what the decision of a fence makes of recorded and drawn logs; CAPTURES=../shared/captures
	$(SWIFT) run -c release MotionReport $(or $(CAPTURES),../shared/captures) --fences

lint: setup-lint ## format, sizes, what rooms may import, units, udev rules, man pages, scripts
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests \
	    $(wildcard Benchmarks/Sources Benchmarks/Package.swift Fuzzing/Sources Fuzzing/Package.swift)
	.ci/size-check
	.ci/purity-check
	.ci/units-check

linkage: build ## the shipped daemon links no Foundation, no ICU, and idles on one thread without waking
	.ci/linkage-check

bench: setup-bench build ## the daemon beside gpsd on the same feed, judged against thresholds
	Benchmarks/run

fuzz: setup-fuzz ## libFuzzer on framer, sentences, epochs and varlink; SECONDS=60 or RUNS=10000000 for each, TARGET=framer for one
	Fuzzing/run $(TARGET) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RUNS),--runs $(RUNS))

install: ## programs, units, rules, man pages, completions, default configuration (make build first)
	@test -x $(release)/sextantd || { echo 'Nothing is built yet: make build' >&2; exit 1; }
	install -D -s -m 755 -t $(DESTDIR)$(PREFIX)/bin $(release)/sextantd $(release)/sextant
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/sextantd.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/sextantd.service
	sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/sextant-fence@.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/sextant-fence@.service
	install -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system systemd/sextantd.socket
	install -D -m 644 systemd/sextant.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/sextant.conf
	install -D -m 644 systemd/sextant.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/sextant.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/udev/rules.d udev/60-sextant.rules
	for section in 1 5 8; do \
	    install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man$$section packaging/man/*.$$section; \
	done
	install -d $(DESTDIR)$(PREFIX)/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
	$(release)/sextant --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sextant
	$(release)/sextant --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sextant
	$(release)/sextant --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sextant.fish
	install -d $(DESTDIR)$(SYSCONFDIR)/sextant/conf.d
	test -e $(DESTDIR)$(SYSCONFDIR)/sextant/sextant.toml || \
	    install -m 644 packaging/sextant.toml $(DESTDIR)$(SYSCONFDIR)/sextant/sextant.toml
	@test -n '$(DESTDIR)' || printf '%s\n' '' 'Installed. To start it now and at every boot:' \
	    '  systemd-sysusers && systemd-tmpfiles --create' \
	    '  systemctl daemon-reload && systemctl enable --now sextantd' \
	    '  udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb'

uninstall: ## what install put there, but for /etc/sextant and the state
	rm -f $(DESTDIR)$(PREFIX)/bin/{sextantd,sextant} \
	    $(DESTDIR)$(PREFIX)/lib/systemd/system/sextantd.{service,socket} \
	    $(DESTDIR)$(PREFIX)/lib/systemd/system/sextant-fence@.service \
	    $(DESTDIR)$(PREFIX)/lib/{sysusers.d,tmpfiles.d}/sextant.conf \
	    $(DESTDIR)$(PREFIX)/lib/udev/rules.d/60-sextant.rules \
	    $(DESTDIR)$(PREFIX)/share/man/man{1/sextant.1,5/sextant.toml.5,8/sextantd.8} \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sextant \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sextant \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sextant.fish

clean: ## everything that was built
	rm -rf .build
