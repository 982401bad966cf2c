import Glibc
import SystemCalls

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
