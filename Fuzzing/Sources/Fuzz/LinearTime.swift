import Glibc
import Varlink

/// Checks that the time to read an input grows linearly with its length.
enum LinearTime {
    private static let copies = 64
    /// Shorter inputs cannot be measured.
    private static let shortest = 800
    /// Tolerance in nanoseconds.
    private static let allowance: UInt64 = 2_000_000
    /// Tolerated factor above linear time, for caches and growing arrays.
    private static let slack: UInt64 = 2

    /// Measures one in 128 of the inputs that are long enough: a measurement takes as long as a
    /// thousand inputs.
    static func expect(of bytes: [UInt8], _ value: JSONValue) {
        guard bytes.count >= shortest else { return }
        var digest = Digest()
        digest.put(bytes.span.bytes)
        guard digest.value % 128 == 0 else { return }
        var list: [UInt8] = [UInt8(ascii: "[")]
        for copy in 0..<copies {
            if copy > 0 { list.append(UInt8(ascii: ",")) }
            list += bytes
        }
        list.append(UInt8(ascii: "]"))
        compare("to read JSON", { _ = try? JSONValue(parsing: bytes) }, { _ = try? JSONValue(parsing: list) })

        let one = parameters(value, 1)
        let many = parameters(value, copies)
        compare("to check parameters", { _ = ServerCheck.route(one) }, { _ = ServerCheck.route(many) })
        compare("to read parameters", { decode(one) }, { decode(many) })
    }

    /// The text of the value as a name, and its elements in a list of that name, both repeated:
    /// the time must not grow with their product.
    private static func parameters(_ value: JSONValue, _ times: Int) -> [String: JSONValue] {
        let text = String(decoding: value.bytes, as: UTF8.self)
        let name = String(repeating: text, count: times)
        let list = JSONValue.array(Array(repeating: 1, count: text.utf8.count * times / 2))
        return ["m": .object([name: list]), "l": list, "s": .string(name)]
    }

    private static func decode(_ parameters: [String: JSONValue]) {
        _ = try? Call(method: "a.b.B", parameters: parameters).decode(Read.self)
    }

    private struct Read: Codable {
        var m: [String: [Int]]
        var l: [Double]
        var s: String
    }

    private static func compare(_ what: String, _ one: () -> Void, _ many: () -> Void) {
        var quickest: (one: UInt64, many: UInt64) = (.max, .max)
        // The fastest of several runs counts.
        for _ in 0..<5 {
            quickest.one = min(quickest.one, time(one))
            quickest.many = min(quickest.many, time(many))
            if quickest.many <= quickest.one * UInt64(copies) * slack + allowance { return }
        }
        broken(
            "the time \(what) is linear in the length: \(quickest.one) ns for one, \(quickest.many) ns for \(copies)")
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
