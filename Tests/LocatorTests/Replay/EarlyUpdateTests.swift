import Chronology
import Locator
import Positioning
import TestSupport
import Testing

/// A low-latency stream gets a fix before the end of the epoch if the rest of the burst cannot
/// change it. Each epoch still gives one update.
@Suite struct EarlyUpdateTests {
    private static let folder = PackageFiles.package + "/captures/"
    private static let captures = PackageFiles.names(in: folder, ending: ".nmea")

    /// Captures whose bursts end with repeated data, captures whose bursts do not, and damaged
    /// ones.
    @Test(arguments: captures)
    func `early updates equal those of the complete epochs`(capture: String) throws {
        let late = try LineReplay.run(Self.folder + capture, publishesEarly: false)
        let early = try LineReplay.run(Self.folder + capture, publishesEarly: true)
        #expect(early.updates == late.updates)
        #expect(early.epochs == late.epochs)
    }

    @Test func `updates of the demo capture are two lines earlier`() throws {
        let late = try LineReplay.run(Self.folder + "demo.nmea", publishesEarly: false)
        let early = try LineReplay.run(Self.folder + "demo.nmea", publishesEarly: true)
        let sooner = zip(early.lines, late.lines).map { $1 - $0 }
        #expect(sooner.count > 50)
        #expect(sooner.suffix(40).allSatisfy { $0 == 2 }, "ZDA and GBS add nothing")
    }

    /// Each epoch gives one update, and it nearly always equals the final fix. A wrong prediction
    /// costs one fix some of its accuracy.
    @Test(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
    func `early updates of real receivers are nearly always right`() throws {
        var all = 0
        var wrong = 0
        var sooner = 0
        for folder in [SharedCaptures.gpsd, SharedCaptures.recorded] {
            for name in PackageFiles.names(in: folder, ending: ".log", ".nmea") {
                let late = try LineReplay.run("\(folder)/\(name)", publishesEarly: false)
                let early = try LineReplay.run("\(folder)/\(name)", publishesEarly: true)
                #expect(early.updates.count == late.updates.count, "\(name)")
                all += late.updates.count
                wrong += zip(early.updates, late.updates).count { $0 != $1 }
                sooner += zip(early.lines, late.lines).count { $0 < $1 }
            }
        }
        #expect(wrong * 1000 <= all, "\(wrong) of \(all)")
        #expect(sooner * 2 > all, "\(sooner) of \(all)")
    }

    @Test func `a stream without low latency waits for the end of the epoch`() throws {
        let late = try LineReplay.run(Self.folder + "demo.nmea", configuration: .default, publishesEarly: false)
        let early = try LineReplay.run(Self.folder + "demo.nmea", configuration: .default, publishesEarly: true)
        #expect(early.lines == late.lines)
    }
}

/// A replay that delivers a capture line by line, 5 ms apart, as a slow serial line does.
private struct LineReplay {
    private(set) var updates: [Fix] = []
    /// The number of lines before each of ``updates``.
    private(set) var lines: [Int] = []
    private(set) var epochs: [Fix] = []
    private var locator = Locator()
    private var now = Instant.zero
    private var lineCount = 0

    static func run(
        _ path: String, configuration: Configuration = .automotiveNavigation, publishesEarly: Bool
    ) throws -> LineReplay {
        var replay = LineReplay()
        replay.locator.publishesEarly = publishesEarly
        replay.locator.attach(ReceiverID(1), name: "tty1", port: "/dev/tty1", status: .open, at: .zero)
        _ = replay.locator.subscribe(StreamRequest(configuration: configuration), id: RequestID(1), at: .zero)
        for line in try PackageFiles.read(path).split(whereSeparator: { $0 == 10 || $0 == 13 })
        where line.first == UInt8(ascii: "$") {
            replay.wait(.milliseconds(5))
            replay.receive(Array(line) + [13, 10])
        }
        replay.wait(.seconds(3))
        return replay
    }

    private mutating func receive(_ bytes: [UInt8]) {
        lineCount += 1
        for update in locator.receive(bytes.span.bytes, from: ReceiverID(1), at: now).updates { record(update.update) }
        recordEffects()
    }

    /// Advances the clock and calls `tick` at every deadline until then.
    private mutating func wait(_ span: Instant.Span) {
        let end = now + span
        while let deadline = locator.deadline(), deadline <= end {
            now = max(deadline, now + Instant.Span(nanoseconds: 1))
            locator.tick(at: now)
            recordEffects()
        }
        now = max(now, end)
    }

    private mutating func recordEffects() {
        for effect in locator.takeEffects() {
            if case .request(.publish(let update, _)) = effect { record(update) }
            if case .receiver(.epoch(_, let fix)) = effect { epochs.append(fix) }
        }
    }

    private mutating func record(_ update: Update) {
        guard let fix = update.location?.fix else { return }
        updates.append(fix)
        lines.append(lineCount)
    }
}
