// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target of the main package. `Sextant` is a symbolic link to its sources. They are compiled
/// here too, because most of their declarations are visible only inside a package.
///
/// - Parameter folder: the folder of the target in Sources.
func core(_ folder: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(
        name: folder.split(separator: "/").last.map(String.init) ?? folder, dependencies: dependencies,
        path: "Sextant/\(folder)", resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// Development tools; none is installed.
let package = Package(
    name: "tools",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        core("Base/Chronology"),
        core("Base/Geodesy", ["Chronology"]),
        core("Base/NMEA", ["Chronology"]),
        core("Engine/Positioning", ["Chronology", "Geodesy", "NMEA"]),
        core("Engine/Geofencing", ["Chronology", "Geodesy", "Positioning", "Varlink"]),
        core("Engine/Locator", ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing"]),
        .target(name: "CLinux", path: "Sextant/Platform/C/CLinux"),
        .systemLibrary(name: "CSQLite", path: "Sextant/Platform/C/CSQLite", pkgConfig: "sqlite3"),
        core("Platform/SystemCalls", ["CLinux"]),
        core("Platform/SQLite", ["CSQLite", "SystemCalls", "Chronology"]),
        core("Platform/StateStore", ["SQLite", "CSQLite", "Chronology", "Geodesy", "Positioning", "Geofencing"]),
        core("Features/Places", ["SQLite", "Varlink", "SystemCalls", "CSQLite", "Geodesy", "Chronology"]),
        core("API/Varlink", ["Chronology"]),
        core(
            "Features/PlaceIndex", ["Places", "SQLite", "Varlink", "SystemCalls", "CSQLite", "Geodesy", "Chronology"]),
        core("Engine/Receivers", ["Chronology", "NMEA", "Positioning", "Locator"]),
        core(
            "Features/Simulator",
            [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Locator", "Receivers", "CLinux",
                "SystemCalls",
            ]),

        // The accuracy model against recorded logs, for `make calibration`.
        .target(
            name: "Calibration",
            dependencies: ["Chronology", "Geodesy", "NMEA", "Positioning", "Locator"],
            swiftSettings: strict),
        .executableTarget(
            name: "calibrate",
            dependencies: ["Calibration", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        // Motion detector and geofences against recorded logs, for `make motion` and `make fences`.
        .executableTarget(
            name: "MotionReport",
            dependencies: [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Locator", "Simulator",
            ],
            swiftSettings: strict),
        // Writes events until it is killed, for EventScribeTests.
        .executableTarget(
            name: "EventScribe",
            dependencies: ["SQLite", "StateStore", "Geofencing", "Positioning", "Geodesy", "Chronology"],
            swiftSettings: strict),
        // The times of answers from a file of places, for `make places`.
        .executableTarget(
            name: "PlaceTimes", dependencies: ["Places", "Geodesy"], swiftSettings: strict),

        // Temporary directories and random numbers of the tests of both packages.
        .target(name: "CDiskFaults", path: "CDiskFaults"),
        .target(
            name: "TestSupport", dependencies: ["SystemCalls", "CDiskFaults"], path: "TestSupport",
            swiftSettings: strict),
        tests("CalibrationTests", ["Calibration", "Positioning", "Geodesy", "Chronology"]),
        tests("MotionReportTests", ["MotionReport", "Positioning", "Chronology"]),
        tests(
            "EventScribeTests",
            [
                "EventScribe", "TestSupport", "SQLite", "StateStore", "SystemCalls", "Geofencing", "Positioning",
                "Geodesy",
                "Chronology",
            ]),
    ]
)
