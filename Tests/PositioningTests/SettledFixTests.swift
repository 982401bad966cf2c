import Chronology
import Geodesy
import NMEA
import Testing

@testable import Positioning

/// After which sentence a fix is told: learned from bursts that end with what repeats, unlearned by one that does not.
@Suite struct SettledFixTests {
    /// A burst, drawn: `g` GGA brings a position, `t` GST an accuracy, `s` GSV the sky, `r` RMC, `v` VTG and `z` ZDA nothing new.
    private struct Receiver {
        var settled = SettledFix()
        var fix = Fix()
        var second = 0

        /// Returns the sentences of the burst, the one after which the fix was told as a capital letter; `told` is what was told.
        mutating func burst(_ sentences: String, accuracy: Double = 2) -> (drawing: String, wasTold: Bool) {
            second += 1
            fix = Fix(mode: .threeD, quality: .autonomous)
            var drawing = ""
            for letter in sentences.dropLast() { drawing += hear(letter, accuracy) ? letter.uppercased() : String(letter) }
            // The last one ends the epoch.
            if let last = sentences.last {
                say(last, accuracy)
                drawing.append(last)
            }
            return (drawing, settled.close(fix, last: sentences.last.map(SettledFixTests.word)))
        }

        private mutating func say(_ letter: Character, _ accuracy: Double) {
            switch letter {
            case "g": fix.coordinate = Coordinate(latitude: 47, longitude: Double(second) / 1000)
            case "t": fix.horizontalAccuracy = accuracy
            default: break
            }
        }

        private mutating func hear(_ letter: Character, _ accuracy: Double) -> Bool {
            say(letter, accuracy)
            return settled.saw(fix, after: SettledFixTests.word(letter))
        }
    }

    private static func word(_ letter: Character) -> LastWord {
        let bodies: [Character: String] = [
            "g": Say.gga("120000.00"), "t": Say.gst("120000.00"), "s": Say.gsv, "r": Say.rmc("120000.00"),
            "v": "GPVTG,77.5,T,,M,10.0,N,18.5,K",
            "z": Say.zda("120000.00"),
        ]
        let (address, sentence) = Sentence.decode(Array((bodies[letter] ?? "").utf8).span.bytes)
        return LastWord(address, sentence, in: Epoch(opened: .zero))
    }

    @Test func eightAlikeAreEnough() {
        var receiver = Receiver()
        for _ in 0..<SettledFix.lessons { #expect(receiver.burst("gtvz") == ("gtvz", false)) }
        for _ in 0..<5 { #expect(receiver.burst("gtvz") == ("gTvz", true)) }
    }

    @Test func aBurstThatEndsWithNewsIsWaitedFor() {
        var receiver = Receiver()
        for _ in 0..<20 { #expect(receiver.burst("gzvt") == ("gzvt", false)) }
    }

    /// Its satellites may change an accuracy in one epoch of many.
    @Test func theSkyIsWaitedFor() {
        var receiver = Receiver()
        for _ in 0..<20 { _ = receiver.burst("gsvz") }
        #expect(receiver.burst("gsvz") == ("gSvz", true))
    }

    /// It may say that there is no position.
    @Test func aStatusIsWaitedFor() {
        var receiver = Receiver()
        for _ in 0..<20 { _ = receiver.burst("grvz") }
        #expect(receiver.burst("grvz") == ("gRvz", true))
        for _ in 0..<20 { #expect(receiver.burst("gvr").wasTold == false, "also where it ends the burst") }
    }

    /// A mode letter decides only where no better sentence has one (`Epoch.quality`).
    @Test(arguments: [(",A", "GPGLL", false), ("", "GPGLL", true), (",A", "GPVTG", false), ("", "GPVTG", true)])
    func aLetterIsWaitedForWhereRMCHasNone(letter: String, kind: String, isWeighty: Bool) {
        var epoch = Epoch(opened: .zero)
        let (address, rmc) = Sentence.decode(Array(Say.rmc("120000.00", mode: letter).utf8).span.bytes)
        epoch.merge(address, rmc)
        let other = kind == "GPGLL" ? Say.gll("120000.00") : Say.vtg
        let (tail, sentence) = Sentence.decode(Array(other.utf8).span.bytes)
        epoch.merge(tail, sentence)
        #expect(LastWord(tail, sentence, in: epoch).isWeighty == isWeighty)
    }

    /// Each error is paid for twice as dearly.
    @Test func anotherFixInTheEndTakesTheBeliefBack() {
        var receiver = Receiver()
        for _ in 0..<SettledFix.lessons { _ = receiver.burst("gvz") }
        #expect(receiver.burst("gvtz") == ("Gvtz", true))
        var needed = 0
        while !receiver.burst("gvz").wasTold { needed += 1 }
        #expect(needed == 2 * SettledFix.lessons)
    }

    @Test func nothingIsToldWithoutAPosition() {
        var receiver = Receiver()
        for _ in 0..<20 { #expect(receiver.burst("tvz") == ("tvz", false)) }
    }
}
