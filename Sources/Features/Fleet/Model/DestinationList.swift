/// The destinations of a file, one in each line. Spaces around a line, empty lines and lines that
/// begin with `#` are skipped.
package struct DestinationList: Sendable, Equatable {
    /// The maximum length of a file in bytes.
    package static let maxLength = 65_536

    /// Why a file has no destinations. The text of the file is not part of it: it may be a secret.
    package enum Invalid: Error, Equatable, CustomStringConvertible {
        /// This line, counted from 1, is no destination.
        case line(Int, Destination.Invalid.Reason)
        /// There is no line with a destination.
        case empty
        /// The file is longer than ``DestinationList/maxLength``.
        case tooLong

        /// The reason and what is accepted.
        package var description: String {
            switch self {
            case .line(let number, let reason): "line \(number) is not a destination: \(reason.advice)"
            case .empty: "there is no destination: write one in each line, such as mqtts://broker.example:8883"
            case .tooLong: "it has more than \(DestinationList.maxLength) bytes"
            }
        }
    }

    /// The destinations in the order of the file; at least one.
    package var destinations: [Destination] = []

    /// Reads the content of a file.
    package init(_ bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= DestinationList.maxLength else { throw .tooLong }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = DestinationList.trimmed(line)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            do throws(Destination.Invalid) {
                destinations.append(try Destination(String(decoding: text, as: UTF8.self)))
            } catch {
                throw .line(index + 1, error.reason)
            }
        }
        if destinations.isEmpty { throw .empty }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = line.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
        return start[...last]
    }
}
