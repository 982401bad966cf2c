import Varlink

/// Fuzzes JSON, messages, connections and interface descriptions with any bytes: nothing must trap,
/// values must survive encoding and decoding, and the time must be linear in the length.
enum VarlinkTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let bytes = [UInt8](input)
        let value = try? JSONValue(parsing: bytes)
        if let value {
            roundTrip(value)
            read(value)
            LinearTime.check(bytes, parsedAs: value)
        }
        messages(bytes)
        interface(bytes)
        ServerCheck.run(bytes)
    }

    private static func roundTrip(_ value: JSONValue) {
        let text = value.bytes
        guard let decoded = try? JSONValue(parsing: text) else {
            Invariant.violated("an encoded value can be decoded: \(value)")
        }
        Invariant.check(decoded == value, "an encoded value decodes to an equal value: \(value), not \(decoded)")
        Invariant.check(decoded.bytes == text, "a decoded value encodes to equal bytes: \(value)")
    }

    private static func messages(_ bytes: [UInt8]) {
        if let call = try? Call(parsing: bytes) {
            Invariant.check(
                unframed(call.encoded()).flatMap { try? Call(parsing: $0) } == call,
                "an encoded call decodes to an equal call: \(call)")
            Invariant.check(
                call.interface.utf8.count + call.member.utf8.count <= call.method.utf8.count,
                "a method name has two parts: \(call)")
        }
        if let reply = try? Reply(parsing: bytes) {
            Invariant.check(
                unframed(reply.encoded()).flatMap { try? Reply(parsing: $0) } == reply,
                "an encoded reply decodes to an equal reply: \(reply)")
            _ = reply.failure.flatMap(ServiceError.init)?.reply.description
            _ = try? Sample(reply.parameters)
        }
    }

    /// The only message in `frame`.
    private static func unframed(_ frame: [UInt8]) -> [UInt8]? {
        var framer = MessageFramer()
        framer.append(frame)
        guard let message = try? framer.next() else { return nil }
        Invariant.check(framer.byteCount == 0, "a frame has one message")
        return message
    }

    private static func read(_ value: JSONValue) {
        guard let members = value.object, let sample = try? Sample(members, strict: true) else { return }
        let read = try? Sample(sample.members, strict: true)
        Invariant.check(
            read?.plain == sample.plain,
            "a written message reads as an equal one: \(sample), not \(String(describing: read))")
    }

    private static func interface(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self),
            let interface = try? InterfaceDescription(parsing: text)
        else { return }
        let validator = Validator(interface)
        for member in interface.members.prefix(4) {
            try? validator.check(.object([:]), type: member.name)
            try? validator.checkInput([:], of: member.name)
        }
    }

    /// A message with a member of each type.
    struct Sample: Message, Equatable {
        var b: Bool
        var i: Int?
        var f: Double?
        var s: String?
        var t: [String]?
        var l: [Sample]?
        var v: [String: JSONValue]?

        init(_ members: inout MemberReader) {
            b = members.bool("b")
            i = members.intIfPresent("i")
            f = members.doubleIfPresent("f")
            s = members.stringIfPresent("s")
            t = members.stringsIfPresent("t")
            l = members.messagesIfPresent("l")
            v = members.objectIfPresent("v")
        }

        func write(to object: inout ObjectWriter) {
            object.append(b, forKey: "b")
            object.append(i, forKey: "i")
            object.append(f, forKey: "f")
            object.append(s, forKey: "s")
            object.append(t, forKey: "t")
            object.append(l, forKey: "l")
            object.append(v, forKey: "v")
        }

        /// A writer writes 1e5 as 100000: an equal number of another case.
        var plain: Sample {
            var sample = self
            sample.v = v?.mapValues(\.plain)
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
