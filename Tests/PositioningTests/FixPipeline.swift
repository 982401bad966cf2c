import Chronology
import NMEA

@testable import Positioning

/// One receiver's path from sentences to fixes, as in the daemon.
struct FixPipeline {
    var assembler = EpochAssembler()
    var sky = SkyAssembler()
    var fixBuilder = FixBuilder()
    /// The time of the last byte.
    private(set) var now = Instant.zero

    /// Sends a burst of sentence bodies, `pause` after the previous one, and the silence after it
    /// until nothing is due.
    mutating func burst(_ bodies: [String], pause: Instant.Span = .seconds(1)) -> [Fix] {
        let fixes = send(bodies, pause: pause)
        return fixes + finishBurst()
    }

    /// Sends a burst of sentence bodies without the silence after it.
    mutating func send(_ bodies: [String], pause: Instant.Span) -> [Fix] {
        now = now + pause
        var fixes: [Fix] = []
        if let epoch = assembler.recordActivity(at: now) { fixes.append(finish(epoch)) }
        for body in bodies { process(body, into: &fixes) }
        return fixes
    }

    /// Advances the clock until nothing is due.
    mutating func finishBurst() -> [Fix] {
        guard let deadline = assembler.deadline, let epoch = assembler.tick(at: deadline) else { return [] }
        return [finish(epoch)]
    }

    private mutating func process(_ body: String, into fixes: inout [Fix]) {
        let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
        if let epoch = assembler.close(before: sentence, from: address, at: now) { fixes.append(finish(epoch)) }
        if case .gsv(let gsv) = sentence { sky.add(gsv, from: address, at: now) }
        if case .gsa(let gsa) = sentence { sky.add(gsa, from: address) }
        if case .proprietary(.pubx03(let part)) = sentence { sky.add(part, at: now) }
        if case .dtm(let dtm) = sentence { fixBuilder.datum = ForeignDatum(dtm) }
        if let epoch = assembler.add(sentence, from: address, at: now) { fixes.append(finish(epoch)) }
    }

    private mutating func finish(_ epoch: Epoch) -> Fix {
        let fix = fixBuilder.build(epoch, sky: sky)
        sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: fix.coordinate != nil)
        return fix
    }
}

/// Sentence bodies at a time of day, all at the same position; arguments set the differences.
enum Body {
    /// Returns the body that a letter of a drawing stands for; see ``Drawing``. Nil if it stands
    /// for none.
    static func of(_ sign: Character, at clock: String) -> String? {
        switch sign {
        case "G": gga(clock)
        case "R": rmc(clock)
        case "L": gll(clock)
        case "N": gns(clock)
        case "P": pubx(clock)
        case "T": gst(clock)
        case "B": gbs(clock)
        case "V": vtg
        case "A": gsa()
        case "S": gsv
        case "Z": zda(clock)
        case "X": "GPTXT,01,01,02,hello"
        default: nil
        }
    }

    /// GSA of GPS with 12 satellites, and of GLONASS with 3.
    static let gps = "GNGSA,A,3,1,2,3,4,5,6,7,8,9,10,11,12,1.5,1.0,1.2,1"
    static let glonass = "GNGSA,A,3,65,66,67,,,,,,,,,,1.5,1.0,1.2,2"

    static let place = "4717.11399,N,00833.91590,E"

    /// Returns a number of milliseconds as `hhmmss.sss`.
    static func clock(_ milliseconds: Int) -> String {
        func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let seconds = milliseconds / 1000
        return two(seconds / 3600 % 24) + two(seconds / 60 % 60) + two(seconds % 60) + "."
            + String(String(1000 + milliseconds % 1000).dropFirst())
    }

    static func gga(
        _ time: String, quality: Int = 1, used: String = "08", hdop: String = "1.0", height: String = "499.6,M,48.0,M"
    )
        -> String
    {
        "GPGGA,\(time),\(quality == 0 ? ",,," : place),\(quality),\(used),\(hdop),\(height),,"
    }

    static func rmc(_ time: String, status: String = "A", date: String = "211126", mode: String = ",A") -> String {
        "GPRMC,\(time),\(status),\(status == "A" ? place : ",,,"),10.0,77.5,\(date),,\(mode)"
    }

    static func gll(_ time: String, status: String = "A", mode: String = ",A") -> String {
        "GPGLL,\(status == "A" ? place : ",,,"),\(time),\(status)\(mode)"
    }

    static func gns(_ time: String, mode: String = "AA") -> String {
        "GNGNS,\(time),\(place),\(mode),14,0.8,499.6,48.0,,"
    }
    static func gsa(_ mode: Int = 3) -> String { "GPGSA,A,\(mode),02,05,,,,,,,,,,,2.0,1.0,1.7" }
    static let gsv = "GPGSV,1,1,02,02,25,181,42,05,45,090,40"
    static let vtg = "GPVTG,77.5,T,,M,10.0,N,18.5,K,A"
    static func gst(_ time: String) -> String { "GPGST,\(time),12,,,,3.0,4.0,6.0" }
    static func gbs(_ time: String) -> String { "GPGBS,\(time),3.0,4.0,6.0,,,," }
    static func zda(_ time: String) -> String { "GPZDA,\(time),21,11,2026,00,00" }
    static func pubx(_ time: String) -> String {
        "PUBX,00,\(time),\(place),547.6,G3,5.0,6.0,18.52,77.5,0.0,,1.0,1.7,1.0,8,0,0"
    }
}
