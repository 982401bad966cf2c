// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "geofence-light",
    dependencies: [.package(name: "sextant", path: "../..")],
    targets: [
        .executableTarget(
            name: "geofence-light", dependencies: [.product(name: "CoreLocation", package: "sextant")])
    ]
)
