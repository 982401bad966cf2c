import CLinux
import Glibc

/// Reads the values of a section of a bridge.
struct SectionValues {
    private let file: ConfigurationFile

    /// - Parameter file: The file of the values, for the places of errors.
    init(of file: ConfigurationFile) { self.file = file }

    func text(
        _ value: TOMLValue?, in section: String, key: String, max: Int
    ) throws(ConfigurationError) -> String {
        guard let text = value?.string, (1...max).contains(text.utf8.count), ConfigurationFile.isPlain(text) else {
            throw file.error(
                in: section, key: key, reason: "must be a string of 1 to \(max) bytes without control characters")
        }
        return text
    }

    /// A string, or a list of strings.
    func texts(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> [String] {
        if let text = value?.string { return [text] }
        let texts = value?.array.map { array in (0..<array.count).map { array[$0].string } } ?? [nil]
        guard texts.allSatisfy({ $0 != nil }) else {
            throw file.error(in: section, key: key, reason: "must be a string or a list of strings")
        }
        return texts.compactMap { $0 }
    }

    func flag(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> Bool {
        guard let flag = value?.bool else {
            throw file.error(in: section, key: key, reason: "must be true or false")
        }
        return flag
    }

    func integer(
        _ value: TOMLValue?, in section: String, key: String, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw file.error(
                in: section, key: key, reason: "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(
        _ value: TOMLValue?, in section: String, key: String, _ range: ClosedRange<Double>
    ) throws(ConfigurationError) -> Double {
        guard let number = value?.number, range.contains(number) else {
            throw file.error(
                in: section, key: key,
                reason: "must be a number of seconds from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return number
    }

    func path(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> String {
        guard let path = value?.string, path.hasPrefix("/"), ConfigurationFile.isPlain(path) else {
            throw file.error(
                in: section, key: key, reason: "must be an absolute path in quotes, without control characters")
        }
        return path
    }

    /// A numeric address with a port.
    func address(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> String {
        guard let text = value?.string, SectionValues.isAddress(text) else {
            throw invalidAddress(in: section, key: key)
        }
        return text
    }

    /// An address, or a list of addresses.
    func addresses(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> [String] {
        let texts = try texts(value, in: section, key: key)
        guard !texts.isEmpty, texts.allSatisfy(SectionValues.isAddress) else {
            throw invalidAddress(in: section, key: key)
        }
        return texts
    }

    /// A host, by name or address, with a port.
    func host(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> String {
        guard let text = value?.string, HostPort(text)?.isHost == true else {
            throw file.error(
                in: section, key: key, reason: "must be a host with a port, such as \"gps.example:10110\"")
        }
        return text
    }

    func caster(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> NTRIPAddress {
        do throws(NTRIPAddress.Invalid) { return try NTRIPAddress(value?.string ?? "") } catch {
            throw file.error(in: section, key: key, reason: error.reason)
        }
    }

    /// Types of sentences, such as `RMC` or `GNGGA`.
    func sentenceTypes(
        _ value: TOMLValue?, in section: String, key: String
    ) throws(ConfigurationError) -> [String] {
        let types = try texts(value, in: section, key: key).map { $0.uppercased() }
        guard !types.isEmpty, types.allSatisfy(SentenceType.isValid) else {
            throw file.error(in: section, key: key, reason: "must be a list of types such as \"RMC\" or \"GNGGA\"")
        }
        return types
    }

    private func invalidAddress(in section: String, key: String) -> ConfigurationError {
        file.error(
            in: section, key: key,
            reason: "must be a numeric address with a port, such as \"127.0.0.1:10110\" or \"[::1]:10110\"")
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let parsed = HostPort(text) else { return false }
        let host = parsed.host == "localhost" ? "127.0.0.1" : parsed.host
        return Int32(linux_internet_address(host, parsed.port).ss_family) != AF_UNSPEC
    }
}

/// The type of a sentence as a user writes it: `RMC` for all talkers, or `GNRMC`.
package enum SentenceType {
    /// Whether a text is a type: three letters and digits, or up to eight with a talker.
    package static func isValid(_ text: String) -> Bool {
        (3...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
    }
}
