// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "order-index",
    dependencies: [.package(name: "sextant", path: "../..")],
    targets: [
        .executableTarget(
            name: "order-index", dependencies: [.product(name: "CoreSpotlight", package: "sextant")])
    ]
)
