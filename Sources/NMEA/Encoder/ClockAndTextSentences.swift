import Chronology

extension SentenceEncoder {
    /// ZDA: UTC with a year of four digits.
    public mutating func zda(_ s: Solution) {
        begin(layout.talker, "ZDA")
        timeField(s.time)
        let parts = s.date?.components
        field(parts?.day, width: 2)
        field(parts?.month, width: 2)
        field(parts?.year, width: 4)
        field("00")
        field("00")
        end()
    }

    /// DTM: the datum is WGS-84.
    public mutating func dtm() {
        sentence("\(layout.talker)DTM,W84,,0.0,N,0.0,E,0.0,W84")
    }

    /// TXT: a message.
    ///
    /// - Parameters:
    ///   - text: Printable ASCII; a comma or anything else that would break the sentence is left out.
    ///   - kind: 0 error, 1 warning, 2 notice, 7 user.
    ///   - talker: Nil for the layout's own.
    public mutating func txt(_ text: String, kind: Int = 2, talker: String? = nil) {
        begin(talker ?? layout.talker, "TXT")
        field(1, width: 2)
        field(1, width: 2)
        field(kind, width: 2)
        field(text.filter { $0 != "," })
        end()
    }

    /// PUBX,00: position, estimated accuracy and velocity in one u-blox sentence.
    public mutating func pubx00(_ s: Solution) {
        let lost = s.fix == .none
        begin("P", "UBX")
        field("00")
        timeField(s.time)
        var place = s
        if lost { (place.latitude, place.longitude) = (0, 0) }
        positionFields(place)
        field(lost ? 0 : s.altitude.map { $0 + (s.geoidSeparation ?? 0) }, places: 3)
        field(lost ? "NF" : s.fix == .autonomous ? "G3" : s.fix == .estimated ? "DR" : "D3")
        // What a receiver without a fix states for its accuracy.
        field(lost ? 5_303_316 : s.horizontalError, places: lost ? 0 : 1)
        field(lost ? 3_755_313 : s.altitudeError, places: lost ? 0 : 1)
        field((s.speed ?? 0) * 3.6, places: 3)
        field(s.course ?? 0, places: 2)
        field(-(s.climb ?? 0), places: 3)
        empty()
        for dop in [s.hdop, s.vdop, s.tdop] { dopField(dop) }
        field(s.satellitesUsed)
        field(0)
        field(0)
        end()
    }
}

extension SentenceEncoder.Solution {
    /// Root of the summed squares of both horizontal errors, metres: what u-blox calls horizontal accuracy.
    var horizontalError: Double? {
        guard let latitudeError, let longitudeError else { return nil }
        return (latitudeError * latitudeError + longitudeError * longitudeError).squareRoot()
    }
}
