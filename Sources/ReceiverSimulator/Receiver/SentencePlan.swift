/// Which sentences a receiver sends each epoch, in order.
public struct SentencePlan: Sendable, Equatable {
    /// A sentence the simulator can write; raw values are the names on the command line.
    public enum Kind: String, Sendable, CaseIterable {
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

    /// One place in the order.
    public struct Entry: Sendable, Equatable {
        /// The sentence, or the whole round of them for GSA and GSV.
        public var kind: Kind
        /// Sent in every n-th epoch, from 1.
        public var every: Int
    }

    /// What is wrong with a list of sentences.
    public struct Flaw: Error, Equatable, CustomStringConvertible {
        /// The item that was not understood.
        public var item: String

        /// A sentence for a person.
        public var description: String {
            let known = Kind.allCases.map(\.rawValue).joined(separator: " ")
            return "\"\(item)\" is no sentence of the simulator; known: \(known), each optionally with /N for every N-th epoch"
        }
    }

    /// The order.
    public var entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Reads a list such as `RMC,GGA,GSA,GSV/5`.
    public init(_ text: String) throws(Flaw) {
        entries = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let every = parts.count == 2 ? Int(parts[1]) ?? 0 : 1
            guard let kind = parts.first.flatMap({ Kind(rawValue: $0.uppercased()) }), (1...3600).contains(every) else {
                throw Flaw(item: String(item))
            }
            entries.append(Entry(kind: kind, every: every))
        }
    }
}
