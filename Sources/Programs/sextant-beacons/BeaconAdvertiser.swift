import Geofencing
import ServiceRuntime
import Varlink

/// The role `advertise`: BlueZ sends as an iBeacon until the program ends
/// (doc/org.bluez.LEAdvertisement.rst of BlueZ).
final class BeaconAdvertiser {
    private static let object = "/io/sextant/beacon"
    private static let managerInterface = "org.bluez.LEAdvertisingManager1"

    private let bus: SystemBus
    private let loop: EventLoop
    private let log: ProgramLog
    private let advertisement: BeaconAdvertisement

    init(_ advertisement: BeaconAdvertisement, bus: SystemBus, loop: EventLoop, log: ProgramLog) throws {
        self.advertisement = advertisement
        self.bus = bus
        self.loop = loop
        self.log = log
        try bus.serve(BeaconAdvertiser.object, to: BlueZAdapter.service) { [weak self] request in
            self?.answer(request)
        }
        let owner = "member='NameOwnerChanged',arg0='\(BlueZAdapter.service)'"
        try bus.match(owner, of: SystemBus.name) { [weak self] arguments in
            if arguments.last?.string == "" { self?.end("the service bluetooth (BlueZ) has ended") }
        }
        let objects = SystemBus.Call(
            BlueZAdapter.service, path: "/", interface: "org.freedesktop.DBus.ObjectManager",
            method: "GetManagedObjects", startsService: true)
        bus.call(objects) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let failure): end("BlueZ does not answer: \(failure.message)")
            case .success(let values):
                let managers = (values.first?.object ?? [:]).filter { $0.value[Self.managerInterface] != nil }
                let powered = managers.filter { $0.value[BlueZAdapter.adapterInterface]?["Powered"] == .bool(true) }
                guard let path = powered.keys.min() ?? managers.keys.min() else {
                    return end("no Bluetooth adapter can send")
                }
                register(at: path)
            }
        }
    }

    private func register(at path: String) {
        let call = SystemBus.Call(
            BlueZAdapter.service, path: path, interface: BeaconAdvertiser.managerInterface,
            method: "RegisterAdvertisement", arguments: [.path(BeaconAdvertiser.object), .dictionary([])])
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: log.write("sending as \(advertisement.identity)")
            case .failure(let failure): end("BlueZ does not send: \(failure.message)")
            }
        }
    }

    private func end(_ reason: String) {
        log.write(reason, priority: .error)
        loop.exit(1)
    }

    private func answer(_ request: SystemBus.Request) -> [SystemBus.Argument]? {
        switch request.member {
        case "GetAll":
            let data = SystemBus.Argument.variant(.array("y", advertisement.iBeaconData.map { .byte($0) }))
            let manufacturer = SystemBus.Argument.array(
                "{qv}", [.entry(.uint16(BeaconAdvertisement.apple), data)])
            return [.dictionary([("Type", .string("broadcast")), ("ManufacturerData", manufacturer)])]
        case "Release":
            end("BlueZ has ended to send")
            return []
        default: return nil
        }
    }
}
