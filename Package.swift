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
func pureTarget(_ folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    edgeTarget(folder, dependencies)
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
        .library(name: "PlaceReaders", targets: ["Places"]),
    ]

let package = Package(
    name: "sextant",
    products: [
        .library(name: "Varlink", targets: ["Varlink", "VarlinkClient"]),
        .library(
            name: "SextantCore",
            targets: ["Chronology", "Geodesy", "NMEA", "Positioning", "Locator", "Geofencing"]),
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
        pureTarget("API/Varlink"),
        edgeTarget(
            "API/Wire",
            ["Chronology", "Geodesy", "Positioning", "Geofencing", "Locator", "Permission", "Varlink", "NMEA"],
            resources: [
                .embedInCode("Interfaces/io.sextant.Location.varlink"),
                .embedInCode("Interfaces/io.sextant.Receiver.varlink"),
                .embedInCode("Interfaces/io.sextant.Manager.varlink"),
                .embedInCode("Interfaces/io.sextant.Monitor.varlink"),
                .embedInCode("Interfaces/io.sextant.Session.varlink"),
                .embedInCode("Interfaces/io.sextant.Permission.varlink"),
                .embedInCode("Interfaces/io.sextant.Agent.varlink"),
            ]),

        // Engine: from sentences to updates and events.
        pureTarget("Engine/Positioning", ["Chronology", "Geodesy", "NMEA"]),
        pureTarget("Engine/Geofencing", ["Chronology", "Geodesy", "Positioning", "Varlink"]),
        // Who may know the location: policy, decisions, verdicts, record of use; reduced locations.
        pureTarget("Engine/Permission", ["Chronology", "Geodesy", "Positioning"]),
        pureTarget(
            "Engine/Locator", ["Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing"]),
        // Receivers: catalogue and drivers; baud rate detection and read schedule; energy; sessions, which are a receiver with
        // its port.
        pureTarget("Engine/Receivers", ["Chronology", "NMEA", "Positioning", "Locator"]),

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
        // The client end of the socket: blocking calls, and calls as async sequences.
        edgeTarget("Platform/VarlinkClient", ["Varlink", "Chronology", "SystemCalls", "CLinux"]),
        // Event loop and system services of the programs that serve others, and their streams and calls of the daemon.
        edgeTarget(
            "Platform/ServiceRuntime",
            ["CSystemd", "CLinux", "SystemCalls", "VarlinkClient", "Chronology", "Permission", "Varlink", "Wire"]),
        edgeTarget("Platform/SQLite", ["CSQLite", "SystemCalls", "Chronology"]),
        // The tables of the daemon's database.
        edgeTarget(
            "Platform/StateStore", ["SQLite", "CSQLite", "Chronology", "Geodesy", "Positioning", "Geofencing"]),
        // Serial ports (termios), serial devices of the system (udev) and files of the state directory.
        edgeTarget("Platform/SerialPorts", ["CUdev", "CLinux", "SystemCalls", "Receivers"]),
        // The configuration files, which the daemon and the bridges read.
        edgeTarget("Platform/Settings", ["CLinux", "SystemCalls", "CTOML"]),

        // Libraries of client programs.
        edgeTarget("Libraries/SextantClient", ["VarlinkClient", "Varlink", "Chronology"]),
        edgeTarget("Libraries/CoreLocation", ["Chronology", "Geodesy", "Varlink", "VarlinkClient"]),

        // Features: what bridges give to programs with other protocols: gpsd's, NMEA 0183, chrony's.
        pureTarget(
            "Features/Bridges",
            ["Chronology", "NMEA", "Positioning", "Locator", "Varlink", "Wire"]),
        // Reports of a device to servers: OwnTracks, Home Assistant, Traccar.
        edgeTarget(
            "Features/Fleet",
            [
                "Chronology", "Geodesy", "Permission", "Varlink", "SQLite", "SystemCalls", "Geofencing", "Wire",
                "ServiceRuntime", "VarlinkClient", "CCurl", "CMosquitto", "CSodium", "Locator", "Positioning",
            ]),
        // Places: names of positions and positions of names, from a file that the user imports.
        edgeTarget("Features/Places", ["SQLite", "CSQLite", "Chronology", "Geodesy", "SystemCalls", "Varlink"]),
        edgeTarget(
            "Features/PlaceWire", ["Places", "Chronology", "Geodesy", "Varlink"],
            resources: [.embedInCode("io.sextant.Places.varlink")]),
        // Simulated receivers, also on a pseudo-terminal, and a day of the daemon in simulated time: what clients get, and
        // what it costs.
        edgeTarget(
            "Features/Simulator",
            [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Locator", "Receivers", "CLinux",
                "SystemCalls",
            ]),

        // The programs.
        program(
            "sextantd",
            [
                "Chronology", "Geodesy", "Positioning", "Geofencing", "Locator", "Varlink", "Wire", "CLinux",
                "CNoDispatch", "SystemCalls", "ServiceRuntime", "SQLite", "StateStore", "SerialPorts", "Receivers",
                "Permission", "Settings", "NMEA", .product(name: "Logging", package: "swift-log"),
            ],
            linkerSettings: shipped + ordered("sextantd")),
        program(
            "sextant",
            [
                "Chronology", "Geodesy", "NMEA", "Positioning", "Geofencing", "Locator", "Varlink", "Wire", "CLinux",
                "SystemCalls", "SerialPorts", "Receivers", "Simulator", "Permission", "Bridges", "Places", "PlaceWire",
                "VarlinkClient", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: shipped),
        program(
            "sextant-bridge",
            [
                "Chronology", "Locator", "NMEA", "Varlink", "Wire", "Bridges", "CLinux", "CNoDispatch", "SystemCalls",
                "ServiceRuntime", "Settings", "VarlinkClient", "Positioning",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: shipped + ordered("sextant-bridge")),

        program(
            "sextant-fleet",
            [
                "Chronology", "Geodesy", "Varlink", "Wire", "Fleet", "Settings", "CNoDispatch", "SystemCalls",
                "ServiceRuntime", "Simulator",
            ],
            linkerSettings: shipped),

        program(
            "sextant-places",
            [
                "Chronology", "Geodesy", "Permission", "Varlink", "Wire", "Places", "PlaceWire", "SQLite", "CLinux",
                "CNoDispatch", "SystemCalls", "ServiceRuntime",
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
            dependencies: ["TestSupport", "CLinux", "SystemCalls", "Varlink", "Simulator", "VarlinkClient"],
            path: "Tests/DaemonSupport", swiftSettings: strict),
        tests("ChronologyTests", ["Chronology"]),
        tests(
            "BridgesTests",
            ["TestSupport", "Bridges", "NMEA", "Chronology", "Locator", "Positioning", "Varlink", "Wire", "Geodesy"]),
        tests(
            "BridgeProgramTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "Varlink", "Bridges", "Settings",
                "sextant-bridge", "sextantd", "sextant", "VarlinkClient",
            ],
            resources: [.embedInCode("Foreign/gps_module.py"), .embedInCode("Foreign/service_manager.py")]),
        tests(
            "CoreLocationTests",
            [
                "TestSupport", "DaemonSupport", "CoreLocation", "VarlinkClient", "Varlink", "Chronology", "sextantd",
                "sextant", "sextant-places",
            ]),
        // A program that uses every signature of CoreLocation, in both language modes.
        .testTarget(
            name: "CoreLocationSignatureTests", dependencies: ["CoreLocation"], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-warnings-as-errors"])]),
        .testTarget(
            name: "CoreLocationSwift5Tests", dependencies: ["CoreLocation"], packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-warnings-as-errors"])]),
        tests("GeodesyTests", ["Geodesy", "Chronology", "TestSupport"]),
        tests(
            "FleetTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "ServiceRuntime", "Fleet", "sextant-fleet",
                "Permission", "Geodesy", "Varlink", "Chronology", "VarlinkClient", "SQLite", "Wire",
            ]),
        tests("NMEATests", ["TestSupport", "NMEA", "Chronology"]),
        tests(
            "PositioningTests", ["TestSupport", "Positioning", "NMEA", "Chronology", "Geodesy", "Simulator"]),
        tests(
            "GeofencingTests", ["Geofencing", "Positioning", "Geodesy", "Chronology", "Simulator", "Varlink"],
            exclude: ["Foreign"]),
        tests(
            "StateStoreTests",
            ["TestSupport", "SQLite", "StateStore", "Geofencing", "Positioning", "Geodesy", "Chronology"]),
        tests(
            "LocatorTests",
            [
                "TestSupport", "Locator", "Geofencing", "Geodesy", "Positioning", "NMEA", "Chronology", "Bridges",
                "Wire", "Varlink",
            ]),
        tests(
            "PlacesTests",
            ["TestSupport", "Places", "Chronology", "Geodesy", "SystemCalls"]),
        tests(
            "PlacesProgramTests",
            [
                "TestSupport", "DaemonSupport", "Places", "PlaceWire", "Geodesy", "SystemCalls", "CLinux", "Varlink",
                "sextant-places", "sextant", "sextantd", "VarlinkClient",
            ],
            resources: [.embedInCode("Foreign/activation.py")]),
        tests("PermissionTests", ["Permission", "Chronology", "Geodesy", "Positioning"]),
        tests("VarlinkTests", ["TestSupport", "Varlink"]),
        tests(
            "WireTests",
            [
                "TestSupport", "Wire", "Varlink", "Permission", "Positioning", "Geofencing", "Locator", "Chronology",
                "Geodesy", "NMEA",
            ]),
        tests("ServiceRuntimeTests", ["ServiceRuntime", "CLinux", "SystemCalls", "Chronology"]),
        tests("SerialPortsTests", ["SerialPorts", "Receivers", "CLinux", "SystemCalls"]),
        tests(
            "ReceiversTests",
            ["Receivers", "Simulator", "Positioning", "NMEA", "Locator", "Chronology", "TestSupport"]),
        tests(
            "SimulatorTests",
            [
                "Simulator", "Receivers", "NMEA", "Geodesy", "Chronology", "CLinux", "SystemCalls", "Geofencing",
                "Locator", "Positioning",
            ]),
        tests(
            "DaemonTests",
            [
                "TestSupport", "DaemonSupport", "CLinux", "SystemCalls", "ServiceRuntime", "SQLite", "StateStore",
                "SerialPorts", "Receivers", "Chronology", "Locator", "Geofencing", "Permission", "Positioning",
                "Varlink", "Simulator", "sextantd", "VarlinkClient", "Geodesy", "Wire",
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
            "VarlinkClientTests",
            ["TestSupport", "DaemonSupport", "VarlinkClient", "Varlink", "Chronology", "sextantd"]),
        tests(
            "SextantClientTests",
            [
                "TestSupport", "DaemonSupport", "SextantClient", "VarlinkClient", "Varlink", "Chronology", "Wire",
                "sextantd",
            ]),
        tests(
            "ExamplesTests",
            [
                "TestSupport", "DaemonSupport", "Varlink", "sextantd", "where-am-i", "geofence-light",
                "background-tracker", "trip", "VarlinkClient",
            ]),
        tests(
            "CommandTests",
            [
                "TestSupport", "CLinux", "Locator", "Chronology", "Geofencing", "Receivers", "Permission", "Simulator",
                "SerialPorts", "SystemCalls", "Varlink", "Wire", "sextant", "VarlinkClient", "Bridges", "Positioning",
            ]),
    ]
)

// Only `make docs` needs the plugin: users of the libraries do not fetch it.
if Context.environment["SEXTANT_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
