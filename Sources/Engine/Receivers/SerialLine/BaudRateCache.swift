/// The baud rate last detected for each device, so that the next start need not detect it again.
///
/// The text format is a heading and one line per device. The baud rate is first, because an
/// identity may contain spaces:
///
///     sextant line speeds 1
///     9600 usb:067b:2303 port 1-1.4
package struct BaudRateCache: Sendable, Hashable {
    /// The reason why a text was rejected.
    package enum Damage: Error, Sendable, Hashable, CustomStringConvertible {
        /// The first line is not the heading of this format.
        case heading
        /// This line, counted from 1, is not a baud rate and an identity.
        case line(Int)
        /// The text is longer than ``BaudRateCache/capacity`` devices need.
        case tooLong

        package var description: String {
            switch self {
            case .heading: "the first line is not \"\(BaudRateCache.heading)\""
            case .line(let number): "line \(number) is not a baud rate and a device"
            case .tooLong: "it has lines for more than \(BaudRateCache.capacity) devices"
            }
        }
    }

    /// The maximum number of devices. The oldest entry is removed first.
    package static let capacity = 64
    /// The maximum length of an identity in bytes. Devices with a longer one are not stored.
    package static let identityLimit = 200
    /// The valid baud rates in bits per second.
    static let baudRates = 300...4_000_000
    static let heading = "sextant line speeds 1"

    private struct Entry: Sendable, Hashable {
        var identity: String
        var baudRate: Int
    }

    private var entries: [Entry] = []

    /// Creates an empty cache.
    package init() {}

    /// The number of stored devices.
    package var count: Int { entries.count }

    /// The baud rate of a device in bits per second; nil if it is not stored.
    package subscript(identity: String) -> Int? {
        entries.first { $0.identity == identity }?.baudRate
    }

    /// Stores a baud rate. Ignores a baud rate out of range, and an identity that is empty, too
    /// long or contains control characters.
    ///
    /// - Returns: Whether anything changed that should be saved.
    @discardableResult
    package mutating func store(_ baudRate: Int, for identity: String) -> Bool {
        guard Self.isStorable(identity), Self.baudRates.contains(baudRate), self[identity] != baudRate else {
            return false
        }
        entries.removeAll { $0.identity == identity }
        entries.append(Entry(identity: identity, baudRate: baudRate))
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        return true
    }

    package var text: String {
        entries.reduce(into: Self.heading + "\n") { $0 += "\($1.baudRate) \($1.identity)\n" }
    }

    /// Parses the text format.
    ///
    /// - Throws: ``Damage``; a damaged text is not repaired, because the baud rates can be detected
    ///   again.
    package init(text: String) throws(Damage) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == Self.heading else { throw .heading }
        guard lines.count <= Self.capacity + 2 else { throw .tooLong }
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard let entry = Self.entry(line) else { throw .line(index + 1) }
            store(entry.baudRate, for: entry.identity)
        }
    }

    private static func entry(_ line: Substring) -> Entry? {
        guard let blank = line.firstIndex(of: " "), let baudRate = Int(line[..<blank]) else { return nil }
        let identity = String(line[line.index(after: blank)...])
        return isStorable(identity) && baudRates.contains(baudRate)
            ? Entry(identity: identity, baudRate: baudRate) : nil
    }

    private static func isStorable(_ identity: String) -> Bool {
        (1...identityLimit).contains(identity.utf8.count)
            && !identity.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
