@testable import Receivers

extension Timeline {
    /// Describes an action briefly.
    static func text(_ action: DriverAction) -> String {
        if case .write(let bytes) = action { text(written: bytes) } else { brief("\(action)") }
    }

    /// Describes an action briefly.
    static func text(_ action: SessionAction) -> String {
        if case .write(let bytes) = action { text(written: bytes) } else { brief("\(action)") }
    }

    private static func text(written bytes: [UInt8]) -> String {
        let isText = bytes.first == UInt8(ascii: "$")
        return "write " + (isText ? String(decoding: bytes.dropLast(2), as: UTF8.self) : hexadecimal(bytes))
    }

    /// Omits the names of types, and the mark of an optional value without parentheses.
    private static func brief(_ text: String) -> String {
        text.replacing(/\b(?:[A-Z]\w*\.)+(?=[a-z])/, with: "").replacing(/Optional\(([^()]*)\)/) { $0.output.1 }
            .replacing(/[A-Za-z.]*ReceiverStateRecord/, with: "")
    }
}
