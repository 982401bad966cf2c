import Chronology
import Geodesy

/// What a command gives to a receiver before its first fix. The raw values are the names for users.
package enum AssistanceKind: String, Sendable, CaseIterable {
    case time, place, database, file
}

/// The commands that give a receiver the time and the last place before its first fix. They are
/// kept in its RAM at most.
///
/// Formats: u-blox interface descriptions ([UB]), by the fields in pyubx2, SparkFun's library and
/// daedaleanai/ublox. Those of MediaTek and Airoha by the public drivers for these parts ([FS],
/// `docs/receiver-commands.md`).
struct AssistanceCommands: Sendable {
    /// The time from a command to its processing: the line, and the receiver's own delay.
    private static let delay = Instant.Span.milliseconds(100)
    /// The maximum error of a time in whole seconds: 3 s (SIM68D and LC29H documents), less the
    /// half second of rounding.
    private static let maxError = Instant.Span.seconds(2.5)
    /// The maximum radius of a place in a sentence, in metres: 30 km (PMTK741; Quectel's AGNSS
    /// note for PAIR600).
    private static let maxRadius = 30_000.0
    /// The maximum radius of any place, in metres.
    private static let maxStatedRadius = 1_000_000.0

    /// The commands, the time first.
    private(set) var steps: [CommandSequence.Step] = []
    private(set) var kinds: Set<AssistanceKind> = []

    private let utc: UTCTime
    private let error: Instant.Span
    private let place: LastPlace?
    private let radius: Double

    /// Creates the commands of a chip, without any if it has none or the clock is not believed.
    ///
    /// - Parameter waits: How long the commands may wait for those before them.
    init(_ assistance: StartAssistance?, for chip: ReceiverChip, waits: Instant.Span = .zero, at now: Instant) {
        utc = assistance?.clock?.utc(at: now) ?? UTCTime(milliseconds: 0)
        error = (assistance?.clock?.error(at: now) ?? .zero) + AssistanceCommands.delay + waits
        let stated = assistance?.place?.radius(at: now) ?? .infinity
        place = stated <= AssistanceCommands.maxStatedRadius ? assistance?.place : nil
        radius = min(stated, AssistanceCommands.maxStatedRadius)
        guard assistance?.clock != nil else { return }
        switch chip {
        case .ublox8, .ubloxM9, .ubloxM10: addMGA()
        case .ublox6, .ublox7: add(aidIni, place == nil ? [.time] : [.time, .place])
        case .mediatek: addPMTK()
        case .airoha, .quectel: addPAIR()
        case .casic, .sirf, .teseo, .generic: break
        }
    }

    private mutating func add(_ command: Command, _ given: Set<AssistanceKind>) {
        steps.append(CommandSequence.Step(purpose: .assistance, command: command))
        kinds.formUnion(given)
    }

    /// Adds messages of satellites, which follow the time. Each has the time that the line needs
    /// for it, and 10 ms for the receiver (ubxlib).
    mutating func add(_ messages: [(frame: UBXFrame, kind: AssistanceKind)], baud: Int?) {
        for (frame, kind) in messages {
            let bytes = frame.bytes
            let pause = Instant.Span.milliseconds(10 + Int64(bytes.count * 10_000 / max(baud ?? .max, 1)))
            add(Command(bytes: bytes, attempts: 1, timeout: pause), [kind])
        }
    }

    /// The sentence fields "2026,11,27,17,03,02": the time rounded to a second, with the date.
    private var sentenceTime: String {
        let rounded = utc.advanced(by: .milliseconds(500))
        let day = rounded.date.components
        let seconds = rounded.millisecondsOfDay / 1000
        let fields = [day.year, day.month, day.day, seconds / 3600, seconds / 60 % 60, seconds % 60]
        return fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ",")
    }
}

// UBX.
extension AssistanceCommands {
    /// UBX-MGA-INI-TIME_UTC (24 bytes, type 0x10) and UBX-MGA-INI-POS_LLH (20 bytes, type 0x01).
    private mutating func addMGA() {
        let (day, clock) = (utc.date.components, utc.millisecondsOfDay)
        let seconds = clock / 1000
        let time = [day.month, day.day, seconds / 3600, seconds / 60 % 60, seconds % 60, 0].map(UInt8.init(clamping:))
        // The reference is the reception of the message; the leap seconds are unknown (-128).
        var payload: [UInt8] = [0x10, 0, 0, 0x80] + UInt16(clamping: day.year).littleEndianBytes + time
        payload += UInt32(clock % 1000 * 1_000_000).littleEndianBytes
        payload += UInt16(clamping: error.nanoseconds / 1_000_000_000).littleEndianBytes + [0, 0]
        payload += UInt32(error.nanoseconds % 1_000_000_000).littleEndianBytes
        add(.ubx(0x13, 0x40, payload), [.time])
        guard let place else { return }
        add(.ubx(0x13, 0x40, [0x01, 0, 0, 0] + position(of: place)), [.place])
    }

    /// Latitude and longitude in 1e-7 degrees, height in centimetres, accuracy in centimetres.
    private func position(of place: LastPlace) -> [UInt8] {
        func number(_ value: Double) -> [UInt8] { Int32(value.rounded()).littleEndianBytes }
        let altitude = min(max(place.altitude ?? 0, -10_000), 100_000)
        return number(place.coordinate.latitude * 1e7) + number(place.coordinate.longitude * 1e7)
            + number(altitude * 100) + UInt32(radius * 100).littleEndianBytes
    }

    /// UBX-AID-INI (48 bytes): a position in degrees, the time as YYMM and DDHHMMSS in UTC, and
    /// which of them are valid: position 0x1, time 0x2, degrees 0x20, no height 0x40, UTC 0x400.
    private var aidIni: Command {
        let (day, clock) = (utc.date.components, utc.millisecondsOfDay)
        let seconds = clock / 1000
        let time = ((day.day * 100 + seconds / 3600) * 100 + seconds / 60 % 60) * 100 + seconds % 60
        var flags: UInt32 = 0x402
        if let place { flags |= place.altitude == nil ? 0x61 : 0x21 }
        var payload = place.map(position) ?? [UInt8](repeating: 0, count: 16)
        payload += [0, 0] + UInt16(clamping: (day.year - 2000) * 100 + day.month).littleEndianBytes
        payload += UInt32(clamping: time).littleEndianBytes + UInt32(clock % 1000 * 1_000_000).littleEndianBytes
        payload += UInt32(clamping: error.nanoseconds / 1_000_000).littleEndianBytes
        payload += [UInt8](repeating: 0, count: 12) + flags.littleEndianBytes
        return .ubx(0x0B, 0x01, payload)
    }
}

// Sentences.
extension AssistanceCommands {
    /// PMTK740: the time. PMTK741: latitude, longitude, height and the time.
    private mutating func addPMTK() {
        guard error <= AssistanceCommands.maxError else { return }
        add(.sentence("PMTK740,\(sentenceTime)", reply: .pmtk(740), attempts: 1), [.time])
        guard let place, let altitude = place.altitude, radius <= AssistanceCommands.maxRadius else { return }
        let text = "PMTK741,\(degrees(of: place)),\(Int(altitude.rounded())),\(sentenceTime)"
        add(.sentence(text, reply: .pmtk(741), attempts: 1), [.place])
    }

    /// PAIR590: the time. PAIR600: latitude, longitude, height, the axes and the bearing of the
    /// error ellipse, and the error of the height.
    private mutating func addPAIR() {
        guard error <= AssistanceCommands.maxError else { return }
        add(.sentence("PAIR590,\(sentenceTime)", reply: .pair(590), attempts: 1), [.time])
        guard let place, let altitude = place.altitude, radius <= AssistanceCommands.maxRadius else { return }
        let axis = "\(Int(radius)).0"
        let text = "PAIR600,\(degrees(of: place)),\(Int(altitude.rounded())).0,\(axis),\(axis),0.0,1000.0"
        add(.sentence(text, reply: .pair(600), attempts: 1), [.place])
    }

    private func degrees(of place: LastPlace) -> String {
        func text(_ degrees: Double) -> String {
            let millionths = Int((abs(degrees) * 1e6).rounded())
            let fraction = "\(1_000_000 + millionths % 1_000_000)".dropFirst()
            return (degrees < 0 ? "-" : "") + "\(millionths / 1_000_000).\(fraction)"
        }
        return "\(text(place.coordinate.latitude)),\(text(place.coordinate.longitude))"
    }
}
