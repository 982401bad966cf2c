import Foundation
import Locator
import Testing

/// The updates that the daemon prepares while a burst still arrives.
@Suite struct ExpectedUpdateTests {
    /// Feeds one second of a receiver sentence by sentence; the stage's own `fix` sends them in one
    /// piece.
    private static func receive(_ sentence: String, second: Int, on stage: inout Stage) {
        let clock = "12000\(second).00"
        switch sentence {
        case "RMC": stage.receive(line("GPRMC,\(clock),A,4717.11399,N,00833.91590,E,4.0,77.5,211126,,,A"), from: 1)
        case "GGA": stage.receive(line("GPGGA,\(clock),4717.11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,"), from: 1)
        default: stage.receive(line("GPGLL,4717.11399,N,00833.91590,E,\(clock),A,A"), from: 1)
        }
    }

    private func published(_ stage: Stage) -> [Update?] {
        stage.effects.compactMap { effect in if case .request(.publish(let update, _)) = effect { update } else { nil }
        }
    }

    @Test func `the expected update is published when the rest of the burst adds nothing`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        for second in 0..<6 {
            for sentence in ["RMC", "GGA"] { ExpectedUpdateTests.receive(sentence, second: second, on: &stage) }
            let expected = stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now)
            stage.clearEffects()
            ExpectedUpdateTests.receive("GLL", second: second, on: &stage)
            stage.wait(1)
            #expect(expected != nil)
            #expect(published(stage) == [expected])
        }
    }

    @Test func `there is no expected update between bursts or without streams`() {
        var stage = Stage()
        stage.attach(1)
        ExpectedUpdateTests.receive("RMC", second: 0, on: &stage)
        #expect(stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now) == nil)
        stage.subscribe(1)
        #expect(stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now) != nil)
        stage.wait(1)
        #expect(stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now) == nil)
        #expect(stage.locator.expectedUpdate(from: ReceiverID(2), at: stage.now) == nil)
    }

    @Test func `there is no expected update for streams that are not due`() {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 1)
        stage.subscribe(1, configuration: .default)
        ExpectedUpdateTests.receive("GGA", second: 1, on: &stage)
        #expect(stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now) == nil)
    }
}

/// Captures of bursts as receivers send them, except those whose last sentence carries new data:
/// GST of a u-blox M8, PGRME of a Garmin.
@Suite struct ExpectedOnCapturesTests {
    @Test(arguments: ["demo", "mtk", "casic"])
    func `the expected update is ready before the last sentence`(capture: String) throws {
        let package = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        let text = try String(contentsOfFile: "\(package)/captures/\(capture).nmea", encoding: .isoLatin1)
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(1)
        var expected: Update?
        var ready = 0
        var updates = 0
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("$") {
            stage.clearEffects()
            // A pause of the line does not end a burst here: the bursts are separated by their
            // times.
            stage.wait(0.005)
            stage.receive(line + "\r\n", from: 1)
            for case .request(.publish(let update, _)) in stage.effects where update.location != nil {
                updates += 1
                ready += update == expected ? 1 : 0
            }
            expected = stage.locator.expectedUpdate(from: ReceiverID(1), at: stage.now) ?? expected
        }
        #expect(updates > 50)
        #expect(Double(ready) > 0.9 * Double(updates), "\(ready) of \(updates)")
    }
}
