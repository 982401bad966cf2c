// swift-tools-version: 6.1
import PackageDescription

// Build it with Fuzzing/run: the instrumentation and libFuzzer's own library come from its command line.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "sextant", path: "..")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", .product(name: "SextantCore", package: "sextant"), .product(name: "Varlink", package: "sextant"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
