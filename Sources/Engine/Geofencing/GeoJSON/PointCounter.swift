/// Finds a line or ring with too many points in GeoJSON text before the text is parsed, so that the
/// memory for a file of any size is bounded.
///
/// It counts arrays of numbers within one array. It does not validate the text.
package struct PointCounter: Sendable {
    /// The levels of nesting that are observed; deeper text is refused by the parser.
    private static let maxDepth = 64

    private struct Container {
        var isArray: Bool
        /// Whether the array contains a number.
        var hasNumber = false
        /// The number of its elements that are arrays of numbers.
        var points = 0
    }

    private var containers: [Container] = []
    private var line = 1
    private var isInString = false
    private var isEscaped = false

    /// Creates a counter at the start of the text.
    package init() {}

    /// Processes the next part of the text.
    ///
    /// - Throws: ``GeoJSONError`` at the first line or ring with more points than a fence may have.
    package mutating func process(_ bytes: some Sequence<UInt8>) throws(GeoJSONError) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isInString {
                processInString(byte)
            } else {
                try process(byte)
            }
        }
    }

    private mutating func processInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    private mutating func process(_ byte: UInt8) throws(GeoJSONError) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            guard containers.count < Self.maxDepth else {
                throw GeoJSONError(reason: "invalid JSON at line \(line): nested too deeply")
            }
            containers.append(Container(isArray: byte == UInt8(ascii: "[")))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard let ended = containers.popLast(), ended.isArray, ended.hasNumber, !containers.isEmpty else { return }
            containers[containers.count - 1].points += 1
            guard containers[containers.count - 1].points <= ConditionLimit.points + 1 else {
                let limit = ConditionLimit.points
                throw GeoJSONError(
                    member: "geometry.coordinates",
                    reason: "the shape at line \(line) has more than \(limit) points; simplify the shape")
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if !containers.isEmpty { containers[containers.count - 1].hasNumber = true }
        default: break
        }
    }
}
