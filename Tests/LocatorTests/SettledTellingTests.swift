import Delivery
import Foundation
import Locator
import Positioning
import Testing

/// A low-latency stream gets a fix before the end of the epoch if the rest of the burst cannot
/// change it. Each epoch still gives one update.
@Suite struct SettledTellingTests {
    private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/captures/"

    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
        $0.hasSuffix(".nmea")
    }
    /// Logs of real receivers, beside the repository.
    private static let recorded = folder + "../../shared/captures/"

    /// Plays a capture line by line; returns the fixes of the stream, the number of lines before
    /// each, and the fixes of the epochs.
    private static func play(
        _ path: String, _ configuration: LiveConfiguration = .automotiveNavigation, early: Bool
    ) throws -> (told: [Fix], after: [Int], epochs: [Fix]) {
        let text = try String(contentsOfFile: path, encoding: .isoLatin1)
        var stage = Stage()
        stage.locator.publishesEarly = early
        stage.attach(1)
        stage.subscribe(1, configuration)
        var (told, after, epochs, lines) = ([Fix](), [Int](), [Fix](), 0)
        func take() {
            for effect in stage.effects {
                if case .publish(let update, _) = effect, let fix = update.location?.fix {
                    (told, after) = (told + [fix], after + [lines])
                }
                if case .epoch(_, let fix) = effect { epochs.append(fix) }
            }
            stage.forget()
        }
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("$") {
            stage.wait(0.005)
            stage.hear(line + "\r\n", from: 1)
            lines += 1
            take()
        }
        stage.wait(3)
        take()
        return (told, after, epochs)
    }

    /// Captures whose bursts end with repeated data, captures whose bursts do not, and damaged
    /// ones.
    @Test(arguments: names)
    func `early updates equal those of the complete epochs`(capture: String) throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + capture, early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + capture, early: true)
        #expect(early.told == late.told)
        #expect(early.epochs == late.epochs)
    }

    @Test func `updates of the demo capture are two lines earlier`() throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", early: true)
        let sooner = zip(early.after, late.after).map { $1 - $0 }
        #expect(sooner.count > 50)
        #expect(sooner.suffix(40).allSatisfy { $0 == 2 }, "ZDA and GBS add nothing")
    }

    /// Each epoch gives one update, and it nearly always equals the final fix. A wrong prediction
    /// costs one fix some of its accuracy.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: recorded), "needs the recorded logs in ../shared/captures"))
    func `early updates of real receivers are nearly always right`() throws {
        var (all, wrong, sooner) = (0, 0, 0)
        for set in ["gpsd", "recorded"] {
            let folder = SettledTellingTests.recorded + set + "/"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            where name.hasSuffix(".log") || name.hasSuffix(".nmea") {
                let late = try SettledTellingTests.play(folder + name, early: false)
                let early = try SettledTellingTests.play(folder + name, early: true)
                #expect(early.told.count == late.told.count, "\(name)")
                let apart = zip(early.told, late.told).count { $0 != $1 }
                sooner += zip(early.after, late.after).count { $0 < $1 }
                (all, wrong) = (all + late.told.count, wrong + apart)
            }
        }
        #expect(wrong * 1000 <= all, "\(wrong) of \(all)")
        #expect(sooner * 2 > all, "\(sooner) of \(all)")
    }

    @Test func `a stream without low latency waits for the end of the epoch`() throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", .default, early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", .default, early: true)
        #expect(early.after == late.after)
    }
}
