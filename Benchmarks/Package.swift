// swift-tools-version: 6.1
import PackageDescription

// No benchmark framework: only two figures are needed. ordo-one/benchmark 1.38.1 counts no
// allocations without jemalloc (it reported 0 for a loop that allocates an array each time) and
// depends on five packages.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "sextant", path: "..")],
    targets: [
        .executableTarget(
            name: "SentenceBenchmark",
            dependencies: [.product(name: "SextantCore", package: "sextant")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "FenceBenchmark",
            dependencies: [.product(name: "SextantCore", package: "sextant")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: [.product(name: "SextantClient", package: "sextant")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
