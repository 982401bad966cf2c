// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target without access to the operating system: values in, values out, with the time as an argument. It depends on no
/// C library; `.ci/purity-check` verifies that, its imports and its calls.
///
/// - Parameter folder: the folder in Sources, whose last part is the name of the target.
func pureTarget(
    _ folder: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    edgeTarget(folder, dependencies, resources: resources)
}

/// A target that may use the operating system.
func edgeTarget(
    _ folder: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: folder.split(separator: "/").last.map(String.init) ?? folder, dependencies: dependencies,
        path: "Sources/\(folder)", resources: resources, swiftSettings: strict)
}

/// Headers and small functions in C.
///
/// - Parameters:
///   - library: the library of the system that they belong to, by its name for pkg-config; nil for none.
///   - package: the Debian package with the library's headers.
func shim(_ name: String, of library: String? = nil, package: String? = nil) -> Target {
    let path = "Sources/Platform/C/\(name)"
    guard let library, let package else { return .target(name: name, path: path) }
    return .systemLibrary(name: name, path: path, pkgConfig: library, providers: [.apt([package])])
}

/// A program.
func program(_ name: String, _ dependencies: [Target.Dependency], linkerSettings: [LinkerSetting]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/\(name)", swiftSettings: strict,
        linkerSettings: linkerSettings)
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
        .library(name: "Bridges", targets: ["Bridges", "NMEA"]),
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
        // Base: values that nothing else explains.
        pureTarget("Base/Chronology"),
        pureTarget("Base/Geodesy", ["Chronology"]),
        pureTarget("Base/NMEA", ["Chronology"]),

        // API: the interface to clients.
        edgeTarget("API/Varlink"),
        // The messages, enumerations and methods of the sockets; Generated is written by generate-api.
        pureTarget(
            "API/SextantAPI", ["Varlink"],
            resources: [
                .embedInCode("Interfaces/io.sextant.Location.varlink"),
                .embedInCode("Interfaces/io.sextant.Receiver.varlink"),
                .embedInCode("Interfaces/io.sextant.Manager.varlink"),
                .embedInCode("Interfaces/io.sextant.Monitor.varlink"),
                .embedInCode("Interfaces/io.sextant.Session.varlink"),
                .embedInCode("Interfaces/io.sextant.Permission.varlink"),
                .embedInCode("Interfaces/io.sextant.Agent.varlink"),
                .embedInCode("Interfaces/io.sextant.Places.varlink"),
            ]),
        .executableTarget(
            name: "generate-api", dependencies: ["Varlink"], path: "Tools/generate-api", exclude: ["forms.json"],
            swiftSettings: strict),
        edgeTarget(
            "API/Wire",
            [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Permission", "SextantAPI",
                "Varlink",
            ]),

        // Engine: from sentences to updates and events.
        pureTarget("Engine/Positioning", ["Chronology", "Geodesy", "NMEA", "SextantAPI"]),
        pureTarget("Engine/Delivery", ["Chronology", "Geodesy", "Positioning", "SextantAPI"]),
        pureTarget("Engine/Geofencing", ["Chronology", "Geodesy", "Positioning", "SextantAPI", "Varlink"]),
        // Who may know the location: policy, decisions, verdicts, record of use; reduced locations.
        pureTarget("Engine/Permission", ["Chronology", "Geodesy", "Delivery", "SextantAPI"]),
        pureTarget(
            "Engine/Locator",
            ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "SextantAPI"]),
        pureTarget("Engine/Captures", ["Chronology", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator"]),
        // Receivers: catalogue and drivers; baud rate detection and read schedule; energy; sessions, which are a receiver with
        // its port.
        pureTarget("Engine/Receivers", ["Chronology", "NMEA", "Positioning", "Delivery", "Locator"]),

        // Platform: the operating system.
        shim("CLinux"),
        // Keeps libdispatch out of the daemon; linked, never imported.
        shim("CNoDispatch"),
        // libcurl, loaded when a program needs it.
        shim("CCurl"),
        // toml++ of the system, for configuration files.
        shim("CTOML"),
        shim("CUdev", of: "libudev", package: "libudev-dev"),
        shim("CSystemd", of: "libsystemd", package: "libsystemd-dev"),
        shim("CMosquitto", of: "libmosquitto", package: "libmosquitto-dev"),
        shim("CSodium", of: "libsodium", package: "libsodium-dev"),
        shim("CSQLite", of: "sqlite3", package: "libsqlite3-dev"),
        edgeTarget("Platform/SystemCalls", ["CLinux"]),
        edgeTarget("Platform/Systemd", ["CSystemd", "CLinux", "SystemCalls", "Chronology"]),
        edgeTarget("Platform/Store", ["CSQLite", "SystemCalls", "Chronology", "Geodesy", "Positioning", "Geofencing"]),
        // Serial ports (termios), serial devices of the system (udev) and files of the state directory.
        edgeTarget("Platform/SerialPorts", ["CUdev", "CLinux", "SystemCalls", "Receivers"]),
        // The configuration files, which the daemon and the bridges read.
        edgeTarget("Platform/SettingsFiles", ["CLinux", "SystemCalls", "CTOML"]),
        edgeTarget("Platform/ClientTransport", ["Varlink", "Chronology", "SystemCalls", "CLinux"]),
        // Streams and calls of the daemon in an event loop, for programs that serve others.
        edgeTarget(
            "Platform/DaemonLink",
            ["Chronology", "CLinux", "Permission", "SystemCalls", "Systemd", "Varlink", "Wire"]),

        // Libraries of client programs.
        edgeTarget("Libraries/SextantClient", ["ClientTransport", "Varlink", "Chronology"]),
        edgeTarget("Libraries/CoreLocation", ["Chronology", "Geodesy", "Varlink", "ClientTransport"]),

        // Features: what bridges give to programs with other protocols: gpsd's, NMEA 0183, chrony's.
        pureTarget(
            "Features/Bridges",
            ["Chronology", "NMEA", "Positioning", "Delivery", "Locator", "Varlink", "Wire"]),
        // Reports of a device to servers: OwnTracks, Home Assistant, Traccar.
        pureTarget("Features/Fleet", ["Chronology", "Geodesy", "Permission", "Varlink"]),
        edgeTarget("Features/FleetStore", ["Fleet", "Store", "Chronology", "Geodesy"]),
        // Places: names of positions and positions of names, from a file that the user imports.
        pureTarget("Features/Places", ["Chronology", "Geodesy"]),
        edgeTarget(
            "Features/PlaceIndex", ["Places", "Store", "CSQLite", "Chronology", "Geodesy", "SystemCalls", "Varlink"]),
        edgeTarget("Features/PlaceImport", ["Places", "PlaceIndex", "Store", "SystemCalls", "Geodesy", "Varlink"]),
        edgeTarget("Features/PlaceWire", ["Places", "PlaceIndex", "Chronology", "Geodesy", "SextantAPI", "Varlink"]),
        pureTarget(
            "Features/ReceiverSimulator",
            ["Chronology", "Geodesy", "NMEA", "Positioning", "Captures", "Receivers"]),
        // A day of the daemon in simulated time: what clients get, and what it costs.
        pureTarget(
            "Features/Rehearsal",
            [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Receivers",
                "ReceiverSimulator",
            ]),
        // A simulated receiver on a pseudo-terminal.
        edgeTarget("Features/SimulatedPort", ["CLinux", "SystemCalls", "Chronology", "ReceiverSimulator"]),

        // The programs.
        program(
            "sextantd",
            [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Delivery", "Locator", "Varlink", "Wire",
                "CLinux", "CNoDispatch", "SystemCalls", "Systemd", "Store", "SerialPorts", "Receivers", "Permission",
                "SettingsFiles", "NMEA", .product(name: "Logging", package: "swift-log"),
            ],
            linkerSettings: shipped + ordered("sextantd")),
        program(
            "sextant",
            [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Delivery", "Locator", "Captures",
                "Varlink", "Wire", "CLinux", "SystemCalls", "SerialPorts", "Receivers", "ReceiverSimulator",
                "SimulatedPort", "Rehearsal", "Permission", "Bridges", "Fleet", "Places", "PlaceIndex", "PlaceImport",
                "PlaceWire", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: shipped),
        program(
            "sextant-bridge",
            [
                "Chronology", "Delivery", "NMEA", "Varlink", "Wire", "Bridges", "DaemonLink", "CLinux", "CNoDispatch",
                "SystemCalls", "Systemd", "SettingsFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: shipped + ordered("sextant-bridge")),

        program(
            "sextant-fleet",
            [
                "Chronology", "Geodesy", "Delivery", "Geofencing", "Permission", "Varlink", "Wire", "Fleet",
                "FleetStore", "SettingsFiles", "DaemonLink", "Store", "CNoDispatch", "CMosquitto", "CCurl", "CSodium",
                "SystemCalls", "Systemd", "ReceiverSimulator",
            ],
            linkerSettings: shipped),

        program(
            "sextant-places",
            [
                "Chronology", "Geodesy", "Permission", "Varlink", "Wire", "Places", "PlaceIndex", "PlaceWire", "Store",
                "CLinux", "CNoDispatch", "SystemCalls", "Systemd",
            ],
            linkerSettings: shipped + ordered("sextant-places")),

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
            ["TestSupport", "Bridges", "NMEA", "Chronology", "Delivery", "Positioning", "Locator", "Varlink", "Wire"]),
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
                "Store", "sextant-fleet", "Permission", "Geodesy", "Varlink", "Wire", "Chronology",
            ]),
        tests(
            "FleetStoreTests", ["TestSupport", "FleetStore", "Fleet", "Permission", "Store", "Geodesy", "Chronology"]),
        tests("TracksTests", ["TestSupport", "Geodesy", "Chronology"]),
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
                "Varlink", "Wire", "Bridges", "Geodesy",
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
        tests("GenerateAPITests", ["generate-api"]),
        tests("GeoJSONTests", ["Geofencing", "Varlink", "Geodesy", "Chronology"]),
        tests(
            "WireTests",
            [
                "TestSupport", "Wire", "Varlink", "Permission", "Positioning", "Geofencing", "Delivery", "Locator",
                "Chronology",
                "Geodesy",
            ]),
        tests("SystemdTests", ["Systemd", "CLinux", "SystemCalls", "Chronology"]),
        tests("SerialLineTests", ["Receivers", "Delivery", "Chronology"]),
        tests("SerialTests", ["SerialPorts", "Receivers", "CLinux", "SystemCalls", "Chronology"]),
        tests("DevicesTests", ["SerialPorts", "Receivers", "CLinux"]),
        tests(
            "ReceiversTests",
            ["Receivers", "ReceiverSimulator", "Positioning", "NMEA", "Delivery", "Chronology"]),
        tests(
            "ReceiverSessionsTests",
            ["TestSupport", "Receivers", "Locator", "Delivery", "Positioning", "Chronology"]),
        tests("ReceiverEnergyTests", ["Receivers", "Delivery", "Chronology"]),
        tests(
            "ReceiverSimulatorTests",
            [
                "ReceiverSimulator", "SimulatedPort", "Receivers", "Delivery", "Captures", "NMEA", "Geodesy",
                "Chronology", "CLinux", "SystemCalls",
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
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "Systemd", "Store", "SerialPorts", "Receivers",
                "Chronology", "Delivery", "Geofencing", "Locator", "Permission", "Positioning", "Varlink",
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
                "Receivers", "Permission", "Rehearsal", "SerialPorts", "SimulatedPort", "SystemCalls", "Varlink",
                "Wire", "sextant",
            ]),
    ]
)

// Only `make docs` needs the plugin: users of the libraries do not fetch it.
if Context.environment["SEXTANT_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
