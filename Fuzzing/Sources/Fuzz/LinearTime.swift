import Glibc
import Varlink

/// Checks that the time to read an input grows linearly with its length.
enum LinearTime {
    private static let copies = 64
    /// Shorter inputs cannot be measured.
    private static let minLength = 800
    /// Tolerated constant difference.
    private static let toleranceNanoseconds: UInt64 = 2_000_000
    /// Tolerated factor above linear time, for caches and growing arrays.
    private static let toleratedFactor: UInt64 = 2

    /// Measures one in 128 of the inputs that are long enough: a measurement takes as long as a
    /// thousand inputs.
    static func check(_ bytes: [UInt8], parsedAs value: JSONValue) {
        guard bytes.count >= minLength else { return }
        var digest = Digest()
        digest.put(bytes.span.bytes)
        guard digest.value % 128 == 0 else { return }
        var list: [UInt8] = [UInt8(ascii: "[")]
        for copy in 0..<copies {
            if copy > 0 { list.append(UInt8(ascii: ",")) }
            list += bytes
        }
        list.append(UInt8(ascii: "]"))
        compare(
            "to read JSON", once: { _ = try? JSONValue(parsing: bytes) },
            repeated: { _ = try? JSONValue(parsing: list) })

        let one = parameters(from: value, copies: 1)
        let many = parameters(from: value, copies: copies)
        compare("to check parameters", once: { _ = ServerCheck.route(one) }, repeated: { _ = ServerCheck.route(many) })
        compare("to read parameters", once: { decode(one) }, repeated: { decode(many) })
    }

    /// The text of the value as a name, and its elements in a list of that name, both repeated:
    /// the time must not grow with their product.
    private static func parameters(from value: JSONValue, copies times: Int) -> [String: JSONValue] {
        let text = String(decoding: value.bytes, as: UTF8.self)
        let name = String(repeating: text, count: times)
        let list = JSONValue.array(Array(repeating: 1, count: text.utf8.count * times / 2))
        return ["m": .object([name: list]), "l": list, "s": .string(name)]
    }

    private static func decode(_ parameters: [String: JSONValue]) {
        _ = try? Read(parameters, strict: true)
    }

    private struct Read: Message {
        var m: [String: JSONValue]
        var l: [Int]
        var s: String

        init(_ members: inout MemberReader) {
            m = members.object("m")
            l = members.ints("l")
            s = members.string("s")
        }

        func write(to object: inout ObjectWriter) {}
    }

    private static func compare(_ operation: String, once one: () -> Void, repeated many: () -> Void) {
        var fastest: (one: UInt64, many: UInt64) = (.max, .max)
        // The fastest of several runs counts.
        for _ in 0..<5 {
            fastest.one = min(fastest.one, time(one))
            fastest.many = min(fastest.many, time(many))
            if fastest.many <= fastest.one * UInt64(copies) * toleratedFactor + toleranceNanoseconds { return }
        }
        Invariant.violated(
            "the time \(operation) is linear in the length: \(fastest.one) ns for one, \(fastest.many) ns for \(copies)"
        )
    }

    /// Nanoseconds of processor time, which depends little on the load of the machine.
    private static func time(_ work: () -> Void) -> UInt64 {
        let start = now()
        work()
        return now() - start
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
