import Glibc
import TestSupport
import Varlink
import _StringProcessing

/// The bytes of replies, which a test compares with a checked-in file in `Tests/WireBytes`.
///
/// Each case is one line: the method, its parameters, and the reply. `SEXTANT_WRITE_BYTES=1` writes
/// the files again. What differs per run, machine or load is replaced, and nothing else:
///
/// 1. Texts that the test states, such as the path of its folder: by the word that it states.
/// 2. Times of today and yesterday, which are the host's: by `<time>`.
/// 3. The value of a member in ``varying``: by the member's name in angle brackets.
/// 4. Members in ``omitted``, which not every machine has: by nothing.
package struct WireBytes {
    /// Members that measure this run, identify its processes or name the version; and the names of
    /// countries, which are those of the system.
    private static let varying = [
        "version", "pid", "process", "uptime", "connections", "wakeups", "wakeupsPerFix", "wakeupsPerMinute",
        "updatesSent", "freeBytes", "seconds", "age", "burstAge", "rate", "day", "joules", "milliwatts", "operation",
        "saving", "search", "standby", "closed", "share", "country",
    ]
    /// Members that not every machine has.
    private static let omitted = ["unit"]

    private let path: String
    /// Today and yesterday.
    private let days: [String]
    private var lines: [String] = []
    private var methods: Set<String> = []
    /// Texts of this run, with the words that replace them.
    package var replaced: [String: String] = [:]

    /// - Parameter name: name of the checked-in file.
    package init(_ name: String) {
        path = "\(WireBytes.repository)/Tests/WireBytes/\(name).txt"
        days = [0, 86_400].map { WireBytes.day(before: $0) }
    }

    private static func day(before seconds: Int) -> String {
        var (now, parts) = (time(nil) - seconds, tm())
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 16)
        let count = strftime(&text, text.count, "%Y-%m-%d", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var repository: String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    }

    /// Calls a method on a connection of its own and records the reply.
    ///
    /// - Parameter mode: a member of the call, such as `more`.
    /// - Returns: the connection, for further replies.
    @discardableResult
    package mutating func record(
        _ method: String, _ parameters: String = "{}", _ mode: String? = nil, of socket: String
    ) throws -> RawClient {
        let client = try RawClient(socket)
        client.send("{\"method\":\"\(method)\",\"parameters\":\(parameters)\(mode.map { ",\"\($0)\":true" } ?? "")}\0")
        try recordReply("\(method) \(parameters)\(mode.map { " \($0)" } ?? "")", from: client)
        return client
    }

    /// Records the next reply of a connection, or that it was closed.
    ///
    /// - Parameter call: the method, a space, and what describes the case.
    package mutating func recordReply(_ call: String, from client: RawClient) throws {
        guard let bytes = try client.nextBytes() else {
            lines.append("\(call) -> closed")
            return
        }
        let reply = String(decoding: bytes, as: UTF8.self)
        if try Reply(parsing: bytes).failure == nil, let method = call.split(separator: " ").first {
            methods.insert(String(method))
        }
        lines.append("\(call) -> \(masked(reply))")
    }

    /// Returns what is wrong: the lines that differ from the checked-in file, and the methods of
    /// the interface files without a recorded reply.
    ///
    /// - Parameter isServed: whether the program under test serves the interface.
    package func problems(where isServed: (String) -> Bool) throws -> [String] {
        let (isEmpty, missing) = try unrecorded(where: isServed)
        return try (isEmpty ? ["no interface file was found"] : []) + missing.map { "no reply of \($0) is recorded" }
            + differences()
    }

    /// Returns the methods of the interface files without a recorded reply, and whether there is no
    /// interface file.
    package func unrecorded(where isServed: (String) -> Bool) throws -> (isEmpty: Bool, methods: [String]) {
        let interfaces = try WireBytes.interfaceFiles(below: "\(WireBytes.repository)/Sources").map {
            try InterfaceDescription(parsing: Scratch.text(of: $0))
        }.filter { isServed($0.name) }
        // Links lead to the same file again.
        let declared = Set(interfaces.flatMap { interface in interface.methodNames.map { "\(interface.name).\($0)" } })
        return (interfaces.isEmpty, declared.subtracting(methods).sorted())
    }

    private func differences() throws -> [String] {
        if getenv("SEXTANT_WRITE_BYTES") != nil {
            guard let file = fopen(path, "w") else { throw TestFailure("\(path) cannot be written") }
            defer { fclose(file) }
            for line in lines { fputs(line + "\n", file) }
            return []
        }
        let expected = Scratch.text(of: path).split(separator: "\n").map(String.init)
        return lines.difference(from: expected).map {
            switch $0 {
            case .insert(let index, let line, _): "now, line \(index + 1): \(line)"
            case .remove(let index, let line, _): "expected in line \(index + 1): \(line)"
            }
        }
    }

    private static func interfaceFiles(below folder: String) -> [String] {
        Scratch.names(in: folder).flatMap { name in
            name.hasSuffix(".varlink") ? ["\(folder)/\(name)"] : interfaceFiles(below: "\(folder)/\(name)")
        }
    }

    private func masked(_ line: String) -> String {
        var line = line
        for (text, word) in replaced { line = line.replacing(text, with: word) }
        line.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/) { match in
            days.contains(String(match.output.prefix(10))) ? "<time>" : String(match.output)
        }
        line.replace(/,?"(\w+)":(?:"(?:[^"\\]|\\.)*"|[-+.\deE]+)/) { match in
            let name = String(match.output.1)
            if WireBytes.omitted.contains(name) { return "" }
            guard WireBytes.varying.contains(name) else { return String(match.output.0) }
            return "\(match.output.0.first == "," ? "," : "")\"\(name)\":<\(name)>"
        }
        return line
    }
}
