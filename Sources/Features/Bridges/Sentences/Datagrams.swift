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
