import NMEA

/// The sentences of a feed, found in advance: the position of each body and the checksum after it.
struct Bodies {
    private let feed: [UInt8]
    private var bodies: [(range: Range<Int>, checksum: UInt8)] = []

    init(_ feed: [UInt8]) {
        self.feed = feed
        var index = 0
        while let start = feed[index...].firstIndex(of: UInt8(ascii: "$")),
            let end = feed[start...].firstIndex(of: UInt8(ascii: "*"))
        {
            let digits = String(decoding: feed[(end + 1)..<min(end + 3, feed.count)], as: UTF8.self)
            if let checksum = UInt8(digits, radix: 16) { bodies.append((start + 1..<end, checksum)) }
            index = end + 1
        }
    }

    /// Verifies and decodes each sentence; returns the number of valid ones.
    func parse(passes: Int) -> Int {
        var valid = 0
        for _ in 0..<passes {
            for (range, checksum) in bodies {
                let body = feed.span.bytes.extracting(range)
                guard Checksum.of(body) == checksum else { continue }
                if case .unknown = Sentence.decode(body).sentence { continue }
                valid += 1
            }
        }
        return valid
    }
}
