import Chronology
import NMEA
import Varlink

/// A modem as ModemManager publishes it on the system's message bus.
///
/// The numbers are those of ModemManager's interface (MMModemState, MMModemStateFailedReason,
/// MMModemPortType, MMModemLocationSource).
package struct Modem: Equatable, Sendable {
    package let path: String
    /// The maker and the model, for display: "QUALCOMM INCORPORATED EC25".
    package let name: String
    /// Where its GNSS can be read; nil for a modem without GNSS, or one that ModemManager has not
    /// prepared.
    package let location: ModemLocation?
    /// The device file of the port that carries NMEA; nil if it has none.
    package let port: String?
    let state: Int64
    let failure: Int64
    let lock: Int64

    private static let interface = "org.freedesktop.ModemManager1.Modem"
    /// MM_MODEM_PORT_TYPE_GPS
    private static let portType: Int64 = 5
    /// The longest name, in bytes of UTF-8: that of the product of a receiver.
    private static let maxName = 255
    /// MM_MODEM_LOCK_NONE and the locks of services that need no unlocking for GNSS.
    private static let openLocks: Set<Int64> = [0, 1, 3, 5]

    /// The properties that a modem is made of. Changes of all others matter to nobody.
    package static let properties: Set<String> = [
        "State", "StateFailedReason", "UnlockRequired", "Ports", "Manufacturer", "Model", "Capabilities", "Enabled",
        "SignalsLocation",
    ]

    /// Returns the modems in a reply of `GetManagedObjects`, in the order of their paths.
    package static func all(in objects: JSONValue) -> [Modem] {
        (objects.object ?? [:]).compactMap { Modem($0.key, $0.value) }.sorted { $0.path < $1.path }
    }

    private init?(_ path: String, _ interfaces: JSONValue) {
        guard let modem = interfaces[Modem.interface] else { return nil }
        self.path = path
        let names = ["Manufacturer", "Model"].compactMap { modem[$0]?.string }.filter { !$0.isEmpty }
        var text = ""
        for scalar in names.joined(separator: " ").unicodeScalars where scalar.properties.generalCategory != .control {
            guard text.utf8.count + UTF8.width(scalar) <= Modem.maxName else { break }
            text.unicodeScalars.append(scalar)
        }
        name = text.isEmpty ? "modem" : text
        location = interfaces[Modem.interface + ".Location"].map(ModemLocation.init)
        let entry = modem["Ports"]?.array?.first { $0.array?.last?.int == Modem.portType }
        port = entry?.array?.first?.string.map { "/dev/\($0)" }
        state = modem["State"]?.int ?? 0
        failure = modem["StateFailedReason"]?.int ?? 0
        lock = modem["UnlockRequired"]?.int ?? 0
    }

    /// Why ModemManager refuses to switch the GNSS on in this state, and what to do; nil if the
    /// state is no reason.
    var obstacle: String? {
        let rule = "ModemManager before 1.24 (Debian 12 has 1.20) switches GNSS on only in an enabled modem"
        switch failure {
        case 2, 3: return "\(name) has no SIM that works: insert one, or install ModemManager 1.24 or later; \(rule)"
        // MM_MODEM_STATE_FAILED_REASON_ESIM_WITHOUT_PROFILES
        case 5:
            return
                "\(name) has an eSIM without a profile: add a profile, or install ModemManager 1.24 or later; \(rule)"
        default: break
        }
        if state < 0 { return "\(name) has failed; see: mmcli -m any, and journalctl -u ModemManager" }
        if let unlocking { return "\(unlocking), then run mmcli -m any --enable; \(rule)" }
        // MM_MODEM_STATE_ENABLED
        return state < 6 ? "\(name) is not enabled: run mmcli -m any --enable; \(rule)" : nil
    }

    /// What is locked, and how to unlock it; nil if nothing is.
    private var unlocking: String? {
        if Modem.openLocks.contains(lock) { return nil }
        return switch lock {
        case 2: "the SIM of \(name) is locked: unlock it with mmcli -i any --pin=PIN"
        case 4: "the SIM of \(name) needs its PUK: unlock it with mmcli -i any --puk=PUK --pin=NEWPIN"
        default: "\(name) is locked: unlock it with the code that mmcli -m any names"
        }
    }
}

/// The sources of location of a modem.
package struct ModemLocation: Equatable, Sendable {
    package var capabilities: ModemSources
    /// The sources that any program has switched on.
    package var enabled: ModemSources
    /// Whether ModemManager sends the location to all programs on the bus.
    package var signals: Bool

    /// Reads the properties of `Modem.Location`.
    init(_ properties: JSONValue) {
        capabilities = ModemSources(properties["Capabilities"])
        enabled = ModemSources(properties["Enabled"])
        signals = properties["SignalsLocation"]?.bool ?? false
    }
}

/// A set of ModemManager's sources of location (MMModemLocationSource).
package struct ModemSources: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    /// Creates a set from its bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ value: JSONValue?) { rawValue = UInt32(clamping: value?.int ?? 0) }

    /// The positions that ModemManager reads from NMEA.
    package static let raw = ModemSources(rawValue: 2)
    /// The sentences that ModemManager reads.
    package static let nmea = ModemSources(rawValue: 4)
    /// The GNSS runs, and other programs read its port.
    package static let unmanaged = ModemSources(rawValue: 16)
}

/// Takes whole epochs from what ModemManager knows of a modem's sentences.
///
/// ModemManager keeps the last sentence of each type, so what it returns in the middle of a burst
/// has sentences of two epochs. An epoch is whole when all sentences with a time have the same one.
/// Of the others, those that could belong to the epoch before are left out: VTG, whose contents RMC
/// has too, and satellites in view whose group is not complete. Lines without a valid checksum are
/// left out.
package struct ModemEpochs: Sendable {
    /// The maximum number of sentences of an epoch.
    private static let limit = 64
    /// The field with the time of each sentence that has one, counted from the address.
    private static let timeFields = ["RMC": 1, "GGA": 1, "GNS": 1, "GST": 1, "GBS": 1, "ZDA": 1, "GLL": 5]

    private var last = ""
    private var lastTime: Substring?

    /// Creates a value without an epoch.
    package init() {}

    /// Returns the sentences of an epoch that was not returned before, each with its line end;
    /// nothing if there is none.
    ///
    /// - Parameter text: The sentences that ModemManager returned.
    package mutating func take(_ text: String) -> [UInt8] {
        guard text != last else { return [] }
        let lines = text.split(whereSeparator: \.isNewline).prefix(ModemEpochs.limit).filter(ModemEpochs.isValid)
        let times = lines.compactMap(ModemEpochs.time)
        guard let time = times.first, times.allSatisfy({ $0 == time }), time.isEmpty || time != lastTime else {
            return []
        }
        (last, lastTime) = (text, time)
        let hasRMC = lines.contains { ModemEpochs.kind($0) == "RMC" }
        let kept = lines.filter { line in
            switch ModemEpochs.kind(line) {
            case "VTG": !hasRMC
            case "GSV": ModemEpochs.isWhole(groupOf: line, in: lines)
            default: true
            }
        }
        // The sentences with a time begin the epoch to which the others belong.
        let ordered = kept.filter { ModemEpochs.time($0) != nil } + kept.filter { ModemEpochs.time($0) == nil }
        return Array((ordered.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// Whether a line is a sentence with a valid checksum.
    private static func isValid(_ line: Substring) -> Bool {
        let parts = line.dropFirst().split(separator: "*", omittingEmptySubsequences: false)
        guard line.first == "$", parts.count == 2, parts[1].utf8.count == 2 else { return false }
        return UInt8(parts[1], radix: 16) == Checksum.of(Array(parts[0].utf8).span.bytes)
    }

    private static func fields(_ line: Substring) -> [Substring] {
        line.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
    }

    private static func kind(_ line: Substring) -> String {
        String(line.prefix { $0 != "," }.suffix(3))
    }

    /// The time of a sentence, which is empty while the receiver has none; nil for a sentence of a
    /// type without time.
    private static func time(_ line: Substring) -> Substring? {
        guard let field = timeFields[kind(line)] else { return nil }
        let fields = fields(line)
        return fields.indices.contains(field) ? fields[field] : ""
    }

    /// Whether all messages of a group of GSV are there, in their order.
    private static func isWhole(groupOf line: Substring, in lines: [Substring]) -> Bool {
        let address = line.prefix { $0 != "," }
        let group = lines.filter { $0.hasPrefix(address + ",") }.map(fields)
        guard let count = Int(group.first?.dropFirst().first ?? ""), group.count == count else { return false }
        return group.enumerated().allSatisfy { $1.count > 2 && Int($1[2]) == $0 + 1 }
    }
}

/// When the modems are read: after each change, one reading at a time, with a pause after each, and
/// later and later while readings fail.
///
/// ModemManager and the programs beside it may announce changes faster than readings end. Each
/// result is used, and the changes meanwhile cause one more reading.
package struct ModemReadings: Sendable {
    /// The shortest time from the end of a reading to the next.
    private static let pause = Instant.Span.milliseconds(200)
    /// The delays after a failure.
    private static let delays = (first: Instant.Span.seconds(1), max: Instant.Span.seconds(60))

    private var isReading = false
    /// Whether there was a change since the last reading began.
    private var isOutdated = true
    private var next = Instant.zero
    private var backoff = ExponentialBackoff()

    /// Creates a value whose first reading is due.
    package init() {}

    /// When a reading is due; nil if none is needed, or while one continues.
    package var deadline: Instant? { isOutdated && !isReading ? next : nil }

    /// Records a change.
    package mutating func request() { isOutdated = true }

    /// Returns whether a reading is due, which then begins.
    package mutating func begin(at now: Instant) -> Bool {
        guard let deadline, now >= deadline else { return false }
        (isReading, isOutdated) = (true, false)
        return true
    }

    /// Records the end of a reading.
    package mutating func end(hasFailed: Bool, at now: Instant) {
        isReading = false
        if hasFailed {
            isOutdated = true
            next = now + backoff.next(from: ModemReadings.delays.first, max: ModemReadings.delays.max)
        } else {
            backoff.reset()
            next = now + ModemReadings.pause
        }
    }
}
