// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target without access to the operating system: values in, values out, with the time as an argument. It depends on no
/// C library; `.ci/purity-check` verifies that, its imports and its calls.
func pureTarget(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A target that may use the operating system.
func edgeTarget(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [])
    -> Target
{
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// A program of Examples, whose target has the name of the program.
func example(_ name: String, _ dependencies: [Target.Dependency], package: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(package ?? name)/Sources/\(name)",
        packageAccess: false,
        swiftSettings: [.swiftLanguageMode(.v6)])
}

/// How the programs are linked for release. Nothing looks their own symbols up. And where `make build` has put the static C++ library, they
/// take from it what they need: the shared one costs every process 50 kB of private memory and 1.5 MB resident.
let shipped: [LinkerSetting] = [
    .unsafeFlags(
        ["-Xlinker", "--no-export-dynamic", "-L\(Context.packageDirectory)/.build/static"],
        .when(configuration: .release))
]

/// Puts the functions that a program usually executes next to each other (`make order`). `make build` gives each function
/// a section of its own, which the linker can move.
///
/// The kernel maps 64 kB around each page that is needed, so scattered functions keep most of Swift's static library
/// resident. And each wakeup reads them into the caches of the processor again.
func ordered(_ program: String) -> [LinkerSetting] {
    let order = "\(Context.packageDirectory)/packaging/\(program).order"
    let map = Context.environment["SEXTANT_LINK_MAPS"].map { ["-Xlinker", "-Map=\($0)/\(program)"] } ?? []
    let flags = [
        "-use-ld=lld", "-Xlinker", "--symbol-ordering-file=\(order)", "-Xlinker", "--no-warn-symbol-ordering",
    ]
    return [.unsafeFlags(flags + map, .when(configuration: .release))]
}

/// Libraries for `Fuzzing`, which sets the variable.
///
/// A package that depends on this one cannot have a target with the name of a target in any product of this one. That is
/// also why the programs are not listed as products: SwiftPM builds them in this package all the same.
let internalProducts: [Product] =
    Context.environment["SEXTANT_INTERNAL_PRODUCTS"] == nil
    ? []
    : [
        .library(name: "Bridges", targets: ["Bridges", "RTCM"]),
        .library(name: "PlaceReaders", targets: ["Places", "PlaceImport"]),
    ]

let package = Package(
    name: "sextant",
    products: [
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(
            name: "SextantCore",
            targets: ["Chronology", "Geodesy", "NMEA", "Positioning", "Delivery", "Geofencing", "Locator", "Captures"]),
        .library(name: "SextantClient", targets: ["SextantClient"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
    ] + internalProducts,
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // From bytes to locations.
        pureTarget("Chronology"),
        pureTarget("Geodesy"),
        pureTarget("NMEA", ["Chronology"]),
        // Corrections for receivers.
        pureTarget("RTCM"),
        pureTarget("Positioning", ["Chronology", "Geodesy", "NMEA"]),
        pureTarget("Tracks", ["Chronology", "Geodesy"]),
        pureTarget("Delivery", ["Chronology", "Geodesy", "Positioning"]),
        pureTarget("Geofencing", ["Chronology", "Geodesy", "Positioning"]),
        pureTarget("Locator", ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Tracks"]),
        pureTarget("Captures", ["Chronology", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator"]),

        // Who may know the location: policy, decisions, verdicts, record of use; reduced locations.
        pureTarget("Permission", ["Chronology", "Geodesy", "Delivery"]),

        // Receivers: baud rate detection and read schedule; catalogue and drivers; energy; simulation.
        pureTarget("SerialLine", ["Chronology", "Delivery"]),
        pureTarget("Receivers", ["Chronology", "NMEA", "Positioning", "Delivery", "SerialLine"]),
        pureTarget("ReceiverEnergy", ["Chronology", "Delivery", "Receivers"]),
        // One receiver with its port: connection, detection, read schedule and driver behind one state.
        pureTarget(
            "ReceiverSessions",
            ["Chronology", "NMEA", "Positioning", "Delivery", "Locator", "SerialLine", "Receivers"]),
        pureTarget(
            "ReceiverSimulator",
            [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Delivery", "Captures", "Receivers", "ReceiverEnergy",
            ]),
        // A day of the daemon in simulated time: what clients get, and what it costs.
        pureTarget(
            "Rehearsal",
            [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "SerialLine", "Receivers",
                "ReceiverEnergy", "ReceiverSimulator",
            ]),

        // The interface to clients.
        edgeTarget("Varlink"),
        pureTarget("GeoJSON", ["Chronology", "Geodesy", "Geofencing", "Varlink"]),
        edgeTarget(
            "Wire",
            ["Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Permission", "Varlink"],
            resources: [
                .embedInCode("Interfaces/io.sextant.Location.varlink"),
                .embedInCode("Interfaces/io.sextant.Receiver.varlink"),
                .embedInCode("Interfaces/io.sextant.Manager.varlink"),
                .embedInCode("Interfaces/io.sextant.Monitor.varlink"),
                .embedInCode("Interfaces/io.sextant.Session.varlink"),
                .embedInCode("Interfaces/io.sextant.Permission.varlink"),
                .embedInCode("Interfaces/io.sextant.Agent.varlink"),
            ]),

        // What bridges give to programs with other protocols: gpsd's, NMEA 0183, chrony's.
        pureTarget(
            "Bridges", ["Chronology", "NMEA", "RTCM", "Positioning", "Delivery", "Locator", "Varlink", "Wire"]),

        // Reports of a device to servers: OwnTracks, Home Assistant, Traccar.
        pureTarget("Fleet", ["Chronology", "Geodesy", "Permission", "Tracks", "Varlink"]),

        // Core Location for programs on Linux.
        edgeTarget("CoreLocation", ["Chronology", "Geodesy", "Varlink", "ClientTransport"]),

        // The operating system.
        .target(name: "CLinux"),
        // Keeps libdispatch out of the daemon; linked, never imported.
        .target(name: "CNoDispatch"),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // libcurl, loaded when a program needs it.
        .target(name: "CCurl"),
        // toml++ of the system, for configuration files.
        .target(name: "CTOML"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        edgeTarget("SystemCalls", ["CLinux"]),
        edgeTarget("Systemd", ["CSystemd", "CLinux", "SystemCalls", "Chronology"]),
        edgeTarget("Store", ["CSQLite", "SystemCalls", "Chronology", "Geodesy", "Positioning", "Geofencing"]),
        // Places: names of positions and positions of names, from a file that the user imports.
        pureTarget("Places", ["Chronology", "Geodesy"]),
        edgeTarget(
            "PlaceIndex", ["Places", "Store", "CSQLite", "Chronology", "Geodesy", "SystemCalls", "Varlink"]),
        edgeTarget("PlaceImport", ["Places", "PlaceIndex", "Store", "SystemCalls", "Geodesy", "Varlink"]),
        edgeTarget(
            "PlaceWire", ["Places", "PlaceIndex", "Chronology", "Geodesy", "Varlink"],
            resources: [.embedInCode("io.sextant.Places.varlink")]),
        // Serial ports (termios) and files of the state directory.
        edgeTarget("Serial", ["CLinux", "SystemCalls", "SerialLine"]),
        // Serial devices of the system (udev).
        edgeTarget("Devices", ["CUdev", "CLinux", "Receivers"]),
        // The configuration files, which the daemon and the bridges read.
        .target(
            name: "SettingsFiles",
            dependencies: ["CLinux", "SystemCalls", "CTOML"],
            swiftSettings: strict),
        // A simulated receiver on a pseudo-terminal.
        edgeTarget("SimulatedPort", ["CLinux", "SystemCalls", "Chronology", "ReceiverSimulator"]),

        // The library of client programs.
        edgeTarget("ClientTransport", ["Varlink", "Chronology", "SystemCalls", "CLinux"]),
        edgeTarget("SextantClient", ["ClientTransport", "Varlink", "Chronology"]),

        edgeTarget("FleetStore", ["Fleet", "Store", "Chronology", "Geodesy"]),
        // Streams and calls of the daemon in an event loop, for programs that serve others.
        edgeTarget(
            "DaemonLink", ["Chronology", "CLinux", "Permission", "SystemCalls", "Systemd", "Varlink", "Wire"]),

        // The programs.
        .executableTarget(
            name: "sextantd",
            dependencies: [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator", "GeoJSON",
                "Varlink", "Wire", "CLinux",
                "CNoDispatch", "SystemCalls", "Systemd", "Store", "Serial", "SerialLine", "Receivers",
                "ReceiverSessions", "ReceiverEnergy", "Devices", "Permission", "SettingsFiles", "RTCM",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, linkerSettings: shipped + ordered("sextantd")),
        .executableTarget(
            name: "sextant",
            dependencies: [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator", "Captures",
                "Varlink", "GeoJSON",
                "Wire",
                "CLinux",
                "SystemCalls",
                "Serial", "SerialLine", "Devices", "Receivers", "ReceiverEnergy", "ReceiverSimulator", "SimulatedPort",
                "Rehearsal", "Permission", "Bridges", "Fleet", "Places", "PlaceIndex", "PlaceImport", "PlaceWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: shipped),
        .executableTarget(
            name: "sextant-bridge",
            dependencies: [
                "Chronology", "Delivery", "RTCM", "Varlink", "Wire", "Bridges", "DaemonLink", "CLinux", "CNoDispatch",
                "SystemCalls", "Systemd", "SettingsFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict, linkerSettings: shipped + ordered("sextant-bridge")),

        .executableTarget(
            name: "sextant-fleet",
            dependencies: [
                "Chronology", "Geodesy", "Delivery", "Geofencing", "Permission", "Varlink", "Wire", "Fleet",
                "FleetStore",
                "SettingsFiles", "DaemonLink", "Store", "CLinux", "CNoDispatch", "CMosquitto", "CCurl", "CSodium",
                "SystemCalls", "Systemd", "ReceiverSimulator", "Tracks",
            ],
            swiftSettings: strict, linkerSettings: shipped),

        .executableTarget(
            name: "sextant-places",
            dependencies: [
                "Chronology", "Geodesy", "Permission", "Varlink", "Wire", "Places", "PlaceIndex", "PlaceWire", "Store",
                "CLinux", "CNoDispatch", "SystemCalls", "Systemd",
            ],
            swiftSettings: strict, linkerSettings: shipped + ordered("sextant-places")),

        // The programs of Examples, as ExamplesTests runs them. Each has a package of its own for its users.
        example("where-am-i", ["SextantClient"]),
        example("geofence-light", ["CoreLocation"]),
        example("background-tracker", ["CoreLocation"]),
        .target(
            name: "TripRecorder", dependencies: ["CoreLocation"], path: "Examples/ios-shared/Sources/TripRecorder",
            packageAccess: false, swiftSettings: [.swiftLanguageMode(.v6)]),
        example("trip", ["TripRecorder"], package: "ios-shared"),

        // What several test targets share: random numbers, sentences, temporary directories.
        .target(name: "CDiskFaults", path: "Tests/CDiskFaults"),
        .target(
            name: "TestSupport", dependencies: ["SystemCalls", "CDiskFaults"], path: "Tests/TestSupport",
            swiftSettings: strict),
        // The real daemon on pseudo-terminals, for the tests of the daemon and of client programs.
        .target(
            name: "DaemonSupport",
            dependencies: ["TestSupport", "CLinux", "SystemCalls", "Varlink", "ReceiverSimulator"],
            path: "Tests/DaemonSupport", swiftSettings: strict),
        tests("ChronologyTests", ["Chronology"]),
        tests(
            "BridgesTests",
            [
                "TestSupport", "Bridges", "RTCM", "Chronology", "Delivery", "Positioning", "Locator", "NMEA", "Varlink",
                "Wire",
            ]),
        tests(
            "BridgeProgramTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "Varlink", "Bridges", "SettingsFiles",
                "sextant-bridge", "sextantd", "sextant",
            ],
            resources: [.embedInCode("Foreign/gps_module.py"), .embedInCode("Foreign/service_manager.py")]),
        tests(
            "CoreLocationTests",
            [
                "TestSupport", "DaemonSupport", "CoreLocation", "ClientTransport", "Varlink", "Chronology", "sextantd",
                "sextant", "sextant-places",
            ]),
        // A program that uses every signature of CoreLocation, in both language modes.
        .testTarget(
            name: "CoreLocationSignatureTests", dependencies: ["CoreLocation"], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-warnings-as-errors"])]),
        .testTarget(
            name: "CoreLocationSwift5Tests", dependencies: ["CoreLocation"], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-warnings-as-errors"])]),
        tests("GeodesyTests", ["Geodesy"]),
        tests(
            "FleetTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "Systemd", "DaemonLink", "Fleet", "FleetStore",
                "Store",
                "sextant-fleet", "Permission", "Tracks", "Varlink", "Wire", "Geodesy", "Chronology",
            ]),
        tests(
            "FleetStoreTests", ["TestSupport", "FleetStore", "Fleet", "Permission", "Store", "Geodesy", "Chronology"]),
        tests("TracksTests", ["TestSupport", "Tracks", "Geodesy", "Chronology"]),
        tests("NMEATests", ["TestSupport", "NMEA", "Chronology"]),
        tests(
            "PositioningTests", ["TestSupport", "Positioning", "NMEA", "Chronology", "Geodesy", "ReceiverSimulator"]),
        tests("DeliveryTests", ["Delivery", "Positioning", "Chronology", "Geodesy"]),
        tests(
            "GeofencingTests", ["Geofencing", "Positioning", "Geodesy", "Chronology", "ReceiverSimulator"],
            exclude: ["Foreign"]),
        tests(
            "StoreTests",
            ["TestSupport", "Store", "CSQLite", "Geofencing", "Positioning", "Geodesy", "Chronology", "SystemCalls"]),
        tests(
            "LocatorTests",
            ["TestSupport", "Locator", "Geofencing", "Geodesy", "Delivery", "Positioning", "NMEA", "Chronology"]),
        tests(
            "CapturesTests",
            [
                "TestSupport", "Captures", "Locator", "Positioning", "Geofencing", "Delivery", "NMEA", "Chronology",
                "Wire", "GeoJSON", "Bridges",
                "Geodesy",
            ]),
        tests(
            "PlacesTests",
            [
                "TestSupport", "Places", "PlaceIndex", "PlaceImport", "Store", "Chronology", "Geodesy", "SystemCalls",
            ]),
        tests(
            "PlacesProgramTests",
            [
                "TestSupport", "DaemonSupport", "Places", "PlaceIndex", "PlaceImport", "PlaceWire", "Geodesy",
                "Chronology", "SystemCalls", "CLinux", "Varlink", "Wire", "sextant-places", "sextant", "sextantd",
            ],
            resources: [.embedInCode("Foreign/activation.py")]),
        tests("PermissionTests", ["Permission", "Chronology", "Geodesy", "Delivery"]),
        tests("VarlinkTests", ["TestSupport", "Varlink"]),
        tests("GeoJSONTests", ["GeoJSON", "Varlink", "Geofencing", "Geodesy", "Chronology"]),
        tests(
            "WireTests",
            [
                "TestSupport", "Wire", "Varlink", "Permission", "Positioning", "Geofencing", "Delivery", "Locator",
                "Chronology",
                "Geodesy",
            ]),
        tests("SystemdTests", ["Systemd", "CLinux", "SystemCalls", "Chronology"]),
        tests("SerialLineTests", ["SerialLine", "Delivery", "Chronology"]),
        tests("SerialTests", ["Serial", "SerialLine", "CLinux", "SystemCalls", "Chronology"]),
        tests("DevicesTests", ["Devices", "Receivers", "CLinux"]),
        tests(
            "ReceiversTests",
            ["Receivers", "ReceiverEnergy", "ReceiverSimulator", "Positioning", "NMEA", "Delivery", "Chronology"]),
        tests(
            "ReceiverSessionsTests",
            [
                "TestSupport", "ReceiverSessions", "Receivers", "SerialLine", "Locator", "Delivery", "Positioning",
                "Chronology",
            ]),
        tests("ReceiverEnergyTests", ["ReceiverEnergy", "Receivers", "Delivery", "Chronology"]),
        tests(
            "ReceiverSimulatorTests",
            [
                "ReceiverSimulator", "SimulatedPort", "Receivers", "ReceiverEnergy", "Delivery", "Captures", "NMEA",
                "Geodesy", "Chronology", "CLinux", "SystemCalls",
            ]),
        tests(
            "RehearsalTests",
            [
                "Rehearsal", "ReceiverSimulator", "Delivery", "Geofencing", "Locator", "Positioning", "Geodesy",
                "Chronology",
            ]),
        tests(
            "DaemonTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "Systemd", "Store", "Serial", "SerialLine",
                "Chronology",
                "Delivery",
                "Receivers", "ReceiverSessions", "ReceiverEnergy", "Devices", "Geofencing", "Locator", "Permission",
                "Positioning",
                "Varlink",
                "ReceiverSimulator", "SimulatedPort", "sextantd",
            ],
            resources: [
                .embedInCode("Foreign/acting.py"),
                .embedInCode("Foreign/connections.py"),
                .embedInCode("Foreign/ended_process.py"),
                .embedInCode("Foreign/other_user.py"),
                .embedInCode("Foreign/permissions.py"),
                .embedInCode("Foreign/with_varlink.py"),
                .embedInCode("Foreign/with_asyncvarlink.py"),
            ]),
        tests(
            "ClientTransportTests",
            [
                "TestSupport", "DaemonSupport", "ClientTransport", "Varlink", "Chronology", "sextantd",
            ]),
        tests(
            "SextantClientTests",
            [
                "TestSupport", "DaemonSupport", "SextantClient", "ClientTransport", "Varlink", "Chronology", "Wire",
                "sextantd",
            ]),
        tests(
            "ExamplesTests",
            [
                "TestSupport", "DaemonSupport", "Varlink", "sextantd", "where-am-i", "geofence-light",
                "background-tracker", "trip",
            ]),
        tests(
            "CommandTests",
            [
                "TestSupport", "CLinux", "Captures", "Chronology", "Geodesy", "Geofencing", "Delivery", "Positioning",
                "Receivers", "Permission",
                "Rehearsal", "Serial", "SimulatedPort",
                "SystemCalls", "Varlink",
                "Wire", "sextant",
            ]),
    ]
)

// Only `make docs` needs the plugin: users of the libraries do not fetch it.
if Context.environment["SEXTANT_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
