import CTOML

/// A value of a configuration file with its position.
package struct TOMLValue: Sendable {
    private enum Content {
        case table([String: TOMLValue])
        case array([TOMLValue])
        case string(String)
        case int(Int)
        case double(Double)
        case bool(Bool)
        /// A date or a time, which no key has.
        case time
    }

    private let content: Content
    /// The line on which the value begins, from 1: for a section, the line of its name.
    package let line: Int

    /// Why a text is no TOML.
    struct Invalid: Error {
        /// The line, from 1; nil if it is not known.
        var line: Int?
        var reason: String
    }

    static func document(_ text: String) throws(Invalid) -> [String: TOMLValue] {
        var line: Int32 = 0
        var problem = [CChar](repeating: 0, count: 512)
        var text = text
        let document = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                ctoml_parse($0.baseAddress, $0.count, &line, &problem, problem.count)
            }
        }
        guard let document else {
            let bytes = problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let reason = String(decoding: bytes, as: UTF8.self)
            // toml++ names the macro of a limit, which nobody can set here.
            let end = reason.indices.first { reason[$0...].hasPrefix(" (TOML_") } ?? reason.endIndex
            let number = line > 0 ? Int(line) : nil
            if let number, TOMLValue.endsInsideQuotes(line: number, of: text) {
                throw Invalid(
                    line: number, reason: "a text has no closing quotation mark; add it where the text ends")
            }
            throw Invalid(line: number, reason: String(reason[..<end]))
        }
        defer { ctoml_free(document) }
        return ctoml_root(document).map { TOMLValue($0) }?.table ?? [:]
    }

    /// Whether a text in quotation marks begins in a line, counted from 1, and does not end in it.
    private static func endsInsideQuotes(line number: Int, of text: String) -> Bool {
        let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.indices.contains(number - 1) else { return false }
        var quote: UInt8?
        var isEscaped = false
        for byte in lines[number - 1] {
            if isEscaped {
                isEscaped = false
            } else if let open = quote {
                if byte == open { quote = nil }
                isEscaped = byte == UInt8(ascii: "\\") && open == UInt8(ascii: "\"")
            } else if byte == UInt8(ascii: "#") {
                return false
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        }
        return quote != nil
    }

    private init(_ node: OpaquePointer) {
        line = Int(ctoml_line(node))
        switch ctoml_kind_of(node) {
        case ctoml_kind_table:
            content = .table(Dictionary(TOMLValue.values(of: node)) { _, last in last })
        case ctoml_kind_array: content = .array(TOMLValue.values(of: node).map(\.1))
        case ctoml_kind_text:
            var length = 0
            content = .string(TOMLValue.string(ctoml_text(node, &length), length))
        case ctoml_kind_integer: content = .int(Int(clamping: ctoml_integer(node)))
        case ctoml_kind_number: content = .double(ctoml_number(node))
        case ctoml_kind_flag: content = .bool(ctoml_flag(node))
        default: content = .time
        }
    }

    /// The values of a table or an array with their keys.
    private static func values(of node: OpaquePointer) -> [(String, TOMLValue)] {
        var values: [(String, TOMLValue)] = []
        withUnsafeMutablePointer(to: &values) { context in
            ctoml_each(node, context) { context, key, length, value in
                guard let context, let value else { return }
                context.assumingMemoryBound(to: [(String, TOMLValue)].self).pointee
                    .append((TOMLValue.string(key, length), TOMLValue(value)))
            }
        }
        return values
    }

    private static func string(_ text: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : length), as: UTF8.self)
    }
}

extension TOMLValue {
    /// The table; nil if this is none.
    package var table: [String: TOMLValue]? { if case .table(let value) = content { value } else { nil } }
    /// The array; nil if this is none.
    package var array: [TOMLValue]? { if case .array(let value) = content { value } else { nil } }
    /// The text; nil if this is none.
    package var string: String? { if case .string(let value) = content { value } else { nil } }
    /// The integer; nil if this is none.
    package var int: Int? { if case .int(let value) = content { value } else { nil } }
    /// The number with a point; nil if this is none.
    package var double: Double? { if case .double(let value) = content { value } else { nil } }
    /// The number, with or without a point; nil if this is none.
    package var number: Double? { double ?? int.map { Double($0) } }
    /// The truth value; nil if this is none.
    package var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
}
