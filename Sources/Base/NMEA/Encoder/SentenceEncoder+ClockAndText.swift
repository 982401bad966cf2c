import Chronology

extension SentenceEncoder {
    /// Writes ZDA: UTC with a four-digit year.
    public mutating func zda(_ solution: NavigationSolution) {
        beginSentence("ZDA")
        appendTime(of: solution)
        let parts = solution.date?.components
        writer.appendField(parts?.day, width: 2)
        writer.appendField(parts?.month, width: 2)
        writer.appendField(parts?.year, width: 4)
        writer.appendField("00")
        writer.appendField("00")
        writer.endSentence()
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
        writer.beginSentence(talker: talker ?? layout.talker, type: "TXT")
        writer.appendField(1, width: 2)
        writer.appendField(1, width: 2)
        writer.appendField(kind, width: 2)
        writer.appendField(text.filter { $0 != "," })
        writer.endSentence()
    }

    /// Writes PUBX,00: position, estimated accuracy and velocity in one u-blox sentence.
    public mutating func pubx00(_ solution: NavigationSolution) {
        let hasNoFix = solution.fix == .none
        writer.beginSentence(talker: "P", type: "UBX")
        writer.appendField("00")
        appendTime(of: solution)
        var position = solution
        if hasNoFix { (position.latitude, position.longitude) = (0, 0) }
        appendPosition(of: position)
        writer.appendField(hasNoFix ? 0 : solution.altitude.map { $0 + (solution.geoidSeparation ?? 0) }, places: 3)
        writer.appendField(
            hasNoFix ? "NF" : solution.fix == .autonomous ? "G3" : solution.fix == .estimated ? "DR" : "D3")
        // The accuracy values that a receiver without a fix reports.
        writer.appendField(hasNoFix ? 5_303_316 : solution.horizontalError, places: hasNoFix ? 0 : 1)
        writer.appendField(hasNoFix ? 3_755_313 : solution.altitudeError, places: hasNoFix ? 0 : 1)
        writer.appendField((solution.speed ?? 0) * 3.6, places: 3)
        writer.appendField(solution.course ?? 0, places: 2)
        writer.appendField(-(solution.climb ?? 0), places: 3)
        writer.appendEmptyFields()
        for dop in [solution.hdop, solution.vdop, solution.tdop] { appendDOP(dop) }
        writer.appendField(solution.satellitesUsed)
        writer.appendField(0)
        writer.appendField(0)
        writer.endSentence()
    }
}
