// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "background-tracker",
    dependencies: [.package(name: "sextant", path: "../..")],
    targets: [
        .executableTarget(
            name: "background-tracker", dependencies: [.product(name: "CoreLocation", package: "sextant")])
    ]
)
