import Delivery
import Foundation
import Locator
import Positioning
import Testing

/// A stream in a hurry is told of a fix as soon as it is settled, and of each epoch once all the same.
@Suite struct SettledTellingTests {
    private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/captures/"

    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".nmea") }
    /// Logs of real receivers, beside the repository.
    private static let recorded = folder + "../../shared/captures/"

    /// What a stream was told of a capture that came line by line, and after how many lines of all.
    private static func play(
        _ path: String, _ configuration: LiveConfiguration = .automotiveNavigation, early: Bool
    ) throws -> (told: [Fix], after: [Int], epochs: [Fix]) {
        let text = try String(contentsOfFile: path, encoding: .isoLatin1)
        var stage = Stage()
        stage.locator.tellsSettled = early
        stage.attach(1)
        stage.subscribe(1, configuration)
        var (told, after, epochs, lines) = ([Fix](), [Int](), [Fix](), 0)
        func take() {
            for effect in stage.effects {
                if case .publish(let update, _) = effect, let fix = update.location?.fix { (told, after) = (told + [fix], after + [lines]) }
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

    /// Those whose bursts end with what repeats, those whose bursts do not, and those that are damaged.
    @Test(arguments: names)
    func whatIsToldIsWhatTheEpochsSaid(capture: String) throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + capture, early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + capture, early: true)
        #expect(early.told == late.told)
        #expect(early.epochs == late.epochs)
    }

    @Test func theDemonstrationIsToldTwoLinesSooner() throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", early: true)
        let sooner = zip(early.after, late.after).map { $1 - $0 }
        #expect(sooner.count > 50)
        #expect(sooner.suffix(40).allSatisfy { $0 == 2 }, "ZDA and GBS add nothing")
    }

    /// Of each epoch once, and nearly always what it said in the end: a belief that was wrong costs one fix a little of its accuracy.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: recorded), "needs the recorded logs in ../shared/captures"))
    func realReceiversAreToldRightly() throws {
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

    @Test func whoIsNotInAHurryWaitsForTheEpoch() throws {
        let late = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", .default, early: false)
        let early = try SettledTellingTests.play(SettledTellingTests.folder + "demo.nmea", .default, early: true)
        #expect(early.after == late.after)
    }
}
