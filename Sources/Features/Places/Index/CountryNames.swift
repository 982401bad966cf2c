import Glibc
import SystemCalls
import Varlink

/// The English names of countries that the system has in tzdata's list.
package final class CountryNames {
    /// tzdata's list of countries, which every Debian has.
    package static let systemList = "/usr/share/zoneinfo/iso3166.tab"

    private let path: String
    private lazy var table = CountryName.table(CountryNames.contents(of: path) ?? "")

    /// Creates the list of names in a file with the format of tzdata's `iso3166.tab`.
    package init(_ path: String = CountryNames.systemList) {
        self.path = path
    }

    /// All countries; empty if the file cannot be read.
    package var all: [CountryName] { table }

    /// Returns the English name of a country.
    package func name(_ code: String) -> String? { table.first { $0.code == code }?.names.first }

    /// The length of a file in bytes, at most.
    private static let maxLength = 1 << 20

    private static func contents(of path: String) -> String? {
        bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the beginning of a file; nil if it cannot be read.
    static func bytes(of path: String) -> [UInt8]? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < maxLength {
            let count = uninterrupted { read(file.number, &part, part.count) }
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return bytes
    }
}

/// The names of countries in the languages of Debian's package `iso-codes`; none without it.
///
/// The files are read when a name in a language is needed first.
package final class CountryTranslations {
    private let list: String
    private let catalogs: String
    /// The English names that the catalogues translate, by code.
    private lazy var messages = CountryTranslations.messages(CountryNames.bytes(of: list) ?? [])
    /// The catalogue of the last language; nil if there is none.
    private var last: (language: String, catalog: MessageCatalog?)?

    /// Creates the translations of files.
    ///
    /// - Parameters:
    ///   - list: The countries, in the JSON format of iso-codes.
    ///   - catalogs: The folder with a folder per language.
    package init(
        list: String = "/usr/share/iso-codes/json/iso_3166-1.json", catalogs: String = "/usr/share/locale"
    ) {
        self.list = list
        self.catalogs = catalogs
    }

    /// Returns the name of a country.
    ///
    /// - Parameter language: The two or three letters of the language.
    package func name(_ code: String, in language: String) -> String? {
        // The language becomes a part of a path.
        guard (2...3).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
            return nil
        }
        if last?.language != language {
            let path = "\(catalogs)/\(language)/LC_MESSAGES/iso_3166-1.mo"
            last = (language, CountryNames.bytes(of: path).flatMap(MessageCatalog.init))
        }
        guard let catalog = last?.catalog else { return nil }
        // Programs use the common name where there is one: "Bolivia".
        return messages[code]?.lazy.compactMap { catalog.translation(of: $0) }.first
    }

    private static func messages(_ bytes: [UInt8]) -> [String: [String]] {
        let entries = (try? JSONValue(parsing: bytes))?["3166-1"]?.array ?? []
        var messages: [String: [String]] = [:]
        for entry in entries {
            guard let code = entry["alpha_2"]?.string else { continue }
            messages[code] = [entry["common_name"]?.string, entry["name"]?.string].compactMap { $0 }
        }
        return messages
    }
}

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
