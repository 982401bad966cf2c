import Chronology

extension SentenceEncoder {
    /// Writes ZDA: UTC with a four-digit year.
    public mutating func zda(_ s: Solution) {
        beginSentence(layout.talker, "ZDA")
        timeField(s.time)
        let parts = s.date?.components
        appendField(parts?.day, width: 2)
        appendField(parts?.month, width: 2)
        appendField(parts?.year, width: 4)
        appendField("00")
        appendField("00")
        endSentence()
    }

    /// Writes DTM: the datum is WGS-84.
    public mutating func dtm() {
        sentence("\(layout.talker)DTM,W84,,0.0,N,0.0,E,0.0,W84")
    }

    /// Writes TXT: a text message.
    ///
    /// - Parameters:
    ///   - text: Printable ASCII. The encoder drops commas and other characters that would break
    ///     the sentence.
    ///   - kind: 0 error, 1 warning, 2 notice, 7 user.
    ///   - talker: Nil for the talker of the layout.
    public mutating func txt(_ text: String, kind: Int = 2, talker: String? = nil) {
        beginSentence(talker ?? layout.talker, "TXT")
        appendField(1, width: 2)
        appendField(1, width: 2)
        appendField(kind, width: 2)
        appendField(text.filter { $0 != "," })
        endSentence()
    }

    /// Writes PUBX,00: position, estimated accuracy and velocity in one u-blox sentence.
    public mutating func pubx00(_ s: Solution) {
        let hasNoFix = s.fix == .none
        beginSentence("P", "UBX")
        appendField("00")
        timeField(s.time)
        var solutionToWrite = s
        if hasNoFix { (solutionToWrite.latitude, solutionToWrite.longitude) = (0, 0) }
        positionFields(solutionToWrite)
        appendField(hasNoFix ? 0 : s.altitude.map { $0 + (s.geoidSeparation ?? 0) }, places: 3)
        appendField(hasNoFix ? "NF" : s.fix == .autonomous ? "G3" : s.fix == .estimated ? "DR" : "D3")
        // The accuracy values that a receiver without a fix reports.
        appendField(hasNoFix ? 5_303_316 : s.horizontalError, places: hasNoFix ? 0 : 1)
        appendField(hasNoFix ? 3_755_313 : s.altitudeError, places: hasNoFix ? 0 : 1)
        appendField((s.speed ?? 0) * 3.6, places: 3)
        appendField(s.course ?? 0, places: 2)
        appendField(-(s.climb ?? 0), places: 3)
        appendEmptyFields()
        for dop in [s.hdop, s.vdop, s.tdop] { dopField(dop) }
        appendField(s.satellitesUsed)
        appendField(0)
        appendField(0)
        endSentence()
    }
}

extension SentenceEncoder.Solution {
    /// The root of the summed squares of both horizontal errors, in metres; u-blox calls it
    /// horizontal accuracy.
    var horizontalError: Double? {
        guard let latitudeError, let longitudeError else { return nil }
        return (latitudeError * latitudeError + longitudeError * longitudeError).squareRoot()
    }
}
