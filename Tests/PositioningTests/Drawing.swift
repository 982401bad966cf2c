import Chronology
import NMEA

@testable import Positioning

/// Time drawn as text, one column after the other.
///
///     sentences  "GR     GR     "
///     times      "11     22     "
///     closings   "     1      2"
///
/// The first line gives the sentences at their arrival, the second their stated times in steps
/// (blank: none stated). The result has the stated time of each epoch in the column in which the
/// epoch closed; `-` is an epoch without a time, `*` two epochs in one column.
///
/// Sentences: G GGA, R RMC, L GLL, N GNS, P PUBX,00, T GST, B GBS, V VTG, A GSA, S GSV, Z ZDA, X
/// TXT; `~` is a byte that belongs to no sentence.
struct Drawing {
    /// The milliseconds of a column.
    var column: Int64 = 20
    /// The milliseconds of one step of stated time.
    var step = 1000
    /// Stated times that are not steps from noon: the millisecond of the day for each character.
    var special: [Character: Int] = [:]
    var assembler = EpochAssembler()
    /// All closed epochs in order, including several in one column.
    private(set) var closed = ""

    mutating func closings(of sentences: String, times: String) -> String {
        let timeSigns = Array(times)
        var closings = ""
        for (index, sign) in sentences.enumerated() {
            let closed = process(
                sign, time: index < timeSigns.count ? timeSigns[index] : " ",
                at: Instant.zero + .milliseconds(Int64(index) * column))
            self.closed += closed.map(name).joined()
            closings += closed.count > 1 ? "*" : closed.first.map(name) ?? " "
        }
        while closings.last == " " { closings.removeLast() }
        return closings
    }

    private mutating func process(_ sign: Character, time: Character, at now: Instant) -> [Epoch] {
        var closed = [assembler.tick(at: now)]
        guard sign != " " else { return closed.compactMap { $0 } }
        closed.append(assembler.recordActivity(at: now))
        if let body = Body.of(sign, at: milliseconds(time).map(Body.clock) ?? "") {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            closed.append(assembler.close(before: sentence, from: address, at: now))
            closed.append(assembler.add(sentence, from: address, at: now))
        }
        return closed.compactMap { $0 }
    }

    private func milliseconds(_ time: Character) -> Int? {
        special[time] ?? time.hexDigitValue.map { 43_200_000 + $0 * step }
    }

    private func name(_ epoch: Epoch) -> String {
        guard let time = epoch.time else { return "-" }
        let names = special.keys.sorted() + Array("0123456789ABCDEF")
        return names.first { milliseconds($0) == time.milliseconds }.map(String.init) ?? "?"
    }
}
