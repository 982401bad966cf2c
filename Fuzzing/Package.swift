// swift-tools-version: 6.1
import PackageDescription

// Build it with Fuzzing/run, which adds the instrumentation and the library of libFuzzer.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "sextant", path: "..")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", .product(name: "SextantCore", package: "sextant"),
                .product(name: "Varlink", package: "sextant"), .product(name: "Bridges", package: "sextant"),
                .product(name: "PlaceReaders", package: "sextant"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
