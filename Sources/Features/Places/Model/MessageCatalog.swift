/// The translations of a compiled message catalogue of GNU gettext, a `.mo` file
/// (https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html).
package struct MessageCatalog: Sendable {
    private let bytes: [UInt8]
    private let count: Int
    /// The offsets of the tables of originals and translations.
    private let (originals, translations): (Int, Int)

    /// Creates the catalogue of a file; nil if it is none, or is in the byte order of big-endian
    /// machines.
    package init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard MessageCatalog.number(at: 0, of: bytes) == 0x9504_12DE,
            let count = MessageCatalog.number(at: 8, of: bytes),
            let originals = MessageCatalog.number(at: 12, of: bytes),
            let translations = MessageCatalog.number(at: 16, of: bytes)
        else { return nil }
        self.count = count
        (self.originals, self.translations) = (originals, translations)
    }

    /// Returns the translation of a message; nil if it has none.
    package func translation(of message: String) -> String? {
        let wanted = Array(message.utf8)
        // The originals are sorted by their bytes.
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            guard let found = text(middle, of: originals) else { return nil }
            if found.elementsEqual(wanted) {
                let translation = text(middle, of: translations).map { String(decoding: $0, as: UTF8.self) }
                return translation.flatMap { $0.isEmpty ? nil : $0 }
            }
            if found.lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Returns the text with an index of a table: pairs of length and offset.
    private func text(_ index: Int, of table: Int) -> ArraySlice<UInt8>? {
        guard let length = MessageCatalog.number(at: table + index * 8, of: bytes),
            let start = MessageCatalog.number(at: table + index * 8 + 4, of: bytes),
            start <= bytes.count, length <= bytes.count - start
        else { return nil }
        return bytes[start..<start + length]
    }

    /// Returns the four bytes at an offset as a number; nil beyond the end.
    private static func number(at offset: Int, of bytes: [UInt8]) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
