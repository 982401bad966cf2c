#!/usr/bin/env python3
"""Writes the list of the software in the package as SPDX 2.3, and checks that debian/copyright agrees with it and that
the package has the notices of its parts.

    packaging/make-sbom.py --version 0.1.0 --programs .build/release --copyright debian/copyright --output sbom.spdx.json

The sources of the list: Package.resolved and the checkouts of SwiftPM for the Swift packages, the symbols of the
programs for the parts of the Swift toolchain, and the dynamic section of the programs for the shared libraries. The
licence of a Swift package is recognized from its licence file. The date is SOURCE_DATE_EPOCH, so that equal input
gives equal output.
"""
import argparse
import filecmp
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass

# The programs of each Debian package.
PROGRAMS = {
    "sextant": ("sextantd", "sextant"), "sextant-fleet": ("sextant-fleet",), "sextant-web": ("sextant-web",),
}
SWIFT = "Apache-2.0 WITH Swift-exception"
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"

# Parts of the Swift toolchain that are linked statically: a pattern of symbols that only they define, name, upstream.
# In Swift symbols a module's name follows its length.
TOOLCHAIN = [
    (r" [tTdDrR] swift_retain$", "swift-runtime", "https://github.com/swiftlang/swift"),
    (r" [tTdDrR] \$s.*17_StringProcessing", "swift-experimental-string-processing",
     "https://github.com/swiftlang/swift-experimental-string-processing"),
    (r" [tTdDrR] \$s20FoundationEssentials", "swift-foundation", "https://github.com/swiftlang/swift-foundation"),
    (r" [tTdDrR] \$s22_FoundationCollections", "swift-collections", "https://github.com/apple/swift-collections"),
    (r" [tTdDrR] _dispatch_root_queues$", "swift-corelibs-libdispatch",
     "https://github.com/swiftlang/swift-corelibs-libdispatch"),
]

# Licences of the shared libraries, by Debian package. A package that is missing here is an error.
SYSTEM_LICENCES = {
    "libc6": "LGPL-2.1-or-later",
    "libcurl4": "curl",
    "libgcc-s1": GCC,
    "libcrypt1": "LGPL-2.1-or-later",
    "libmicrohttpd12": "LGPL-2.1-or-later",
    "libmosquitto1": "EPL-2.0 OR BSD-3-Clause",
    "libsodium23": "ISC",
    "libstdc++6": GCC,
    "libsqlite3-0": "blessing",
    "libsystemd0": "LGPL-2.1-or-later",
    "libudev1": "LGPL-2.1-or-later",
}

# The names of these licences in debian/copyright.
DEBIAN_LICENCES = {
    "Apache-2.0": "Apache-2.0",
    "MIT": "Expat",
    SWIFT: "Apache-2.0 with Swift exception",
    GCC: "GPL-3+ with GCC exception",
}


@dataclass(frozen=True)
class Component:
    """One piece of software: its origin, and where debian/copyright describes it (`None` for shared libraries)."""
    name: str
    version: str
    licence: str
    location: str
    linkage: str  # CONTAINS for a static part, DYNAMIC_LINK for a shared library
    copyright_path: str | None = None

    @property
    def identifier(self):
        return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", self.name)


# The root of the Debian for which the programs are built on another machine (packaging/cross).
SYSROOT = os.environ.get("SYSROOT", "")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def licence_of(text, path):
    """The SPDX expression for the text of a licence file."""
    if "Apache License" in text and "Runtime Library Exception" in text:
        return SWIFT
    if "Apache License" in text:
        return "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    sys.exit(f"make-sbom: cannot recognize the licence in {path}: add its text to licence_of()")


def swift_packages(manifest):
    """The packages that Package.swift names, with the versions that SwiftPM has resolved."""
    with open(manifest, encoding="utf-8") as file:
        named = re.findall(r'\.package\(url: "([^"]+)"', file.read())
    with open("Package.resolved", encoding="utf-8") as file:
        pins = {pin["location"]: pin for pin in json.load(file)["pins"]}
    # SwiftPM has not resolved what only `make docs` needs: it is in no program.
    for location in sorted(location for location in named if location in pins):
        state = pins[location]["state"]
        folder = f".build/checkouts/{os.path.basename(location).removesuffix('.git')}"
        path = next(f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.startswith("LICENSE"))
        with open(path, encoding="utf-8") as file:
            licence = licence_of(file.read(), path)
        yield Component(os.path.basename(folder), state["version"], licence,
                        f"git+{location}@{state['revision']}", "CONTAINS", path)


def header_libraries():
    """The libraries of Debian that consist of headers, and so are in the programs: toml++ in CTOML."""
    path = "/usr/include/toml++/toml.h"
    version = version_of(owner_of(path)).partition("+")[0].partition("-")[0]
    yield Component("tomlplusplus", version, "MIT", f"git+https://github.com/marzer/tomlplusplus@v{version}", "CONTAINS",
                    path.removeprefix("/"))


def toolchain_parts(programs, swift):
    """The parts of the Swift toolchain and of GCC that the programs contain."""
    symbols = "".join(output("nm", program) for program in programs)
    release = re.search(r"Swift version (\d[\d.]*)", output(swift, "--version")).group(1)
    for pattern, name, location in TOOLCHAIN:
        if re.search(pattern, symbols, re.MULTILINE):
            # The repositories of the Swift project have one tag per release; other ones have their own versions.
            is_tagged = location.startswith("https://github.com/swiftlang/")
            source = f"git+{location}@swift-{release}-RELEASE" if is_tagged else f"git+{location}"
            yield Component(name, release if is_tagged else f"of Swift {release}", SWIFT, source, "CONTAINS",
                            "swift/lib/swift_static")
    if not any("libstdc++" in needed_libraries(program) for program in programs):
        archive = output("clang", "-print-file-name=libstdc++.a").strip()
        owner = owner_of(os.path.realpath(archive))
        yield Component("libstdc++", version_of(owner), GCC, f"https://packages.debian.org/bookworm/{owner}",
                        "CONTAINS", "gcc/libstdc++.a")


def needed_libraries(program):
    return " ".join(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program)))


def dpkg_query(*arguments):
    """A command for the packages of this machine, or of the Debian for which the programs are built."""
    return ["dpkg-query", *([f"--admindir={SYSROOT}/var/lib/dpkg"] if SYSROOT else []), *arguments]


def owner_of(path):
    """The Debian package of a file. Debian 12 knows some files only without /usr."""
    for candidate in (path, path.removeprefix("/usr")):
        done = subprocess.run(dpkg_query("-S", candidate), capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    sys.exit(f"make-sbom: no Debian package contains {path}")


def version_of(package):
    return output(*dpkg_query("-W", "-f", "${Version}\n", package)).split("\n")[0]


def shared_libraries(programs):
    """The Debian packages of the shared libraries that the programs name themselves."""
    owners = set()
    folder = "/usr/lib/" + output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    for program in programs:
        libraries = [name for name in needed_libraries(program).split() if not name.startswith("ld-linux")]
        paths = [os.path.realpath(f"{SYSROOT}{folder}/{name}") for name in libraries]
        owners |= {owner_of(path.removeprefix(SYSROOT)) for path in paths}
        # CCurl loads libcurl when it is needed.
        if "ccurl_load" in output("nm", program):
            owners.add("libcurl4")
    for owner in sorted(owners):
        if owner not in SYSTEM_LICENCES:
            sys.exit(f"make-sbom: add the licence of {owner} to SYSTEM_LICENCES")
        yield Component(owner, version_of(owner), SYSTEM_LICENCES[owner],
                        f"https://packages.debian.org/bookworm/{owner}", "DYNAMIC_LINK")


def spdx_package(component):
    reference = {}
    if component.linkage == "CONTAINS" and component.location.startswith("git+https://github.com/"):
        owner, _, revision = component.location.removeprefix("git+https://github.com/").partition("@")
        reference = {"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                       "referenceLocator": f"pkg:github/{owner}" + (f"@{revision}" if revision else "")}]}
    elif component.location.startswith("https://packages.debian.org/"):
        owner = component.location.rpartition("/")[2]
        reference = {"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                       "referenceLocator": f"pkg:deb/debian/{owner}@{component.version}"}]}
    return {"SPDXID": component.identifier, "name": component.name, "versionInfo": component.version,
            "downloadLocation": component.location, "filesAnalyzed": False, "licenseConcluded": component.licence,
            "licenseDeclared": component.licence, "copyrightText": "NOASSERTION", **reference}


def document(package, version, components):
    main = {"SPDXID": f"SPDXRef-Package-{package}", "name": package, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "homepage": "https://sextant.io", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}
    contents = json.dumps([spdx_package(component) for component in components], sort_keys=True)
    unique = uuid.uuid5(uuid.NAMESPACE_URL, f"https://sextant.io/spdx/{package}/{version}/{contents}")
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"{package}-{version}", "documentNamespace": f"https://sextant.io/spdx/{package}-{unique}",
            "creationInfo": {"created": created, "creators": ["Tool: sextant-make-sbom"]},
            "packages": [main] + [spdx_package(component) for component in components],
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                               "relatedSpdxElement": main["SPDXID"]}]
            + [{"spdxElementId": main["SPDXID"], "relationshipType": component.linkage,
                "relatedSpdxElement": component.identifier} for component in components]}


def copyright_paragraphs(path):
    """(patterns of Files, licence) for each Files paragraph of a machine-readable debian/copyright."""
    with open(path, encoding="utf-8") as file:
        for paragraph in file.read().split("\n\n"):
            files = re.search(r"^Files:(.*(?:\n .*)*)", paragraph, re.MULTILINE)
            licence = re.search(r"^License: (.*)", paragraph, re.MULTILINE)
            if files and licence:
                yield files.group(1).split(), licence.group(1).strip()


def disagreements(components, path):
    """The components whose licence in debian/copyright is missing or another one, as text."""
    paragraphs = list(copyright_paragraphs(path))
    for component in components:
        if component.copyright_path is None:
            continue
        # As in Debian's format, the last paragraph that matches counts. The first one, *, is for Sextant itself.
        stated = [licence for patterns, licence in paragraphs[1:]
                  if any(fnmatch.fnmatchcase(component.copyright_path, pattern) for pattern in patterns)]
        expected = DEBIAN_LICENCES.get(component.licence)
        if not stated or stated[-1].lower() != (expected or "").lower():
            yield (f"{component.name} ({component.copyright_path}): the list has {component.licence}, "
                   f"the file has {stated[-1] if stated else 'nothing'}")


def missing_notices(folder):
    """The notices of Swift packages that the folder lacks, as text. The Apache licence (section 4d) requires them."""
    for path in sorted(glob.glob(".build/checkouts/*/NOTICE*")):
        copy = os.path.join(folder, "NOTICE." + os.path.basename(os.path.dirname(path)))
        if not os.path.exists(copy) or not filecmp.cmp(path, copy, shallow=False):
            yield f"{path} is not in the package as {copy}: install it in debian/rules"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", choices=PROGRAMS, default="sextant", help="the Debian package")
    parser.add_argument("--version", required=True, help="version of the package")
    parser.add_argument("--programs", default=".build/release", help="directory of the programs, not stripped")
    parser.add_argument("--copyright", help="debian/copyright that must agree")
    parser.add_argument("--notices", help="folder in the package that must have the notices of the Swift packages")
    parser.add_argument("--swift", default=os.environ.get("SWIFT", "swift"), help="the Swift compiler driver")
    parser.add_argument("--output", required=True, help="file to write")
    arguments = parser.parse_args()

    programs = [os.path.join(arguments.programs, name) for name in PROGRAMS[arguments.package]]
    components = [*swift_packages("Package.swift"), *header_libraries(), *toolchain_parts(programs, arguments.swift),
                  *shared_libraries(programs)]
    if arguments.copyright and (problems := list(disagreements(components, arguments.copyright))):
        sys.exit("make-sbom: " + arguments.copyright + " disagrees:\n  " + "\n  ".join(problems))
    if arguments.notices and (problems := list(missing_notices(arguments.notices))):
        sys.exit("make-sbom: " + "\n  ".join(problems))
    with open(arguments.output, "w", encoding="utf-8") as file:
        json.dump(document(arguments.package, arguments.version, components), file, indent=2, sort_keys=True)
        file.write("\n")
    for component in components:
        print(f"{component.name:38} {component.version:22} {component.licence:40} {component.linkage}")


if __name__ == "__main__":
    main()
