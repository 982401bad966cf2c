import SextantAPI

/// What the role `nmea` sends, as a value: replies of the daemon go in, sentences come out.
package struct SentenceServer {
    private var state = DaemonState()
    private var writer: LocationSentences
    private let reportsMissingFix: Bool

    /// Creates a server of these sentences.
    ///
    /// - Parameter isForGeoClue: Whether HDOP has the meaning of GeoClue, which gets no sentences
    ///   without a position: before version 2.7.1 it does not check whether they have one. Nor does
    ///   it get a position with more than 300 m, which it cannot express.
    package init(_ kinds: [SentenceKind], talker: String, isForGeoClue: Bool) {
        writer = LocationSentences(kinds, talker: talker, dilution: isForGeoClue ? .geoclue : .reported)
        reportsMissingFix = !isForGeoClue
    }

    /// Returns the sentences of an update, for all clients as one piece. Empty if there are none.
    package mutating func receive(_ update: SubscribeReply) -> [UInt8] {
        state.main.receive(update)
        return update.location == nil ? [] : sentences
    }

    /// Returns the sentences of an epoch without a position, which causes no update.
    package mutating func receive(_ reply: Receivers) -> [UInt8] {
        _ = state.receive(reply, at: "")
        return state.main.hasUpdate && state.main.location == nil && reportsMissingFix ? sentences : []
    }

    /// Forgets all data, because no client needs it.
    package mutating func end() {
        state.endUpdates()
        state.endReceivers()
    }

    private var sentences: [UInt8] {
        mutating get {
            guard state.main.location?.timestamp != nil || state.main.location == nil && reportsMissingFix else {
                return []
            }
            if !reportsMissingFix, let location = state.main.location,
                location.horizontalAccuracy > AccuracyBucket.maxAccuracy
            {
                return []
            }
            return writer.bytes(state.main.location, receiver: state.receiver)
        }
    }
}

/// Sentences in datagrams.
package enum Datagrams {
    /// The maximum payload in bytes that passes an Ethernet in one packet, also with IPv6.
    private static let maxSize = 1400

    /// Divides the sentences between datagrams. Each datagram has whole sentences only.
    package static func split(_ sentences: [UInt8]) -> [ArraySlice<UInt8>] {
        var datagrams: [ArraySlice<UInt8>] = []
        var start = 0
        var end = 0
        for (index, byte) in sentences.enumerated() where byte == 10 {
            if index + 1 - start > maxSize, end > start {
                datagrams.append(sentences[start..<end])
                start = end
            }
            end = index + 1
        }
        if end > start { datagrams.append(sentences[start..<end]) }
        return datagrams
    }
}
