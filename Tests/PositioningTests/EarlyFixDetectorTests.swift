import Chronology
import Geodesy
import NMEA
import Testing

@testable import Positioning

/// The sentence after which a fix is published: learned from bursts that end with repeated data,
/// and reset by one that does not.
@Suite struct EarlyFixDetectorTests {
    /// A drawn burst: `g` GGA sets a position, `t` GST an accuracy, `s` GSV the sky; `r` is RMC;
    /// `v` VTG and `z` ZDA add nothing new.
    private struct Receiver {
        var detector = EarlyFixDetector()
        var fix = Fix()
        var second = 0

        /// Sends a burst; returns its sentences, with a capital letter for the one after which the
        /// fix was published, and whether it was published early.
        mutating func burst(_ sentences: String, accuracy: Double = 2) -> (drawing: String, isEarly: Bool) {
            second += 1
            fix = Fix(mode: .threeD, quality: .autonomous)
            var drawing = ""
            for letter in sentences.dropLast() {
                drawing += record(letter, accuracy: accuracy) ? letter.uppercased() : String(letter)
            }
            // The last sentence ends the epoch.
            if let last = sentences.last {
                updateFix(with: last, accuracy: accuracy)
                drawing.append(last)
            }
            return (drawing, detector.endEpoch(fix, last: sentences.last.map(EarlyFixDetectorTests.trailingSentence)))
        }

        private mutating func updateFix(with letter: Character, accuracy: Double) {
            switch letter {
            case "g": fix.coordinate = Coordinate(latitude: 47, longitude: Double(second) / 1000)
            case "t": fix.horizontalAccuracy = accuracy
            default: break
            }
        }

        private mutating func record(_ letter: Character, accuracy: Double) -> Bool {
            updateFix(with: letter, accuracy: accuracy)
            return detector.record(fix, after: EarlyFixDetectorTests.trailingSentence(letter))
        }
    }

    private static func trailingSentence(_ letter: Character) -> TrailingSentence {
        let bodies: [Character: String] = [
            "g": Body.gga("120000.00"), "t": Body.gst("120000.00"), "s": Body.gsv, "r": Body.rmc("120000.00"),
            "v": "GPVTG,77.5,T,,M,10.0,N,18.5,K",
            "z": Body.zda("120000.00"),
        ]
        let (address, sentence) = Sentence.decode(Array((bodies[letter] ?? "").utf8).span.bytes)
        return TrailingSentence(sentence, from: address, in: Epoch(opened: .zero))
    }

    @Test func `enough equal bursts publish the fix early`() {
        var receiver = Receiver()
        for _ in 0..<EarlyFixDetector.requiredMatches { #expect(receiver.burst("gtvz") == ("gtvz", false)) }
        for _ in 0..<5 { #expect(receiver.burst("gtvz") == ("gTvz", true)) }
    }

    @Test func `a burst that ends with new data has no early fix`() {
        var receiver = Receiver()
        for _ in 0..<20 { #expect(receiver.burst("gzvt") == ("gzvt", false)) }
    }

    /// The satellites may change an accuracy in one epoch of many.
    @Test func `the fix waits for the sky`() {
        var receiver = Receiver()
        for _ in 0..<20 { _ = receiver.burst("gsvz") }
        #expect(receiver.burst("gsvz") == ("gSvz", true))
    }

    /// RMC may state that there is no position.
    @Test func `the fix waits for the status of RMC`() {
        var receiver = Receiver()
        for _ in 0..<20 { _ = receiver.burst("grvz") }
        #expect(receiver.burst("grvz") == ("gRvz", true))
        for _ in 0..<20 { #expect(receiver.burst("gvr").isEarly == false, "also where it ends the burst") }
    }

    /// A mode letter decides only if no better sentence has one (`Epoch.quality`).
    @Test(arguments: [(",A", "GPGLL", false), ("", "GPGLL", true), (",A", "GPVTG", false), ("", "GPVTG", true)])
    func `the fix waits for a mode letter that RMC lacks`(letter: String, kind: String, canChangeFix: Bool) {
        var epoch = Epoch(opened: .zero)
        let (address, rmc) = Sentence.decode(Array(Body.rmc("120000.00", mode: letter).utf8).span.bytes)
        epoch.merge(rmc, from: address)
        let other = kind == "GPGLL" ? Body.gll("120000.00") : Body.vtg
        let (tail, sentence) = Sentence.decode(Array(other.utf8).span.bytes)
        epoch.merge(sentence, from: tail)
        #expect(TrailingSentence(sentence, from: tail, in: epoch).canChangeFix == canChangeFix)
    }

    /// Each error doubles the number of bursts needed for learning.
    @Test func `an early fix that differs from the final one resets the learning`() {
        var receiver = Receiver()
        for _ in 0..<EarlyFixDetector.requiredMatches { _ = receiver.burst("gvz") }
        #expect(receiver.burst("gvtz") == ("Gvtz", true))
        var needed = 0
        while !receiver.burst("gvz").isEarly { needed += 1 }
        #expect(needed == 2 * EarlyFixDetector.requiredMatches)
    }

    @Test func `no fix is published without a position`() {
        var receiver = Receiver()
        for _ in 0..<20 { #expect(receiver.burst("tvz") == ("tvz", false)) }
    }
}
