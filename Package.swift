// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room of the building: arrows in `dependencies` point down only (docs/architecture.md).
func room(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// How the programs are linked for release. Nothing looks their own symbols up. And where `make build` has put the static C++ library, they
/// take from it what they need: the shared one costs every process 50 kB of private memory and 1.5 MB resident.
let shipped: [LinkerSetting] = [
    .unsafeFlags(
        ["-Xlinker", "--no-export-dynamic", "-L\(Context.packageDirectory)/.build/static"], .when(configuration: .release))
]

let package = Package(
    name: "sextant",
    products: [
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(
            name: "SextantCore", targets: ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Locator", "Captures"]),
        .executable(name: "sextantd", targets: ["sextantd"]),
        .executable(name: "sextant", targets: ["sextant"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // The pure core: values in, values out; time is an argument.
        room("Chronology"),
        room("Geodesy"),
        room("NMEA", ["Chronology"]),
        room("Positioning", ["Chronology", "Geodesy", "NMEA"]),
        room("Delivery", ["Chronology", "Geodesy", "Positioning"]),
        room("Geofencing", ["Chronology", "Geodesy", "Positioning"]),
        room("Locator", ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery"]),
        room("Captures", ["Chronology", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator"]),
        // Holds the accuracy model against recorded logs; in neither program.
        room("Calibration", ["Chronology", "Geodesy", "NMEA", "Positioning", "Locator", "Captures"]),

        // The wire.
        room("Varlink"),
        room("GeoJSON", ["Chronology", "Geodesy", "Geofencing", "Varlink"]),
        room(
            "Wire", ["Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Varlink"],
            resources: [
                .embedInCode("Interfaces/io.sextant.Location.varlink"),
                .embedInCode("Interfaces/io.sextant.Receiver.varlink"),
                .embedInCode("Interfaces/io.sextant.Manager.varlink"),
                .embedInCode("Interfaces/io.sextant.Monitor.varlink"),
            ]),

        // The edge of the world.
        .target(name: "CLinux"),
        // Keeps libdispatch out of the daemon; linked, never imported.
        .target(name: "CNoDispatch"),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        room("SystemCalls", ["CLinux"]),
        room("Systemd", ["CSystemd", "CLinux", "SystemCalls", "Chronology"]),
        room("Store", ["CSQLite", "SystemCalls", "Chronology", "Geodesy", "Positioning", "Geofencing"]),
        room("Serial", ["CLinux", "SystemCalls", "Chronology"]),
        room("Receivers", ["CUdev", "CLinux", "SystemCalls", "Serial", "NMEA", "Delivery", "Chronology"]),
        room("ReceiverSimulator", ["CLinux", "Chronology", "Geodesy", "NMEA", "Captures", "Receivers"]),

        // A day of the daemon in simulated time: what clients get, and what it costs.
        room(
            "Rehearsal",
            ["Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Serial", "Receivers", "ReceiverSimulator"]),

        // The programs.
        .executableTarget(
            name: "sextantd",
            dependencies: [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator", "GeoJSON", "Varlink", "Wire", "CLinux",
                "CNoDispatch", "SystemCalls", "Systemd", "Store", "Serial", "Receivers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ],
            swiftSettings: strict, linkerSettings: shipped),
        .executableTarget(
            name: "sextant",
            dependencies: [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator", "Captures", "Varlink", "GeoJSON",
                "Wire",
                "CLinux",
                "SystemCalls",
                "Serial", "Receivers", "ReceiverSimulator", "Rehearsal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: shipped),
        .executableTarget(
            name: "calibrate",
            dependencies: ["Calibration", "Wire", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        // What the motion detector makes of recorded logs, for `make motion`; not installed.
        .executableTarget(
            name: "MotionReport",
            dependencies: ["Chronology", "Geodesy", "Positioning", "Geofencing", "Locator", "Captures", "ReceiverSimulator"],
            swiftSettings: strict),

        tests("ChronologyTests", ["Chronology"]),
        tests("GeodesyTests", ["Geodesy"]),
        tests("NMEATests", ["NMEA", "Chronology"]),
        tests("PositioningTests", ["Positioning", "NMEA", "Chronology", "Geodesy", "ReceiverSimulator"]),
        tests("DeliveryTests", ["Delivery", "Positioning", "Chronology", "Geodesy"]),
        tests(
            "GeofencingTests", ["Geofencing", "Positioning", "Geodesy", "Chronology", "ReceiverSimulator"], exclude: ["Foreign"]),
        // Writes events until it is killed, for StoreTests; not installed.
        .executableTarget(
            name: "EventScribe", dependencies: ["Store", "Geofencing", "Positioning", "Geodesy", "Chronology"], path: "Tests/EventScribe",
            swiftSettings: strict),
        tests("StoreTests", ["Store", "CSQLite", "EventScribe", "Geofencing", "Positioning", "Geodesy", "Chronology", "SystemCalls"]),
        tests("LocatorTests", ["Locator", "Geofencing", "Geodesy", "Delivery", "Positioning", "NMEA", "Chronology"]),
        tests(
            "CapturesTests",
            [
                "Captures", "Calibration", "Locator", "Positioning", "Geofencing", "Delivery", "NMEA", "Chronology", "Wire", "GeoJSON",
                "Geodesy", "MotionReport",
            ]),
        tests("CalibrationTests", ["Calibration", "Positioning", "Geodesy", "Chronology"]),
        tests("VarlinkTests", ["Varlink"]),
        tests("GeoJSONTests", ["GeoJSON", "Varlink", "Geofencing", "Geodesy", "Chronology"]),
        tests("WireTests", ["Wire", "Varlink", "Positioning", "Geofencing", "Delivery", "Locator", "Chronology", "Geodesy"]),
        tests("SystemdTests", ["Systemd", "CLinux", "SystemCalls", "Chronology"]),
        tests("SerialTests", ["Serial", "CLinux", "SystemCalls", "Chronology"]),
        tests(
            "ReceiversTests", ["Receivers", "ReceiverSimulator", "Serial", "CLinux", "SystemCalls", "NMEA", "Delivery", "Chronology"]),
        tests("ReceiverSimulatorTests", ["ReceiverSimulator", "Receivers", "Delivery", "Captures", "NMEA", "Geodesy", "Chronology"]),
        tests(
            "RehearsalTests",
            ["Rehearsal", "ReceiverSimulator", "Delivery", "Geofencing", "Locator", "Positioning", "Geodesy", "Chronology"]),
        tests(
            "DaemonTests",
            [
                "CLinux", "SystemCalls", "Systemd", "Store", "Serial", "Chronology", "Delivery", "Receivers", "Geofencing", "Locator",
                "Varlink",
                "ReceiverSimulator", "sextantd",
            ],
            resources: [
                .embedInCode("Foreign/connections.py"),
                .embedInCode("Foreign/with_varlink.py"),
                .embedInCode("Foreign/with_asyncvarlink.py"),
            ]),
        tests(
            "CommandTests",
            [
                "CLinux", "Captures", "Chronology", "Geodesy", "Geofencing", "Delivery", "Positioning", "Receivers", "Rehearsal", "Serial",
                "SystemCalls", "Varlink",
                "Wire", "sextant",
            ]),
    ]
)
