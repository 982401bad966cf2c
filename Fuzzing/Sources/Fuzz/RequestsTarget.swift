import Bridges
import Varlink

/// Requests of gpsd's clients: any bytes.
enum RequestsTarget {
    /// Checks the parser with the input as one packet, in packets of other sizes, and byte by byte.
    static func run(_ data: UnsafeRawBufferPointer) {
        let bytes = Array(data)
        let whole = requests([bytes[...]])
        for request in whole.requests { check(request) }
        // A packet between two requests that begins with other bytes is ignored as a whole, so the
        // boundaries count there.
        guard whole.ignoredBytes == 0, bytes.count <= RequestParser.limit else { return }
        let size = Int(bytes.first ?? 0) % 7 + 1
        for length in [1, size] {
            let packets = stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
            let cut = requests(packets)
            Invariant.check(cut.requests == whole.requests, "packets of \(length) bytes change the requests")
        }
    }

    private static func requests(_ packets: [ArraySlice<UInt8>]) -> (requests: [Request], ignoredBytes: Int) {
        var parser = RequestParser()
        var found: [Request] = []
        for packet in packets {
            parser.append(packet)
            while let request = parser.next() { found.append(request) }
            Invariant.check(parser.byteCount <= RequestParser.limit, "\(parser.byteCount) bytes wait")
        }
        return (found, parser.ignoredBytes)
    }

    private static func check(_ request: Request) {
        switch request {
        case .watch(let change?):
            var policy = WatchPolicy()
            policy.apply(change)
            Invariant.check((0...2).contains(policy.raw), "raw is \(policy.raw)")
            Invariant.check((policy.device?.utf8.count ?? 0) <= 128, "a device of more than 128 bytes")
        case .unrecognized(let text):
            Invariant.check(
                text.utf8.allSatisfy { (32..<127).contains($0) || $0 == 13 || $0 == 10 },
                "an answer with other than printable characters")
            Invariant.check(text.utf8.count <= 82, "an answer of \(text.utf8.count) bytes")
        case .version, .devices, .watch, .poll, .device, .invalidDevice, .tooLong: break
        }
    }
}
