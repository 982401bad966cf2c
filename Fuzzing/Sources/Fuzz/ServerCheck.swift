import Varlink

/// A client that sends any bytes: the server's actions must not depend on cuts, and its memory is
/// limited.
enum ServerCheck {
    /// Small limits, so that short inputs reach them.
    private static let messageLimit = 256
    private static let outputLimit = 1024

    private static let text = """
        interface a.b
        type T (x: ?int, k: (one, two), n: ?T)
        method B(t: ?T, m: ?[string][]int, l: ?[]float, o: ?object, s: ?string, b: ?bool) -> ()
        error E (t: ?T)
        """

    /// Never nil; the seeds would fail otherwise.
    private static let directory: ServiceDirectory? = {
        guard let interface = try? InterfaceDescription(parsing: text) else { return nil }
        return try? ServiceDirectory(
            vendor: "v", product: "p", version: "1", url: "u", interfaces: [interface], upgradable: ["a.b.B"])
    }()

    static func run(_ bytes: [UInt8]) {
        // Most inputs do not end in NUL.
        let stream = bytes + [0]
        let whole = serve { $0(stream[...]) }
        var digest = Digest()
        digest.put(stream.span.bytes)
        guard digest.value & 1 == 0 else { return }
        var cuts = Cuts(digest)
        let cut = serve { receive in cuts.forEachChunk(of: stream.count) { receive(stream[$0]) } }
        Invariant.check(cut == whole, "the server's actions and replies do not depend on cuts")
    }

    /// Checks parameters of `a.b.B` against the interface.
    static func route(_ parameters: [String: JSONValue]) -> ServiceDirectory.Route? {
        directory?.route(Call(method: "a.b.B", parameters: parameters))
    }

    private static func serve(_ feed: ((ArraySlice<UInt8>) -> Void) -> Void) -> Digest {
        var connection = ServerConnection(messageLimit: messageLimit, outputLimit: outputLimit)
        var digest = Digest()
        feed { piece in
            // In the daemon, these bytes would stay in the kernel.
            var rest = piece
            while !rest.isEmpty, connection.wantsInput {
                let part = rest.prefix(messageLimit)
                part.withUnsafeBytes { connection.receive($0) }
                rest = rest.dropFirst(part.count)
                handleActions(of: &connection, digest: &digest)
            }
        }
        connection.receiveEnd()
        handleActions(of: &connection, digest: &digest)
        return digest
    }

    private static func handleActions(of connection: inout ServerConnection, digest: inout Digest) {
        while let action = connection.next() {
            switch action {
            case .call(let call): reply(to: call, on: &connection, digest: &digest)
            // The number of early bytes depends on the cuts.
            case .upgraded: digest.put("upgraded")
            case .close(let reason):
                digest.put("\(reason)")
                // No further call is processed.
                connection.reply()
                Invariant.check(connection.next() == nil && !connection.wantsInput, "a closed connection stays closed")
            }
            drain(&connection, digest: &digest)
        }
    }

    private static func reply(to call: Call, on connection: inout ServerConnection, digest: inout Digest) {
        Invariant.check(connection.isServing, "one call is processed at a time")
        digest.put(call.method)
        switch directory?.route(call) {
        case .reply(let reply): connection.reply(reply)
        case .fail(let error): connection.fail(error)
        case .dispatch, nil:
            if connection.isStreaming { connection.publish(EncodedObject(["n": 1]), counters: .counted) }
            connection.reply(EncodedObject(call.parameters), continues: false)
        }
        Invariant.check(!connection.isServing, "a call ends with its reply")
    }

    /// Reads the replies and checks that they are complete messages.
    private static func drain(_ connection: inout ServerConnection, digest: inout Digest) {
        var output = MessageFramer()
        connection.write { bytes in
            output.append(bytes)
            return bytes.count
        }
        while let message = try? output.next() {
            Invariant.check(
                (try? Reply(parsing: message)) != nil,
                "the server sends only replies: \(String(decoding: message, as: UTF8.self))")
            digest.put(message.span.bytes)
        }
        Invariant.check(output.byteCount == 0, "the server sends complete messages")
    }
}
