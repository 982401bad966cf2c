// swift-tools-version: 6.1
import PackageDescription

// On Apple's systems `import CoreLocation` is the module of the system.
#if os(Linux)
    let dependencies: [Package.Dependency] = [.package(name: "sextant", path: "../..")]
    let coreLocation: [Target.Dependency] = [.product(name: "CoreLocation", package: "sextant")]
#else
    let dependencies: [Package.Dependency] = []
    let coreLocation: [Target.Dependency] = []
#endif

let package = Package(
    name: "ios-shared",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [.library(name: "TripRecorder", targets: ["TripRecorder"])],
    dependencies: dependencies,
    targets: [
        .target(name: "TripRecorder", dependencies: coreLocation),
        .executableTarget(name: "trip", dependencies: ["TripRecorder"]),
    ]
)
