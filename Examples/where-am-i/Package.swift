// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "where-am-i",
    dependencies: [.package(name: "sextant", path: "../..")],
    targets: [
        .executableTarget(
            name: "where-am-i", dependencies: [.product(name: "SextantClient", package: "sextant")])
    ]
)
