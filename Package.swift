// swift-tools-version: 6.1
import PackageDescription

typealias Dependencies = [Target.Dependency]

/// Whether the environment has `SEXTANT_NAME`: `TOOLS` adds tools and benchmarks, `FUZZ` the fuzz targets,
/// `DOCS` the plugin of `make docs`; `PURE` leaves the pure targets and their tests.
func isSet(_ name: String) -> Bool { Context.environment["SEXTANT_\(name)"] != nil }

let features = ["ExistentialAny", "MemberImportVisibility"]
let strict = [SwiftSetting.swiftLanguageMode(.v6)] + features.map { .enableUpcomingFeature($0) }
/// Targets that tests let process days of sentences: optimized in debug builds too, but not for `make check`.
/// None may be part of a product: a user's package refuses unsafe flags.
let optimized: Set = isSet("PURE") ? [] : ["NMEA", "Positioning", "Geofencing", "Locator", "Receivers", "Simulator"]

// Sets of dependencies; `.ci/manifest.py` reads them too.
let base: Dependencies = ["Chronology", "Geodesy", "NMEA"]
let fences: Dependencies = ["Chronology", "Geodesy", "Positioning", "Geofencing"]
let engine: Dependencies = fences + ["NMEA", "Locator"]
let receivers: Dependencies = engine + ["Receivers", "Permission", "Simulator"]
let system: Dependencies = ["CLinux", "SystemCalls"]
let sockets: Dependencies = system + ["Varlink", "VarlinkClient"]
let messages: Dependencies = ["Varlink", "SextantAPI", "Chronology"]
let api: Dependencies = messages + ["SextantServiceAPI"]
let services: Dependencies = sockets + ["ServiceRuntime", "SextantAPI", "Settings"]
let fleet: Dependencies = ["CCurl", "CMosquitto", "CSodium", "Chronology", "Geodesy", "Permission", "SQLite"]
let contained: Dependencies = ["sextant-beacons", "sextant-bridge", "sextant-places"]  // see decision 0022
let daemon: Dependencies = services + ["DaemonSupport", "sextantd"]
let store: Dependencies = ["SQLite", "StateStore"]
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// A target in a folder of Sources, whose last part is its name.
func edgeTarget(
    _ folder: String, _ dependencies: Dependencies = [], embedding resource: String? = nil, exclude: [String] = []
) -> Target {
    let name = String(folder.split(separator: "/")[1])
    return .target(
        name: name, dependencies: dependencies, path: "Sources/\(folder)", exclude: exclude,
        resources: resource.map { [.embedInCode($0)] } ?? [],
        swiftSettings: strict + (optimized.contains(name) ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []))
}

/// A target without access to the operating system, with the time as an argument. `.ci/purity-check` verifies that.
func pureTarget(
    _ folder: String, _ dependencies: Dependencies = [], embedding resource: String? = nil, exclude: [String] = []
) -> Target { edgeTarget(folder, dependencies, embedding: resource, exclude: exclude) }

/// Headers and small functions in C, for a library by its name for pkg-config and the Debian package with its headers.
func shim(_ name: String, of library: String? = nil, package: String? = nil) -> Target {
    let path = "Sources/Platform/C/\(name)"
    guard let library else { return .target(name: name, path: path) }
    return .systemLibrary(name: name, path: path, pkgConfig: library, providers: [.apt([package ?? "\(library)-dev"])])
}

/// A program. CNoDispatch keeps libdispatch out of the services; it is linked, never imported.
func program(_ name: String, _ dependencies: Dependencies, exclude: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + (name == "sextant" ? [] : ["CNoDispatch"]),
        path: "Sources/Programs/\(name)", exclude: exclude, swiftSettings: strict,
        linkerSettings: shipped + (name == "sextantd" ? ordered : []))
}

/// A module for tests or tools.
func module(_ name: String, _ dependencies: Dependencies, in folder: String) -> Target {
    .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: strict)
}

/// A program that is not installed.
func tool(_ name: String, _ uses: Dependencies, in folder: String = "Tools/Sources", isUser: Bool = false) -> Target {
    .executableTarget(
        name: name, dependencies: uses, path: "\(folder)/\(name)",
        exclude: name == "generate-api" ? ["forms.json"] : [],
        packageAccess: !isUser, swiftSettings: [.swiftLanguageMode(.v6)])
}

/// Tests in the folder `path`, by default in Tests. The folder Foreign has programs in other languages.
func tests(
    _ name: String, _ dependencies: Dependencies, path: String? = nil, exclude: [String] = [], foreign: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: path, exclude: exclude,
        resources: foreign ? [.embedInCode("Foreign")] : [], swiftSettings: strict)
}

/// How the programs are linked for release. Nothing looks their own symbols up. The static C++ library of
/// `make build` saves every process 50 kB of private memory and 1.5 MB resident.
let shipped: [LinkerSetting] = [
    .unsafeFlags(
        ["-Xlinker", "--no-export-dynamic", "-L\(Context.packageDirectory)/.build/static"],
        .when(configuration: .release))
]

/// Puts the functions that services usually execute next to each other (`make order`). The kernel maps 64 kB
/// around each page that is needed: scattered functions keep most of Swift's library resident.
let ordered: [LinkerSetting] = {
    let order = "--symbol-ordering-file=\(Context.packageDirectory)/packaging/sextantd.order"
    let map = Context.environment["SEXTANT_LINK_MAP"].map { ["-Xlinker", "-Map=\($0)"] } ?? []
    let flags = ["-use-ld=lld", "-Xlinker", order, "-Xlinker", "--no-warn-symbol-ordering"]
    return [.unsafeFlags(flags + map, .when(configuration: .release))]
}()

let pureTargets = [
    pureTarget("Base/Chronology"),
    pureTarget("Base/Geodesy", ["Chronology"]),
    pureTarget("Base/NMEA", ["Chronology"]),
    pureTarget("API/Varlink"),
    // The programs that answer with the texts of the interfaces have them, not the libraries.
    pureTarget("API/SextantAPI", ["Chronology", "Varlink"], exclude: ["Interfaces"]),
    pureTarget("API/SextantServiceAPI", ["SextantAPI", "Varlink"]),
    pureTarget("Engine/Positioning", base + ["SextantAPI"]),
    pureTarget("Engine/Geofencing", ["Chronology", "Geodesy", "Positioning", "SextantAPI", "Varlink"]),
    pureTarget("Engine/Permission", ["Chronology", "Geodesy", "Positioning", "SextantAPI"]),
    pureTarget("Engine/Locator", fences + api + ["NMEA", "Permission"], embedding: "Interfaces"),
    pureTarget("Engine/Receivers", base + ["Positioning", "Locator", "SextantAPI"]),
    pureTarget("Features/Bridges", base + ["Positioning", "Locator", "Varlink", "SextantAPI"]),
]

let targets = [
    shim("CLinux"), shim("CNoDispatch"), shim("CCurl"), shim("CTOML"),
    shim("CUdev", of: "libudev"), shim("CSystemd", of: "libsystemd"), shim("CMosquitto", of: "libmosquitto"),
    shim("CSodium", of: "libsodium"), shim("CCrypt", of: "libcrypt"), shim("CMicrohttpd", of: "libmicrohttpd"),
    shim("CSQLite", of: "sqlite3", package: "libsqlite3-dev"),
    edgeTarget("Platform/SystemCalls", ["CLinux", "Chronology"]),
    edgeTarget("Platform/VarlinkClient", system + ["Varlink", "Chronology"]),
    edgeTarget("Platform/ServiceRuntime", sockets + ["CSystemd", "Chronology", "SextantAPI"]),
    edgeTarget("Platform/SQLite", ["CSQLite", "SystemCalls", "Chronology"]),
    edgeTarget("Platform/StateStore", fences + ["SQLite", "CSQLite"]),
    edgeTarget("Platform/SerialPorts", system + ["CUdev", "Receivers"]),
    edgeTarget("Platform/Settings", system + ["CTOML", "Permission"]),
    edgeTarget("Libraries/SextantClient", messages + ["VarlinkClient"]),
    edgeTarget("Libraries/CoreLocation", messages + ["VarlinkClient", "Geodesy", "SystemCalls"]),
    edgeTarget("Libraries/UniformTypeIdentifiers"),
    edgeTarget("Libraries/CoreSpotlight", api + ["VarlinkClient", "SystemCalls", "UniformTypeIdentifiers"]),
    edgeTarget("Features/Fleet", services + api + fleet),
    edgeTarget("Features/Places", api + ["Geodesy", "SystemCalls", "SQLite", "CSQLite"], embedding: "Interfaces"),
    edgeTarget("Features/Simulator", engine + system + ["Receivers"]),
    program("sextantd", engine + services + api + store + contained + ["Permission", "Receivers", "SerialPorts", log]),
    program("sextant", receivers + sockets + api + ["SerialPorts", "Bridges", "Places", argumentParser]),
    edgeTarget("Programs/sextant-beacons", services + ["Chronology", "Geofencing", "Locator"]),
    edgeTarget("Programs/sextant-bridge", services + engine + ["Bridges", "CCurl"]),
    edgeTarget("Programs/sextant-places", services + api + ["Geodesy", "Permission", "Places", "SQLite"]),
    program("sextant-fleet", services + ["Chronology", "Permission", "Fleet"]),
    program("sextant-web", services + ["CCrypt", "CMicrohttpd", "Chronology", "SQLite"], exclude: ["Page"]),
    // The programs of Examples, as ExamplesTests runs them. Each has a package of its own for its users.
    tool("where-am-i", ["SextantClient"], in: "Examples/where-am-i/Sources", isUser: true),
    tool("geofence-light", ["CoreLocation"], in: "Examples/geofence-light/Sources", isUser: true),
    tool("background-tracker", ["CoreLocation"], in: "Examples/background-tracker/Sources", isUser: true),
    tool("order-index", ["CoreSpotlight"], in: "Examples/order-index/Sources", isUser: true),
    module("TripRecorder", ["CoreLocation"], in: "Examples/ios-shared/Sources"),
    tool("trip", ["TripRecorder"], in: "Examples/ios-shared/Sources", isUser: true),
]

let testTargets = [
    .target(name: "CDiskFaults", path: "Tests/CDiskFaults"),
    module("TestSupport", ["Chronology", "SystemCalls", "Varlink", "CDiskFaults"], in: "Tests"),
    module("DaemonSupport", sockets + ["TestSupport", "Simulator"], in: "Tests"),
    tests("ChronologyTests", ["Chronology"]), tests("GeodesyTests", ["Chronology", "Geodesy"]),
    tests("NMEATests", ["Chronology", "NMEA"]), tests("VarlinkTests", ["Varlink"]),
    tests("SextantAPITests", engine + api + ["Permission"]), tests("VarlinkClientTests", daemon + ["Chronology"]),
    tests("PositioningTests", base + ["Positioning", "Simulator"]),
    tests("GeofencingTests", fences + ["Simulator", "Varlink"], exclude: ["Foreign"]),
    tests("PermissionTests", ["Chronology", "Geodesy", "Positioning", "Permission"]),
    tests("LocatorTests", engine + ["Varlink", "SextantAPI", "Bridges"]),
    tests("ReceiversTests", receivers), tests("BridgesTests", engine + ["Varlink", "SextantAPI", "Bridges"]),
    tests("SimulatorTests", receivers + system), tests("SerialPortsTests", system + ["SerialPorts", "Receivers"]),
    tests("ServiceRuntimeTests", sockets + ["ServiceRuntime", "Chronology", "DaemonSupport"]),
    tests(
        "StateStoreTests", fences + store + ["SystemCalls"] + (isSet("TOOLS") ? ["EventScribe"] : []),
        exclude: isSet("TOOLS") ? [] : ["Kills"]),
    tests("PlacesTests", api + ["Places", "Geodesy", "SQLite", "SystemCalls"]),
    tests("SextantClientTests", daemon + ["Locator", "SextantClient", "Chronology"]),
    tests("CoreLocationTests", daemon + api + ["CoreLocation", "CoreSpotlight", "sextant", "sextant-places"]),
    tests("DaemonTests", daemon + receivers + store + ["SerialPorts"], foreign: true),
    tests("CommandTests", receivers + sockets + api + ["SerialPorts", "Bridges", "sextant"]),
    tests(
        "BridgeProgramTests", daemon + receivers + ["Bridges", "sextant-bridge", "sextant", "sextant-beacons"],
        foreign: true),
    tests("FleetTests", daemon + fences + api + ["Permission", "SQLite", "Fleet", "sextant-fleet"]),
    tests("PlacesProgramTests", daemon + api + ["Geodesy", "Places", "sextant-places", "sextant"], foreign: true),
    tests("WebProgramTests", daemon + ["Chronology", "SQLite", "sextant-web"], foreign: true),
    tests("ExamplesTests", daemon + ["where-am-i", "geofence-light", "background-tracker", "trip", "order-index"]),
    // A program that uses every signature of CoreLocation, in both language modes.
    .testTarget(
        name: "CoreLocationSignatureTests", dependencies: ["CoreLocation", "CoreSpotlight"], packageAccess: false,
        swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-warnings-as-errors"])]),
    .testTarget(
        name: "CoreLocationSwift5Tests", dependencies: ["CoreLocation", "CoreSpotlight"], packageAccess: false,
        swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-warnings-as-errors"])]),
]

/// Development tools and benchmarks. No framework for benchmarks: only two figures are needed.
let tools: [Target] = [
    module("Calibration", base + ["Positioning", "Locator"], in: "Tools/Sources"),
    tool("calibrate", ["Calibration", argumentParser]), tool("MotionReport", engine + ["Simulator"]),
    tool("EventScribe", fences + store + ["CLinux"]), tool("PlaceTimes", ["Places", "Geodesy"]),
    tool("generate-api", ["Varlink"]), tool("RecognitionReport", engine + system + ["Receivers", "Simulator"]),
    tool("fleet-load", services + ["Chronology", "Geodesy", "Fleet", "Simulator", argumentParser]),
    tests("GenerateAPITests", ["generate-api"], path: "Tools/Tests/GenerateAPITests"),
    tests("CalibrationTests", base + ["Positioning", "Calibration"], path: "Tools/Tests/CalibrationTests"),
    tests("MotionReportTests", ["MotionReport", "Positioning", "Chronology"], path: "Tools/Tests/MotionReportTests"),
    .target(
        name: "SimulatedMachine", path: "Tests/Simulation/Machine", exclude: ["Preload"],
        cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
        name: "simulation",
        dependencies: engine + ["Receivers", "Varlink", "SextantAPI", "Simulator", "SimulatedMachine", "CSQLite"],
        path: "Tests/Simulation/World", swiftSettings: [.swiftLanguageMode(.v6)]),
    tool("SentenceBenchmark", ["NMEA"], in: "Benchmarks/Sources"),
    tool("FenceBenchmark", fences, in: "Benchmarks/Sources"),
    tool("ClientBenchmark", ["SextantClient"], in: "Benchmarks/Sources"),
]

/// `Fuzzing/run` adds the instrumentation and the library of libFuzzer.
let fuzzing: [Target] = [
    .systemLibrary(name: "CLibFuzzer", path: "Fuzzing/Sources/CLibFuzzer"),
    tool("Fuzz", engine + ["CLibFuzzer", "Receivers", "Varlink", "Bridges", "Places"], in: "Fuzzing/Sources"),
]

// The programs are no products: a user's package cannot have targets with the names of targets in products.
let package = Package(
    name: "sextant",
    products: [
        .library(name: "Varlink", targets: ["Varlink", "VarlinkClient"]),
        .library(name: "SextantClient", targets: ["SextantClient"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "CoreSpotlight", targets: ["CoreSpotlight", "UniformTypeIdentifiers"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: pureTargets + targets + testTargets + (isSet("TOOLS") ? tools : []) + (isSet("FUZZ") ? fuzzing : []))

// For `make check`: with the tests that need simulated receivers and temporary directories at most.
if isSet("PURE") {
    let tested = Set(pureTargets.map(\.name) + ["Simulator", "TestSupport"])
    let kept = tested.union(["CLinux", "SystemCalls", "CDiskFaults"])
    package.targets.removeAll { target in
        guard target.type == .test else { return !kept.contains(target.name) }
        let used = target.dependencies.map { if case .byNameItem(let name, _) = $0 { name } else { "" } }
        return !tested.isSuperset(of: used)
    }
    package.products = []
}

// Only `make docs` needs the plugin: users of the libraries do not fetch it.
if isSet("DOCS") {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
