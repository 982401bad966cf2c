import Chronology
import NMEA

@testable import Positioning

/// Time drawn as text, one column after the other.
///
///     sentences  "GR     GR     "
///     times      "11     22     "
///     closings   "     1      2"
///
/// The first line says which sentence arrives when, the second its stated time in steps (blank: none stated). The answer says in which
/// column an epoch was found to be over, by its stated time; `-` is an epoch without one, `*` two epochs in one column.
///
/// Sentences: G GGA, R RMC, L GLL, N GNS, P PUBX,00, T GST, B GBS, V VTG, A GSA, S GSV, Z ZDA, X TXT; `~` is a byte of something else.
struct Drawing {
    /// Milliseconds of a column.
    var column: Int64 = 20
    /// Milliseconds that one step of stated time is.
    var step = 1000
    /// Stated times that are not steps from noon: milliseconds of the day by their sign.
    var special: [Character: Int] = [:]
    var assembler = EpochAssembler()
    /// Every epoch that was closed, in order, those of one column too.
    private(set) var closed = ""

    mutating func play(_ sentences: String, _ times: String) -> String {
        let stated = Array(times)
        var closings = ""
        for (at, sign) in sentences.enumerated() {
            let closed = arrive(sign, at < stated.count ? stated[at] : " ", Instant.zero + .milliseconds(Int64(at) * column))
            self.closed += closed.map(name).joined()
            closings += closed.count > 1 ? "*" : closed.first.map(name) ?? " "
        }
        while closings.last == " " { closings.removeLast() }
        return closings
    }

    private mutating func arrive(_ sign: Character, _ time: Character, _ now: Instant) -> [Epoch] {
        var closed = [assembler.tick(at: now)]
        guard sign != " " else { return closed.compactMap { $0 } }
        closed.append(assembler.heard(at: now))
        if let body = body(sign, time) {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            closed.append(assembler.close(before: address, sentence, at: now))
            closed.append(assembler.take(address, sentence, at: now))
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

    private func body(_ sign: Character, _ time: Character) -> String? {
        let clock = milliseconds(time).map(Say.clock) ?? ""
        return switch sign {
        case "G": Say.gga(clock)
        case "R": Say.rmc(clock)
        case "L": Say.gll(clock)
        case "N": Say.gns(clock)
        case "P": Say.pubx(clock)
        case "T": Say.gst(clock)
        case "B": Say.gbs(clock)
        case "V": Say.vtg
        case "A": Say.gsa()
        case "S": Say.gsv
        case "Z": Say.zda(clock)
        case "X": "GPTXT,01,01,02,hello"
        default: nil
        }
    }
}
