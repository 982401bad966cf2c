import Chronology
import Geofencing
import Glibc
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
///
/// Without a monitor the kernel reports a device that sends the same again once per scan of 10.24 s
/// (`filter_dup` in net/bluetooth/hci_sync.c). So discovery is begun anew every 2 s then, and the
/// monitor stays during ranging.
final class BlueZAdapter {
    static let service = "org.bluez"
    static let adapterInterface = "org.bluez.Adapter1"
    private static let deviceInterface = "org.bluez.Device1"
    private static let managerInterface = "org.bluez.AdvertisementMonitorManager1"
    private static let monitorInterface = "org.bluez.AdvertisementMonitor1"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let objects = "org.freedesktop.DBus.ObjectManager"
    /// The object with the monitor, as BlueZ asks for it.
    private static let root = "/io/sextant/beacons"
    private static let noAdapter = "there is no Bluetooth adapter"
    private static let eddystoneService = "0000feaa-0000-1000-8000-00805f9b34fb"
    /// What an adapter tells that does not know the strength (Bluetooth Core 5.4, vol. 4, part E,
    /// 7.7.65.2).
    private static let unknownRSSI = 127
    /// The maximum number of devices that are known. Beyond it, the one that was received longest
    /// ago is forgotten.
    private static let maxDevices = 1024
    /// The maximum number of patterns of a monitor: fewer than controllers have.
    private static let maxPatterns = 15
    /// The maximum number of devices that are asked for at a time.
    private static let maxLookups = 16
    /// The time after which discovery is begun anew.
    private static let discoveryTime = Instant.Span.seconds(2)
    /// The time after which a failed call is tried again, first and at most.
    private static let retryTimes = (first: Instant.Span.seconds(5), most: Instant.Span.seconds(60))

    private struct Device {
        var beacon: BeaconAdvertisement
        /// The strength as BlueZ tells it; nil if the device was not received.
        var rssi: Int?
        /// When it was received, as a number that ascends.
        var turn: Int
    }

    private struct Reception: Equatable {
        /// The patterns of the monitor; nil without one.
        var patterns: [Pattern]?
        var discovers = false

        static let none = Reception()
    }

    /// A pattern of a monitor: bytes at a place of the data of a type.
    private struct Pattern: Equatable {
        var start: UInt8
        var type: UInt8
        var bytes: [UInt8]
    }

    private let bus: SystemBus
    private let loop: EventLoop
    private var path: String?
    /// Whether the adapter has monitors, and from when on they are used after a failure.
    private var monitors = (exist: false, from: Instant.zero)
    private var devices: [String: Device] = [:]
    private var lastTurn = 0
    private var lookups = 0
    /// When discovery began, and whether its begin or end is still to be answered: BlueZ refuses
    /// both until then, and keeps a discovery whose end it refused.
    private var discovery = (began: Instant.zero, isPending: false)
    private var backoff = ExponentialBackoff()
    /// When what failed is tried again; nil without a failure.
    private var retry: Instant?
    private var reception = Reception.none
    /// Gets each advertisement of a beacon, with its strength in dBm; nil if that is not known.
    var onSighting: (BeaconAdvertisement, Double?) -> Void = { _, _ in }
    /// Why nothing can be received; nil if it can, or while that is not known.
    private(set) var problem: String?
    /// Whether the adapters were read.
    private(set) var isKnown = false
    var isOn: Bool { path != nil }

    /// When ``listen(for:ranging:)`` is to be called again; nil if it need not.
    var deadline: Instant? {
        let renews = reception.discovers && reception.patterns == nil
        let renewal = renews ? discovery.began + BlueZAdapter.discoveryTime : nil
        return path == nil || discovery.isPending ? nil : earliest(retry, renewal)
    }

    init(bus: SystemBus, loop: EventLoop) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        let service = BlueZAdapter.service
        try bus.matchObjects("interface='\(BlueZAdapter.objects)'", of: service) { [weak self] _, arguments in
            self?.objectChanged(arguments)
        }
        try bus.matchObjects(
            "interface='\(BlueZAdapter.properties)',member='PropertiesChanged',arg0='\(BlueZAdapter.deviceInterface)'",
            of: service
        ) { [weak self] path, arguments in
            if arguments.count > 1 { self?.update(path, with: arguments[1]) }
        }
        try bus.matchObjects(
            "interface='\(BlueZAdapter.properties)',member='PropertiesChanged',arg0='\(BlueZAdapter.adapterInterface)'",
            of: service
        ) { [weak self] _, arguments in
            if arguments.count > 1, arguments[1]["Powered"] != nil { self?.readAdapters() }
        }
        try bus.match("member='NameOwnerChanged',arg0='\(service)'", of: SystemBus.name) { [weak self] arguments in
            guard let self else { return }
            (path, reception) = (nil, .none)
            discovery.isPending = false
            devices = [:]
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
        if path != self.path { (reception, discovery.isPending) = (.none, false) }
        (self.path, self.problem) = (path, problem)
        (isKnown, retry) = (true, nil)
        backoff.reset()
    }

    /// Whether the kernel has an adapter. Without one, Debian's unit of BlueZ does not start, and
    /// the bus would wait for it.
    private static var hasHardware: Bool {
        let names = (try? Directory.names(in: "/sys/class/bluetooth")) ?? []
        return names.contains { !$0.hasPrefix(".") }
    }

    private func readAdapters() {
        let hasHardware = BlueZAdapter.hasHardware
        let call = SystemBus.Call(
            BlueZAdapter.service, path: "/", interface: BlueZAdapter.objects, method: "GetManagedObjects",
            startsService: hasHardware)
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values): read(values.first?.object ?? [:])
            case .failure(let failure):
                let isAbsent = failure.isServiceAbsent || failure.name.hasSuffix(".Spawn.ServiceNotFound")
                let reason =
                    isAbsent
                    ? "BlueZ does not run; install bluez"
                    : "BlueZ does not answer: \(failure.message); check: systemctl status bluetooth"
                set(path: nil, problem: hasHardware ? reason : BlueZAdapter.noAdapter)
            }
        }
    }

    private func read(_ objects: [String: JSONValue]) {
        let adapters = objects.filter { $0.value[BlueZAdapter.adapterInterface] != nil }.sorted { $0.key < $1.key }
        let powered = adapters.first { $0.value[BlueZAdapter.adapterInterface]?["Powered"] == .bool(true) }
        guard let adapter = powered else {
            return set(
                path: nil,
                problem: adapters.isEmpty
                    ? BlueZAdapter.noAdapter
                    : "the Bluetooth adapter is off; switch it on with: rfkill unblock bluetooth && "
                        + "bluetoothctl power on")
        }
        let types = adapter.value[BlueZAdapter.managerInterface]?["SupportedMonitorTypes"]?.array ?? []
        monitors.exist = types.contains(.string("or_patterns"))
        if path != adapter.key { set(path: adapter.key, problem: nil) }
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
            update(path, with: device)
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
        let rssi = values["RSSI"]?.int.flatMap { Int(exactly: $0) }
        if let beacon = BlueZAdapter.beacon(in: values) {
            if devices.count >= BlueZAdapter.maxDevices, devices[path] == nil,
                let oldest = devices.min(by: { $0.value.turn < $1.value.turn })
            {
                devices[oldest.key] = nil
            }
            lastTurn += 1
            devices[path] = Device(beacon: beacon, rssi: rssi ?? devices[path]?.rssi, turn: lastTurn)
        } else if let rssi {
            devices[path]?.rssi = rssi
        }
        return devices[path] != nil
    }

    private func update(_ path: String, with values: JSONValue) {
        let isAdvertisement = ["RSSI", "ManufacturerData", "ServiceData"].contains { values[$0] != nil }
        // A monitor is called for each advertisement. With discovery, its calls do not count.
        // The kernel may report a device that was asked for more only at the end of discovery.
        guard isAdvertisement, note(values, at: path), reception.discovers || discovery.isPending else { return }
        sighted(path)
    }

    private func sighted(_ path: String) {
        guard let device = devices[path], let rssi = device.rssi else { return }
        lastTurn += 1
        devices[path]?.turn = lastTurn
        onSighting(device.beacon, rssi == BlueZAdapter.unknownRSSI ? nil : Double(rssi))
    }

    /// A monitor has found a device. One that was forgotten is asked for.
    private func found(_ path: String) {
        guard devices[path] == nil else { return sighted(path) }
        guard lookups < BlueZAdapter.maxLookups else { return }
        lookups += 1
        let call = SystemBus.Call(
            BlueZAdapter.service, path: path, interface: BlueZAdapter.properties, method: "GetAll",
            arguments: [.string(BlueZAdapter.deviceInterface)])
        bus.call(call) { [weak self] result in
            guard let self else { return }
            lookups -= 1
            if case .success(let values) = result, let device = values.first, note(device, at: path) { sighted(path) }
        }
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
        let now = loop.now
        guard let path, !discovery.isPending, retry.map({ $0 <= now }) ?? true else { return }
        let patterns = monitors.exist && now >= monitors.from ? BlueZAdapter.patterns(of: beacons) : nil
        let wanted = Reception(patterns: patterns, discovers: patterns == nil || ranging)
        if patterns != reception.patterns {
            endMonitor()
            if patterns != nil {
                reception.patterns = patterns
                call("RegisterMonitor", of: BlueZAdapter.managerInterface, at: path, [.path(BlueZAdapter.root)])
            }
        }
        let isStale = patterns == nil && now >= discovery.began + BlueZAdapter.discoveryTime
        if reception.discovers, !wanted.discovers || isStale { return endDiscovery() }
        guard wanted.discovers, !reception.discovers else { return }
        (discovery, retry) = ((now, true), nil)
        reception.discovers = true
        let filter: [(String, SystemBus.Argument)] = [("Transport", .string("le")), ("DuplicateData", .bool(true))]
        call("SetDiscoveryFilter", of: BlueZAdapter.adapterInterface, at: path, [.dictionary(filter)])
        call("StartDiscovery", of: BlueZAdapter.adapterInterface, at: path, [])
    }

    func pause() {
        endMonitor()
        endDiscovery()
    }

    private func endMonitor() {
        guard let path, reception.patterns != nil else { return }
        reception.patterns = nil
        call("UnregisterMonitor", of: BlueZAdapter.managerInterface, at: path, [.path(BlueZAdapter.root)])
    }

    private func endDiscovery() {
        guard let path, reception.discovers, !discovery.isPending else { return }
        (reception.discovers, discovery.isPending) = (false, true)
        call("StopDiscovery", of: BlueZAdapter.adapterInterface, at: path, [])
    }

    private func call(_ method: String, of interface: String, at path: String, _ arguments: [SystemBus.Argument]) {
        let call = SystemBus.Call(
            BlueZAdapter.service, path: path, interface: interface, method: method, arguments: arguments)
        bus.call(call) { [weak self] result in
            guard let self, path == self.path else { return }
            if ["StartDiscovery", "StopDiscovery"].contains(method) { discovery.isPending = false }
            switch (method, result) {
            // A discovery in progress is that of this program: BlueZ has refused its end.
            case ("StartDiscovery", .failure(let failure)) where !failure.name.hasSuffix(".InProgress"):
                reception.discovers = false
                let times = BlueZAdapter.retryTimes
                retry = loop.now + backoff.next(from: times.first, max: times.most)
                problem = "BlueZ does not listen: \(failure.message)"
            case ("StartDiscovery", _):
                problem = nil
                backoff.reset()
            case ("RegisterMonitor", .failure(let failure)) where !failure.name.hasSuffix(".AlreadyExists"):
                monitorFailed()
            default: break
            }
        }
    }

    /// Uses discovery for a while.
    private func monitorFailed() {
        reception.patterns = nil
        monitors.from = loop.now + BlueZAdapter.retryTimes.most
    }

    /// The patterns of the three formats, of these beacons or of all.
    private static func patterns(of beacons: [BeaconIdentity]?) -> [Pattern] {
        let apple = [UInt8(BeaconAdvertisement.apple & 0xFF), UInt8(BeaconAdvertisement.apple >> 8)]
        let eddystone = [UInt8(BeaconAdvertisement.eddystone & 0xFF), UInt8(BeaconAdvertisement.eddystone >> 8)]
        let uuids: [[UInt8]] = beacons.map { Set($0.map(\.uuid)).sorted().map(\.bytes) } ?? [[]]
        // Beyond the limit the patterns are those of the formats, and the daemon selects.
        return (uuids.count * 3 > maxPatterns ? [[]] : uuids).flatMap { uuid in
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
            if !reception.discovers, let path = request.arguments.first?.string { found(path) }
            return []
        case "Release":
            endMonitor()
            monitorFailed()
            return []
        case "Activate", "DeviceLost": return []
        default: return nil
        }
    }

    private var monitorProperties: SystemBus.Argument {
        guard let patterns = reception.patterns else { return .dictionary([]) }
        let values = patterns.map { pattern in
            SystemBus.Argument.structure([
                .byte(pattern.start), .byte(pattern.type), .array("y", pattern.bytes.map { .byte($0) }),
            ])
        }
        return .dictionary([("Type", .string("or_patterns")), ("Patterns", .array("(yyay)", values))])
    }
}
