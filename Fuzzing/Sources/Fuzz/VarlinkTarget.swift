import Varlink

/// Any bytes as JSON, as messages, as a connection's input and as an interface's text: nothing traps, what was read is written so that it
/// reads the same, and time grows with the length.
enum VarlinkTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let bytes = [UInt8](input)
        let value = try? JSONValue(parsing: bytes)
        if let value {
            roundTrip(value)
            read(value)
            LinearTime.expect(of: bytes, value)
        }
        messages(bytes)
        interface(bytes)
        ServerCheck.run(bytes)
    }

    private static func roundTrip(_ value: JSONValue) {
        let text = value.bytes
        guard let again = try? JSONValue(parsing: text) else { broken("what is written can be read: \(value)") }
        expect(again == value, "what is written reads the same: \(value), not \(again)")
        expect(again.bytes == text, "what is read is written the same: \(value)")
    }

    private static func messages(_ bytes: [UInt8]) {
        if let call = try? Call(parsing: bytes) {
            expect(unframed(call.encoded()).flatMap { try? Call(parsing: $0) } == call, "a call reads the same: \(call)")
            expect(call.interface.utf8.count + call.member.utf8.count <= call.method.utf8.count, "a name has two parts: \(call)")
        }
        if let reply = try? Reply(parsing: bytes) {
            expect(unframed(reply.encoded()).flatMap { try? Reply(parsing: $0) } == reply, "a reply reads the same: \(reply)")
            _ = reply.failure.flatMap(ServiceError.init)?.reply.description
            _ = try? reply.decode(Sample.self)
        }
    }

    /// The one message that a framer finds in `frame`.
    private static func unframed(_ frame: [UInt8]) -> [UInt8]? {
        var framer = MessageFramer()
        framer.append(frame)
        guard let message = try? framer.next() else { return nil }
        expect(framer.byteCount == 0, "one frame is one message")
        return message
    }

    private static func read(_ value: JSONValue) {
        _ = try? Call(method: "a.B", parameters: ["p": value]).decode(Sample.Holder.self)
        guard let members = value.object else { return }
        guard let sample = try? Call(method: "a.B", parameters: members).decode(Sample.self) else { return }
        guard let encoded = try? Call(method: "a.B", encoding: sample) else { broken("a typed value can be written: \(sample)") }
        let again = try? encoded.decode(Sample.self)
        expect(again?.plain == sample.plain, "a typed value reads the same: \(sample), not \(String(describing: again))")
    }

    private static func interface(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), let interface = try? InterfaceDescription(parsing: text) else { return }
        let canonical = interface.canonicalText
        guard let again = try? InterfaceDescription(parsing: canonical) else { broken("an interface can be read again: \(canonical)") }
        expect(again.members == interface.members && again.name == interface.name, "an interface reads the same: \(canonical)")
        expect(again.documentation == interface.documentation, "an interface keeps its words: \(canonical)")
        expect(again.canonicalText == canonical, "the canonical text is canonical: \(canonical)")
        let validator = Validator(interface)
        for member in interface.members.prefix(4) {
            try? validator.check(.object([:]), type: member.name)
            try? validator.checkInput(of: member.name, [:])
        }
    }

    /// A type with a field of every kind.
    struct Sample: Codable, Equatable {
        struct Holder: Codable { var p: Sample? }

        var b: Bool
        var i: Int?
        var u: UInt8?
        var f: Double?
        var s: String?
        var l: [Sample]?
        var m: [String: Int]?
        var v: JSONValue?

        /// A general encoder writes 1e5 as 100000: the same number, of another case.
        var plain: Sample {
            var sample = self
            sample.v = v?.plain
            sample.l = l?.map(\.plain)
            return sample
        }
    }
}

extension JSONValue {
    fileprivate var plain: JSONValue {
        switch self {
        case .double(let number): Int64(exactly: number).map(JSONValue.int) ?? self
        case .array(let values): .array(values.map(\.plain))
        case .object(let members): .object(members.mapValues(\.plain))
        default: self
        }
    }
}
