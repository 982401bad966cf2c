import DaemonSupport
import TestSupport

/// A message bus with a simulated ModemManager.
final class ModemBus {
    static let service = "org.freedesktop.ModemManager1"
    static let manager = "/org/freedesktop/ModemManager1"
    private static let mock = "org.freedesktop.DBus.Mock"
    static let isPossible = MessageBus.isPossible

    var address: String { bus.address }
    /// The name and the object of the simulated service.
    private let service: String
    private let object: String
    private let scratch: Scratch
    private let template: String
    private let bus: MessageBus
    private var process: ChildProcess?

    /// Starts a bus with ModemManager, or with a service of which dbusmock has a template.
    init(
        _ scratch: Scratch, template: String? = nil, service: String = ModemBus.service,
        object: String = ModemBus.manager
    ) throws {
        self.scratch = scratch
        self.service = service
        self.object = object
        self.template =
            try template
            ?? scratch.write(
                String(decoding: PackageResources.modem_manager_py, as: UTF8.self), to: "modem_manager.py")
        bus = try MessageBus(scratch)
        try startManager()
    }

    private func startManager() throws {
        process = try bus.simulate(template, as: service, at: object)
    }

    func restartManager() throws {
        process?.destroy()
        try startManager()
    }

    func addModem(_ path: String, port: String?, sources: Int, enabled: Int = 0, state: Int = 8) throws {
        try call(
            ModemBus.manager, ModemBus.mock, "AddModem", "ssiuu", path, String(port?.dropFirst("/dev/".count) ?? ""),
            "\(state)", "\(sources)", "\(enabled)")
    }

    func removeModem(_ path: String) throws { try call(ModemBus.manager, ModemBus.mock, "RemoveModem", "s", path) }

    func set(state: Int, of modem: String) throws {
        try call(
            modem, ModemBus.mock, "UpdateProperties", "sa{sv}", "\(ModemBus.service).Modem", "1", "State", "i",
            "\(state)")
    }

    func set(nmea: [UInt8], of modem: String) throws {
        let text = String(decoding: nmea, as: UTF8.self).split(separator: "\r\n").joined(separator: "|")
        try call(ModemBus.manager, ModemBus.mock, "SetNMEA", "ss", modem, text)
    }

    /// Adds a method without arguments to ModemManager, or replaces one.
    ///
    /// - Parameter code: Its body in Python, which sets `ret`.
    func addMethod(_ name: String, of interface: String, returning type: String, code: String) throws {
        try call(ModemBus.manager, ModemBus.mock, "AddMethod", "sssss", interface, name, "", type, code)
    }

    /// From now on, ModemManager refuses to list its modems.
    func refuseLists() throws {
        try addMethod(
            "GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", returning: "a{oa{sa{sv}}}",
            code: "raise dbus.exceptions.DBusException('not now', name='org.freedesktop.DBus.Error.AccessDenied')")
    }

    /// Sends a signal about changed properties to the connections of a process alone, as any
    /// program of the bus may.
    func forgeSignal(to process: Int32) throws {
        let list = try bus.busctl("list", "--no-legend", "--unique")
        let words = list.split(separator: "\n").map { $0.split(separator: " ") }
        let names = words.filter { $0.count > 1 && $0[1] == "\(process)" }.map { String($0[0]) }
        guard !names.isEmpty else { throw TestFailure(list) }
        for name in names {
            try bus.busctl(
                "emit", "--destination=\(name)", "/forged", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                "sa{sv}as", "forged", "0", "0")
        }
    }

    /// The text of a property of the service's own interface.
    func property(_ name: String) throws -> String? {
        let text = try call(object, "org.freedesktop.DBus.Properties", "Get", "ss", service, name)
        let parts = text.split(separator: "\"")
        return parts.count > 1 ? String(parts[1]) : nil
    }

    func setUp(_ sources: Int, of modem: String) throws {
        try call(modem, "\(ModemBus.service).Modem.Location", "Setup", "ub", "\(sources)", "false")
    }

    func sources(of modem: String) throws -> Int? {
        let text = try call(
            modem, "org.freedesktop.DBus.Properties", "Get", "ss", "\(ModemBus.service).Modem.Location", "Enabled")
        return text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }

    @discardableResult
    private func call(_ path: String, _ words: String...) throws -> String {
        try bus.busctl(["call", service, path] + words)
    }
}
