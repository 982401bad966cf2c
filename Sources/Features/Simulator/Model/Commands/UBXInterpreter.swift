import Chronology
import Receivers

/// Interprets the UBX messages that u-blox receivers accept (docs/receiver-commands.md, and the
/// interface descriptions listed there).
struct UBXInterpreter {
    let chip: ReceiverChip
    let isNativeUSB: Bool

    /// Returns the commands in a frame, responses included.
    func commands(in frame: UBXFrame) -> [ReceiverCommand] {
        switch (frame.group, frame.number) {
        case (0x13, 0x80): exchangeDatabase(frame.payload)
        case (0x0A, 0x04): frame.payload.isEmpty ? [.respond(version.bytes)] : []
        case (0x02, 0x41): self.sleep(frame.payload)
        case (0x06, 0x04): restart(frame.payload)
        case (0x13, 0x40), (0x0B, 0x01): aid(frame)
        case (0x06, 0x8A): chip.family == .ubloxKeys ? setKeys(frame.payload) : [rejection(frame)]
        case (0x06, _): chip.family == .ubloxKeys ? [rejection(frame)] : configure(frame)
        default: []
        }
    }

    /// UBX-ACK-ACK.
    private func acknowledgement(_ frame: UBXFrame) -> ReceiverCommand {
        .respond(UBXFrame(0x05, 0x01, [frame.group, frame.number]).bytes)
    }

    /// UBX-ACK-NAK.
    private func rejection(_ frame: UBXFrame) -> ReceiverCommand {
        .respond(UBXFrame(0x05, 0x00, [frame.group, frame.number]).bytes)
    }

    /// Interprets the configuration messages of u-blox 6 to 8.
    private func configure(_ frame: UBXFrame) -> [ReceiverCommand] {
        let payload = frame.payload
        switch (frame.number, payload.count) {
        case (0x08, 6): return [acknowledgement(frame), .period(period(Int(payload[0]) | Int(payload[1]) << 8))]
        case (0x01, 8):
            guard let kind = UBXInterpreter.kind(group: payload[0], number: payload[1]) else {
                return [rejection(frame)]
            }
            return [acknowledgement(frame), .sentences([kind: Int(payload[isNativeUSB ? 5 : 3])])]
        case (0x24, 36):
            guard payload[0] & 1 == 1, payload[2] <= 8, payload[2] != 1 else { return [rejection(frame)] }
            return [acknowledgement(frame), .dynamics(Int(payload[2]))]
        case (0x86, 8) where chip == .ublox8: return [acknowledgement(frame), .savePower(payload[1] != 0)]
        case (0x11, 2): return [acknowledgement(frame), .savePower(payload[1] == 1)]
        case (0x3B, 44): return [acknowledgement(frame)]
        case (0x23, 40) where payload[3] & 0x40 != 0 && payload[27] & 1 == 1:
            return [acknowledgement(frame), .predictOrbits]
        default: return [rejection(frame)]
        }
    }

    /// Interprets CFG-VALSET with any number of keys. One unknown key makes the receiver reject the
    /// whole message.
    private func setKeys(_ payload: [UInt8]) -> [ReceiverCommand] {
        let frame = UBXFrame(0x06, 0x8A)
        guard payload.count >= 4, payload[0] <= 1, payload[1] & 1 == 1 else { return [rejection(frame)] }
        var commands: [ReceiverCommand] = []
        var index = 4
        while index + 4 < payload.count {
            let key = (0..<4).reduce(UInt32(0)) { $0 | UInt32(payload[index + $1]) << UInt32($1 * 8) }
            let size = key >> 28 == 3 ? 2 : key >> 28 == 4 ? 4 : 1
            guard index + 4 + size <= payload.count else { return [rejection(frame)] }
            let value = (0..<size).reduce(0) { $0 | Int(payload[index + 4 + $1]) << ($1 * 8) }
            guard let command = command(key: key, value: value) else { return [rejection(frame)] }
            commands.append(command)
            index += 4 + size
        }
        return [acknowledgement(frame)] + commands
    }

    private func command(key: UInt32, value: Int) -> ReceiverCommand? {
        switch key {
        case 0x3021_0001: .period(period(value))
        case 0x20D0_0001: value <= 2 ? .savePower(value > 0) : nil
        case 0x2011_0021: .dynamics(value)
        case 0x1023_0001: value == 1 ? .predictOrbits : nil
        // The key of the other port is valid too but has no effect here.
        case 0x2091_00D4: .sentences(isNativeUSB ? [:] : [.gst: value])
        case 0x2091_00D6: .sentences(isNativeUSB ? [.gst: value] : [:])
        default: nil
        }
    }

    /// Limits the fix interval: at most ten fixes per second, five for a u-blox 6 (data sheets).
    private func period(_ requested: Int) -> Int { max(requested, chip == .ublox6 ? 200 : 100) }

    /// Interprets MGA-INI-TIME_UTC and MGA-INI-POS_LLH of u-blox 8 and later, and AID-INI with a
    /// UTC of the others. None is acknowledged by default.
    private func aid(_ frame: UBXFrame) -> [ReceiverCommand] {
        let payload = frame.payload.map(Int.init)
        func number(_ index: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | payload[index + $1] << ($1 * 8) }
        }
        func time(_ year: Int, _ month: Int, _ day: Int, seconds: Int) -> [ReceiverCommand] {
            guard let date = CivilDate(year: year, month: month, day: day) else { return [] }
            return [.time(UTCTime(date: date, millisecondsOfDay: seconds * 1000))]
        }
        let isOld = chip == .ublox6 || chip == .ublox7
        switch (frame.group, payload.first, payload.count) {
        case (0x13, 0x10, 24) where !isOld:
            let seconds = (payload[8] * 60 + payload[9]) * 60 + payload[10]
            return time(number(4, 2), payload[6], payload[7], seconds: seconds)
        case (0x13, 0x01, 20) where !isOld: return [.place]
        case (0x0B, _, 48) where isOld:
            let (date, clock) = (number(18, 2), number(20, 4))
            let flags = number(44, 4)
            guard flags & 0x402 == 0x402 else { return [] }
            let seconds = (clock / 10_000 % 100 * 60 + clock / 100 % 100) * 60 + clock % 100
            return time(2000 + date / 100, date % 100, clock / 1_000_000, seconds: seconds)
                + (flags & 0x21 == 0x21 ? [.place] : [])
        default: return []
        }
    }

    /// Interprets the poll of the database, and an entry that comes back. The makers document no
    /// contents: here they are a number and a time.
    private func exchangeDatabase(_ payload: [UInt8]) -> [ReceiverCommand] {
        guard chip == .ublox8 || chip.family == .ubloxKeys else { return [] }
        if payload.isEmpty { return [.dumpDatabase] }
        guard payload.count == UBXInterpreter.entryBytes else { return [] }
        let milliseconds = payload[12..<20].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return [.databaseEntry(Int(payload[0]), UTCTime(milliseconds: milliseconds))]
    }

    /// The number of entries and the size of each: 10 kB together, as is known of u-blox 8.
    static let (entries, entryBytes) = (60, 164)

    /// Returns the dump of data that was received at a time, with UBX-MGA-ACK at its end.
    static func database(_ time: UTCTime) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time.milliseconds >> (Int64($0) * 8)) }
        let rest = [UInt8](repeating: 0, count: entryBytes - 20)
        let dump = (0..<entries).flatMap { number in
            UBXFrame(0x13, 0x80, [UInt8(number)] + [UInt8](repeating: 0, count: 11) + bytes + rest).bytes
        }
        return dump + UBXFrame(0x13, 0x60, [1, 0, 0, 0x80, UInt8(entries), 0, 0, 0]).bytes
    }

    /// Interprets RXM-PMREQ. Neither form is acknowledged. On native USB the receiver ignores it
    /// without the force flag; with the flag, the port disappears.
    private func sleep(_ payload: [UInt8]) -> [ReceiverCommand] {
        func number(_ index: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(payload[index + $1]) << UInt32($1 * 8) } }
        // Version 0 of the message has 8 bytes, later ones 16.
        let isLong = payload.count == 16
        guard isLong || payload.count == 8, !isLong || chip != .ublox6 && chip != .ublox7 else { return [] }
        let (duration, flags) = (number(isLong ? 4 : 0), number(isLong ? 8 : 4))
        guard flags & 2 != 0, !isNativeUSB || flags & 4 != 0 else { return [] }
        let wakesOnInput = !isNativeUSB && (!isLong || number(12) & 8 != 0)
        return [
            .sleep(
                SleepRequest(
                    wakesOnInput: wakesOnInput, duration: duration > 0 ? .milliseconds(Int64(duration)) : nil,
                    losesSettings: true))
        ]
    }

    /// Interprets CFG-RST, which is never acknowledged.
    private func restart(_ payload: [UInt8]) -> [ReceiverCommand] {
        guard payload.count == 4 else { return [] }
        switch payload[2] {
        case 8: return [.stop]
        case 9: return [.start]
        case 0, 1, 2, 4:
            return [
                .restart(payload[0] == 0 && payload[1] == 0 ? .hot : payload[0] == 1 && payload[1] == 0 ? .warm : .cold)
            ]
        default: return []
        }
    }

    private static func kind(group: UInt8, number: UInt8) -> SentencePlan.Kind? {
        switch (group, number) {
        case (0xF0, 0x00): .gga
        case (0xF0, 0x01): .gll
        case (0xF0, 0x02): .gsa
        case (0xF0, 0x03): .gsv
        case (0xF0, 0x04): .rmc
        case (0xF0, 0x05): .vtg
        case (0xF0, 0x07): .gst
        case (0xF0, 0x08): .zda
        case (0xF0, 0x09): .gbs
        case (0xF0, 0x0A): .dtm
        case (0xF0, 0x0D): .gns
        case (0xF0, 0x0E): .ths
        case (0xF1, 0x00): .pubx00
        default: nil
        }
    }

    /// The MON-VER response.
    private var version: UBXFrame {
        let (software, hardware, extensions): (String, String, [String]) =
            switch chip {
            case .ublox8:
                ("ROM CORE 3.01 (107888)", "00080000", ["FWVER=SPG 3.01", "PROTVER=18.00", "GPS;GLO;GAL;BDS"])
            case .ubloxM9: ("EXT CORE 4.04 (7f89f7)", "00190000", ["FWVER=SPG 4.04", "PROTVER=32.01", "MOD=NEO-M9N"])
            case .ubloxM10: ("ROM SPG 5.10 (7b202e)", "000A0000", ["FWVER=SPG 5.10", "PROTVER=34.10"])
            default: ("7.03 (45969)", "00040007", [])
            }
        func padded(_ text: String, to width: Int) -> [UInt8] {
            Array((Array(text.utf8) + [UInt8](repeating: 0, count: width)).prefix(width))
        }
        return UBXFrame(
            0x0A, 0x04, padded(software, to: 30) + padded(hardware, to: 10) + extensions.flatMap { padded($0, to: 30) })
    }
}
