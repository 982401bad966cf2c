import Chronology
import NMEA

@testable import Positioning

/// One receiver's road from sentences to fixes, as the daemon lays it.
struct Bench {
    var assembler = EpochAssembler()
    var sky = SkyAssembler()
    var maker = FixMaker()
    /// Of the last byte.
    private(set) var now = Instant.zero

    /// A burst of sentences, given by their bodies, `pause` after the one before; and the silence after it, for as long as it takes.
    mutating func burst(_ bodies: [String], pause: Instant.Span = .seconds(1)) -> [Fix] {
        let heard = send(bodies, pause: pause)
        return heard + rest()
    }

    /// The same without the silence.
    mutating func send(_ bodies: [String], pause: Instant.Span) -> [Fix] {
        now = now + pause
        var fixes: [Fix] = []
        if let epoch = assembler.heard(at: now) { fixes.append(finish(epoch)) }
        for body in bodies { take(body, &fixes) }
        return fixes
    }

    /// Lets time pass until nothing is due any more.
    mutating func rest() -> [Fix] {
        guard let deadline = assembler.deadline, let epoch = assembler.tick(at: deadline) else { return [] }
        return [finish(epoch)]
    }

    private mutating func take(_ body: String, _ fixes: inout [Fix]) {
        let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
        if let epoch = assembler.close(before: address, sentence, at: now) { fixes.append(finish(epoch)) }
        if case .gsv(let gsv) = sentence { sky.take(gsv, address, at: now) }
        if case .gsa(let gsa) = sentence { sky.take(gsa, address) }
        if let epoch = assembler.take(address, sentence, at: now) { fixes.append(finish(epoch)) }
    }

    private mutating func finish(_ epoch: Epoch) -> Fix {
        let fix = maker.make(epoch, sky)
        sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: fix.coordinate != nil)
        return fix
    }
}

/// Bodies of sentences at a time of day, all of the same place, with what differs as an argument.
enum Say {
    static let place = "4717.11399,N,00833.91590,E"

    /// `hhmmss.sss` of a number of milliseconds.
    static func clock(_ milliseconds: Int) -> String {
        func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let seconds = milliseconds / 1000
        return two(seconds / 3600 % 24) + two(seconds / 60 % 60) + two(seconds % 60) + "."
            + String(String(1000 + milliseconds % 1000).dropFirst())
    }

    static func gga(_ time: String, quality: Int = 1, used: String = "08", hdop: String = "1.0", height: String = "499.6,M,48.0,M")
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

    static func gns(_ time: String, mode: String = "AA") -> String { "GNGNS,\(time),\(place),\(mode),14,0.8,499.6,48.0,," }
    static func gsa(_ mode: Int = 3) -> String { "GPGSA,A,\(mode),02,05,,,,,,,,,,,2.0,1.0,1.7" }
    static let gsv = "GPGSV,1,1,02,02,25,181,42,05,45,090,40"
    static let vtg = "GPVTG,77.5,T,,M,10.0,N,18.5,K,A"
    static func gst(_ time: String) -> String { "GPGST,\(time),12,,,,3.0,4.0,6.0" }
    static func gbs(_ time: String) -> String { "GPGBS,\(time),3.0,4.0,6.0,,,," }
    static func zda(_ time: String) -> String { "GPZDA,\(time),21,11,2026,00,00" }
    static func pubx(_ time: String) -> String { "PUBX,00,\(time),\(place),547.6,G3,5.0,6.0,18.52,77.5,0.0,,1.0,1.7,1.0,8,0,0" }
}
