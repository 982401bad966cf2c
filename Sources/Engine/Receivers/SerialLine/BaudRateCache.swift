/// The baud rate last detected for each device, so that the next start need not detect it again.
///
/// The text format is a heading and one line per device. The speed is first, because an identity
/// may contain spaces:
///
///     sextant line speeds 1
///     9600 usb:067b:2303 port 1-1.4
package struct BaudRateCache: Sendable, Hashable {
    /// The reason why a text was rejected.
    package enum Damage: Error, Sendable, Hashable, CustomStringConvertible {
        /// The first line is not the heading of this format.
        case heading
        /// This line, counted from 1, is not a speed and an identity.
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
    /// The valid speeds in bits per second.
    static let speeds = 300...4_000_000
    static let heading = "sextant line speeds 1"

    private struct Entry: Sendable, Hashable {
        var identity: String
        var speed: Int
    }

    private var entries: [Entry] = []

    /// Creates an empty cache.
    package init() {}

    /// The number of stored devices.
    package var count: Int { entries.count }

    /// The speed of a device in bits per second; nil if it is not stored.
    package subscript(identity: String) -> Int? {
        entries.first { $0.identity == identity }?.speed
    }

    /// Stores a speed. Ignores a speed out of range, and an identity that is empty, too long or
    /// contains control characters.
    ///
    /// - Returns: Whether anything changed that should be saved.
    @discardableResult
    package mutating func store(_ speed: Int, for identity: String) -> Bool {
        guard Self.isStorable(identity), Self.speeds.contains(speed), self[identity] != speed else { return false }
        entries.removeAll { $0.identity == identity }
        entries.append(Entry(identity: identity, speed: speed))
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        return true
    }

    package var text: String {
        entries.reduce(into: Self.heading + "\n") { $0 += "\($1.speed) \($1.identity)\n" }
    }

    /// Parses the text format.
    ///
    /// - Throws: ``Damage``; a damaged text is not repaired, because the speeds can be detected
    ///   again.
    package init(text: String) throws(Damage) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == Self.heading else { throw .heading }
        guard lines.count <= Self.capacity + 2 else { throw .tooLong }
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard let entry = Self.entry(line) else { throw .line(index + 1) }
            store(entry.speed, for: entry.identity)
        }
    }

    private static func entry(_ line: Substring) -> Entry? {
        guard let blank = line.firstIndex(of: " "), let speed = Int(line[..<blank]) else { return nil }
        let identity = String(line[line.index(after: blank)...])
        return isStorable(identity) && speeds.contains(speed) ? Entry(identity: identity, speed: speed) : nil
    }

    private static func isStorable(_ identity: String) -> Bool {
        (1...identityLimit).contains(identity.utf8.count)
            && !identity.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
