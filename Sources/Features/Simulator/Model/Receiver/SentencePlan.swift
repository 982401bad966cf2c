/// The sentences that a receiver sends each epoch, in order.
package struct SentencePlan: Sendable, Equatable {
    /// The sentence types that the simulator can write. Raw values are the command-line names.
    package enum Kind: String, Sendable, CaseIterable {
        case gga = "GGA"
        case rmc = "RMC"
        case gll = "GLL"
        case gns = "GNS"
        case gsa = "GSA"
        case gsv = "GSV"
        case gst = "GST"
        case gbs = "GBS"
        case vtg = "VTG"
        case zda = "ZDA"
        case dtm = "DTM"
        case hdt = "HDT"
        case ths = "THS"
        case txt = "TXT"
        case pubx00 = "PUBX00"
        case pgrme = "PGRME"
    }

    /// An entry of the output order.
    package struct Entry: Sendable, Equatable {
        /// The sentence type; for GSA and GSV the complete set of sentences.
        package var kind: Kind
        /// The output interval in epochs, at least 1.
        package var every: Int
    }

    /// An error in a list of sentences.
    package struct ParsingError: Error, Equatable, CustomStringConvertible {
        package var item: String

        /// The error message.
        package var description: String {
            let known = Kind.allCases.map(\.rawValue).joined(separator: " ")
            return "invalid sentence \"\(item)\"; use one of \(known), each optionally with /N for every N-th epoch"
        }
    }

    /// The entries in output order.
    package var entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Parses a list such as `RMC,GGA,GSA,GSV/5`.
    package init(_ text: String) throws(ParsingError) {
        entries = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let every = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
            guard let kind = parts.first.flatMap({ Kind(rawValue: $0.uppercased()) }), (1...3600).contains(every) else {
                throw ParsingError(item: String(item))
            }
            entries.append(Entry(kind: kind, every: every))
        }
    }
}
