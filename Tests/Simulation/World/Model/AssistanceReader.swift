import Chronology
import Geodesy

/// Reads what the daemon tells a receiver before its first fix, and judges it.
struct AssistanceReader {
    /// What the receiver does with it.
    private enum Manner { case accepts, ignores, refuses }

    /// Beyond its stated error, a time may be wrong by as much as the clock may differ from a fix
    /// that confirms it.
    private static let tolerance = 2.2
    private static let maxFrame = 100
    private let manner: Manner
    private var held: [UInt8] = []

    init(_ receiver: String, _ plan: RunPlan) {
        var random = RandomStream(seed: plan.seed, purpose: "assistance \(receiver)")
        manner = plan.isQuiet ? .accepts : random.element(of: [.accepts, .accepts, .ignores, .refuses]) ?? .accepts
    }

    /// Returns the commands that the receiver executes, and its answer to those that it refuses.
    mutating func read(_ bytes: [UInt8], of name: String, in world: World) -> (commands: [UInt8], answer: [UInt8]) {
        var (commands, answer): ([UInt8], [UInt8]) = ([], [])
        let all = held + bytes
        held = []
        var at = 0
        while at < all.count {
            guard let length = AssistanceReader.length(of: all[at...]) else {
                commands.append(all[at])
                at += 1
                continue
            }
            // The rest of the command is written later.
            guard length > 0 else {
                held = Array(all[at...])
                break
            }
            let command = Array(all[at..<at + length])
            at += length
            world.trace.add(world.now, name, "is told \(String(decoding: command, as: UTF8.self).debugDescription)")
            world.reached(.receiverAssisted)
            judge(command, of: name, in: world)
            switch manner {
            case .accepts: commands += command
            case .ignores: break
            case .refuses: answer += AssistanceReader.refusal(of: command)
            }
        }
        return (commands, answer)
    }

    /// The length of a command that assists; 0 if it is not complete, nil for others.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        let frame: [UInt8] = [0xB5, 0x62, 0x13, 0x40]
        if bytes.starts(with: frame) {
            guard bytes.count >= 6 else { return 0 }
            let length = 8 + Int(bytes[bytes.startIndex + 4])
            return bytes.count >= length ? length : 0
        }
        guard ["$PMTK740,", "$PMTK741,", "$PAIR590,", "$PAIR600,"].contains(where: { bytes.starts(with: $0.utf8) })
        else {
            return nil
        }
        guard let end = bytes.firstIndex(of: 10) else { return bytes.count < maxFrame ? 0 : nil }
        return end - bytes.startIndex + 1
    }

    private static func refusal(of command: [UInt8]) -> [UInt8] {
        let text = String(decoding: command, as: UTF8.self)
        guard text.hasPrefix("$P") else { return [] }
        let body = "\(text.dropFirst().prefix(4))001,\(text.dropFirst(5).prefix(3)),1"
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return Array("$\(body)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n".utf8)
    }

    // MARK: What is said

    private func judge(_ command: [UInt8], of name: String, in world: World) {
        if command[0] == 0xB5 { return judgeFrame(Array(command.dropFirst(6)), of: name, in: world) }
        let text = String(decoding: command.dropFirst().prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self)
        let fields = text.split(separator: ",").dropFirst().compactMap { Double($0) }
        switch (text.prefix(7), fields.count) {
        case ("PMTK740", 6), ("PAIR590", 6):
            judgeTime(fields.map { Int($0) }, milliseconds: 0, error: 3, of: name, in: world)
        case ("PMTK741", 9):
            judgePlace(fields[0], fields[1], radius: 30_000, of: name, in: world)
            judgeTime(fields.dropFirst(3).map { Int($0) }, milliseconds: 0, error: 3, of: name, in: world)
        case ("PAIR600", 7): judgePlace(fields[0], fields[1], radius: fields[3], of: name, in: world)
        default: world.report(68, "\(name) is told \(text), which is not complete")
        }
    }

    private func judgeFrame(_ payload: [UInt8], of name: String, in world: World) {
        func number(_ index: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(payload[index + $1]) << ($1 * 8) }
        }
        func signed(_ index: Int) -> Double { Double(Int32(truncatingIfNeeded: number(index, 4))) }
        switch (payload.first, payload.count - 2) {
        case (0x10, 24):
            let fields = [number(4, 2)] + payload[6...10].map(Int.init)
            let error = Double(number(16, 2)) + Double(number(20, 4)) / 1e9
            judgeTime(fields, milliseconds: number(12, 4) / 1_000_000, error: error, of: name, in: world)
        case (0x01, 20):
            judgePlace(signed(4) / 1e7, signed(8) / 1e7, radius: Double(number(16, 4)) / 100, of: name, in: world)
        default: world.report(68, "\(name) gets an unknown message of \(payload.count) bytes")
        }
    }

    private func judgeTime(_ fields: [Int], milliseconds: Int, error: Double, of name: String, in world: World) {
        // While the machine stands still, receivers do too: nobody has the right time.
        guard !world.plan.suspends, fields.count >= 6,
            let date = CivilDate(year: fields[0], month: fields[1], day: fields[2])
        else { return }
        let clock = ((fields[3] * 60 + fields[4]) * 60 + fields[5]) * 1000 + milliseconds
        let told = UTCTime(date: date, millisecondsOfDay: clock)
        let difference = told.span(since: Journey.start.advanced(by: world.now - world.journey.origin)).seconds
        world.require(
            abs(difference) <= (world.breaks(68) ? -1 : error + AssistanceReader.tolerance), 68,
            "\(name) is told a time that is wrong by \(difference) s, with an error of \(error) s")
        judgePermission(name, in: world)
    }

    private func judgePlace(
        _ latitude: Double, _ longitude: Double, radius: Double, of name: String, in world: World
    ) {
        let actual = world.journey.place(at: world.now)
        let distance = Coordinate(latitude: latitude, longitude: longitude)?.nearbyDistance(to: actual)
        world.require(
            distance.map { $0 <= radius } ?? false, 68,
            "\(name) is told \(latitude), \(longitude) with a radius of \(radius) m, and is \(distance ?? -1) m away")
        judgePermission(name, in: world)
    }

    private func judgePermission(_ name: String, in world: World) {
        world.require(
            !world.manager.forbidsAssistance(at: world.now), 69, "\(name) is assisted, which the configuration forbids")
    }
}
