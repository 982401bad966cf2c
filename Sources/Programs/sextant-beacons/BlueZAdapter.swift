import Geofencing
import ServiceRuntime
import SystemCalls
import Varlink

/// The Bluetooth adapter, by BlueZ's interface on the message bus (doc/org.bluez.Adapter.rst and
/// doc/org.bluez.AdvertisementMonitor.rst of BlueZ).
///
/// Without ranging it listens through an advertisement monitor, which sends nothing and wakes this
/// program for wanted beacons alone, if the adapter has one. BlueZ calls such a monitor for each
/// advertisement, and updates the strength of the signal in steps of 8 dB. Otherwise it listens by
/// discovery, which reports each strength.
final class BlueZAdapter {
    static let service = "org.bluez"
    private static let adapterInterface = "org.bluez.Adapter1"
    private static let deviceInterface = "org.bluez.Device1"
    private static let managerInterface = "org.bluez.AdvertisementMonitorManager1"
    private static let monitorInterface = "org.bluez.AdvertisementMonitor1"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objects = "org.freedesktop.DBus.ObjectManager"
    /// The object with the monitor, as BlueZ asks for it.
    private static let root = "/io/sextant/beacons"
    private static let eddystoneService = "0000feaa-0000-1000-8000-00805f9b34fb"
    /// The maximum number of devices that are known. Beyond it, all are forgotten.
    private static let maxDevices = 1024

    private struct Device {
        var beacon: BeaconAdvertisement
        var strength: Double?
    }

    private enum Reception: Equatable {
        case none
        case discovery
        /// By a monitor of these patterns.
        case monitor([Pattern])
    }

    /// A pattern of a monitor: bytes at a place of the data of a type.
    private struct Pattern: Equatable {
        var start: UInt8
        var type: UInt8
        var bytes: [UInt8]
    }

    private let bus: SystemBus
    private var path: String?
    private var hasMonitors = false
    private var devices: [String: Device] = [:]
    private var reception = Reception.none
    /// Gets each advertisement of a beacon, with its strength in dBm.
    var onSighting: (BeaconAdvertisement, Double) -> Void = { _, _ in }
    /// Why nothing can be received; nil if it can, or while that is not known.
    private(set) var problem: String?
    /// Whether the adapters were read.
    private(set) var isKnown = false

    init(bus: SystemBus) throws(SystemError) {
        self.bus = bus
        let service = BlueZAdapter.service
        try bus.matchObjects("interface='\(BlueZAdapter.objects)'", of: service) { [weak self] _, arguments in
            self?.objectChanged(arguments)
        }
        try bus.matchObjects(
            "interface='\(BlueZAdapter.properties)',member='PropertiesChanged',arg0='\(BlueZAdapter.deviceInterface)'",
            of: service
        ) { [weak self] path, arguments in
            if arguments.count > 1 { self?.update(path, with: arguments[1], isNew: false) }
        }
        try bus.matchObjects(
            "interface='\(BlueZAdapter.properties)',member='PropertiesChanged',arg0='\(BlueZAdapter.adapterInterface)'",
            of: service
        ) { [weak self] _, arguments in
            if arguments.count > 1, arguments[1]["Powered"] != nil { self?.readAdapters() }
        }
        try bus.match("member='NameOwnerChanged',arg0='\(service)'", of: SystemBus.name) { [weak self] arguments in
            guard let self else { return }
            (reception, devices) = (.none, [:])
            if arguments.last?.string == "" {
                set(path: nil, problem: "the service bluetooth (BlueZ) has ended; check: systemctl status bluetooth")
            } else {
                readAdapters()
            }
        }
        try bus.serve(BlueZAdapter.root, to: service) { [weak self] request in self?.answer(request) }
        readAdapters()
    }

    deinit { pause() }

    private func set(path: String?, problem: String?) {
        (self.path, self.problem) = (path, problem)
        isKnown = true
    }

    private func readAdapters() {
        let call = SystemBus.Call(
            BlueZAdapter.service, path: "/", interface: BlueZAdapter.objects, method: "GetManagedObjects",
            startsService: true)
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values): read(values.first?.object ?? [:])
            case .failure(let failure):
                let isAbsent = failure.isServiceAbsent || failure.name.hasSuffix(".Spawn.ServiceNotFound")
                let reason = isAbsent ? "BlueZ does not run; install bluez" : failure.message
                set(path: nil, problem: reason)
            }
        }
    }

    private func read(_ objects: [String: JSONValue]) {
        let adapters = objects.filter { $0.value[BlueZAdapter.adapterInterface] != nil }.sorted { $0.key < $1.key }
        let powered = adapters.first { $0.value[BlueZAdapter.adapterInterface]?["Powered"] == .bool(true) }
        guard let adapter = powered else {
            reception = .none
            return set(
                path: nil,
                problem: adapters.isEmpty
                    ? "there is no Bluetooth adapter"
                    : "the Bluetooth adapter is off; switch it on with: bluetoothctl power on")
        }
        let types = adapter.value[BlueZAdapter.managerInterface]?["SupportedMonitorTypes"]?.array ?? []
        hasMonitors = types.contains(.string("or_patterns"))
        if path != adapter.key { reception = .none }
        set(path: adapter.key, problem: nil)
        for (path, interfaces) in objects {
            if let device = interfaces[BlueZAdapter.deviceInterface] { note(device, at: path) }
        }
    }

    private func objectChanged(_ arguments: [JSONValue]) {
        guard arguments.count > 1, let path = arguments[0].string else { return }
        if let names = arguments[1].array {
            if names.contains(.string(BlueZAdapter.deviceInterface)) { devices[path] = nil }
            if path == self.path { readAdapters() }
        } else if let device = arguments[1][BlueZAdapter.deviceInterface] {
            update(path, with: device, isNew: true)
        } else if arguments[1][BlueZAdapter.adapterInterface] != nil {
            readAdapters()
        }
    }
}

// MARK: Advertisements
extension BlueZAdapter {
    /// Notes what is known of a device. Returns whether it is a beacon.
    @discardableResult
    private func note(_ values: JSONValue, at path: String) -> Bool {
        let strength = values["RSSI"]?.int.map(Double.init)
        if let beacon = BlueZAdapter.beacon(in: values) {
            if devices.count >= BlueZAdapter.maxDevices { devices = [:] }
            devices[path] = Device(beacon: beacon, strength: strength ?? devices[path]?.strength)
        } else if let strength {
            devices[path]?.strength = strength
        }
        return devices[path] != nil
    }

    private func update(_ path: String, with values: JSONValue, isNew: Bool) {
        let isAdvertisement = ["RSSI", "ManufacturerData", "ServiceData"].contains { values[$0] != nil }
        guard isAdvertisement, note(values, at: path) else { return }
        // A monitor is called for each advertisement.
        if case .discovery = reception { sighted(path) } else if isNew { sighted(path) }
    }

    private func sighted(_ path: String) {
        guard let device = devices[path], let strength = device.strength else { return }
        onSighting(device.beacon, strength)
    }

    private static func beacon(in values: JSONValue) -> BeaconAdvertisement? {
        for (company, data) in values["ManufacturerData"]?.object ?? [:] {
            guard let company = UInt16(company), let bytes = bytes(of: data) else { continue }
            if let beacon = BeaconAdvertisement(company: company, data: bytes) { return beacon }
        }
        return values["ServiceData"]?[eddystoneService].flatMap(bytes).flatMap { BeaconAdvertisement(eddystone: $0) }
    }

    private static func bytes(of data: JSONValue) -> [UInt8]? {
        data.array?.compactMap { $0.int.flatMap { UInt8(exactly: $0) } }
    }
}

// MARK: Reception
extension BlueZAdapter {
    /// Listens for beacons until ``pause()``.
    ///
    /// - Parameters:
    ///   - beacons: Those that are meant; nil for all.
    ///   - ranging: Whether the strength of each advertisement is needed.
    func listen(for beacons: [BeaconIdentity]?, ranging: Bool) {
        let wanted: Reception = hasMonitors && !ranging ? .monitor(BlueZAdapter.patterns(of: beacons)) : .discovery
        guard let path, wanted != reception else { return }
        pause()
        reception = wanted
        if case .monitor = wanted {
            call("RegisterMonitor", of: BlueZAdapter.managerInterface, at: path, [.path(BlueZAdapter.root)])
        } else {
            let filter: [(String, SystemBus.Argument)] = [("Transport", .string("le")), ("DuplicateData", .bool(true))]
            call("SetDiscoveryFilter", of: BlueZAdapter.adapterInterface, at: path, [.dictionary(filter)])
            call("StartDiscovery", of: BlueZAdapter.adapterInterface, at: path, [])
        }
    }

    /// Ends to listen.
    func pause() {
        guard let path, reception != .none else { return }
        if case .monitor = reception {
            call("UnregisterMonitor", of: BlueZAdapter.managerInterface, at: path, [.path(BlueZAdapter.root)])
        } else {
            call("StopDiscovery", of: BlueZAdapter.adapterInterface, at: path, [])
        }
        reception = .none
    }

    private func call(_ method: String, of interface: String, at path: String, _ arguments: [SystemBus.Argument]) {
        let isBeginning = method.hasPrefix("Start") || method.hasPrefix("Register")
        let call = SystemBus.Call(
            BlueZAdapter.service, path: path, interface: interface, method: method, arguments: arguments)
        bus.call(call) { [weak self] result in
            guard let self, isBeginning, case .failure(let failure) = result,
                !failure.name.hasSuffix(".InProgress"), !failure.name.hasSuffix(".AlreadyExists")
            else { return }
            reception = .none
            if method == "RegisterMonitor" {
                // Discovery may work.
                hasMonitors = false
            } else {
                problem = "BlueZ does not listen: \(failure.message)"
            }
        }
    }

    /// The patterns of the three formats, of these beacons or of all.
    private static func patterns(of beacons: [BeaconIdentity]?) -> [Pattern] {
        let apple = [UInt8(BeaconAdvertisement.apple & 0xFF), UInt8(BeaconAdvertisement.apple >> 8)]
        let eddystone = [UInt8(BeaconAdvertisement.eddystone & 0xFF), UInt8(BeaconAdvertisement.eddystone >> 8)]
        let uuids: [[UInt8]] = beacons.map { Set($0.map(\.uuid)).sorted().map(\.bytes) } ?? [[]]
        return uuids.flatMap { uuid in
            [
                Pattern(start: 0, type: 0xFF, bytes: apple + BeaconAdvertisement.iBeaconPrefix + uuid),
                Pattern(start: 2, type: 0xFF, bytes: BeaconAdvertisement.altBeaconPrefix + uuid),
                // The power is between the frame's type and the UUID.
                uuid.isEmpty
                    ? Pattern(start: 0, type: 0x16, bytes: eddystone + [0])
                    : Pattern(start: 4, type: 0x16, bytes: uuid),
            ]
        }
    }

    /// Answers a call of BlueZ; nil for one that is not known.
    private func answer(_ request: SystemBus.Request) -> [SystemBus.Argument]? {
        switch request.member {
        case "GetManagedObjects":
            let monitor = SystemBus.Argument.entry(.string(BlueZAdapter.monitorInterface), monitorProperties)
            let object = SystemBus.Argument.entry(
                .path("\(BlueZAdapter.root)/monitor"), .array("{sa{sv}}", [monitor]))
            return [.array("{oa{sa{sv}}}", [object])]
        case "GetAll": return [monitorProperties]
        case "DeviceFound":
            if let path = request.arguments.first?.string { sighted(path) }
            return []
        case "Release":
            reception = .none
            return []
        case "Activate", "DeviceLost": return []
        default: return nil
        }
    }

    private var monitorProperties: SystemBus.Argument {
        guard case .monitor(let patterns) = reception else { return .dictionary([]) }
        let values = patterns.map { pattern in
            SystemBus.Argument.structure([
                .byte(pattern.start), .byte(pattern.type), .array("y", pattern.bytes.map { .byte($0) }),
            ])
        }
        return .dictionary([("Type", .string("or_patterns")), ("Patterns", .array("(yyay)", values))])
    }
}
