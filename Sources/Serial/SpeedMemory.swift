/// The speed each device was last understood at, so that the next start does not hunt for it.
///
/// Its text form is a heading and one line per device, speed first, because an identity may contain blanks:
///
///     sextant line speeds 1
///     9600 usb:067b:2303 port 1-1.4
public struct SpeedMemory: Sendable, Hashable {
    /// Why a text was not taken.
    public enum Damage: Error, Sendable, Hashable, CustomStringConvertible {
        /// The first line is not the heading of this form.
        case heading
        /// This line, counted from 1, is not a speed and an identity.
        case line(Int)
        /// The text is longer than ``SpeedMemory/capacity`` devices need.
        case tooLong

        /// The damage in words.
        public var description: String {
            switch self {
            case .heading: "the first line is not \"\(SpeedMemory.heading)\""
            case .line(let number): "line \(number) is not a speed and a device"
            case .tooLong: "it is longer than \(SpeedMemory.capacity) devices need"
            }
        }
    }

    /// Devices remembered at most; the one learned longest ago is forgotten first.
    public static let capacity = 64
    /// Bytes of an identity at most; a device with a longer one is not remembered.
    public static let identityLimit = 200
    /// Speeds that are believed, bits per second.
    static let speeds = 300...4_000_000
    static let heading = "sextant line speeds 1"

    private struct Entry: Sendable, Hashable {
        var identity: String
        var speed: Int
    }

    private var entries: [Entry] = []

    /// Nothing remembered.
    public init() {}

    /// How many devices are remembered.
    public var count: Int { entries.count }

    /// The speed of a device, bits per second; `nil` when it is not remembered.
    public subscript(identity: String) -> Int? {
        entries.first { $0.identity == identity }?.speed
    }

    /// Remembers a speed. One out of range, and an identity that is empty, too long or has control characters, are let go.
    ///
    /// - Returns: whether anything changed that is worth saving.
    @discardableResult
    public mutating func remember(_ speed: Int, for identity: String) -> Bool {
        guard Self.isStorable(identity), Self.speeds.contains(speed), self[identity] != speed else { return false }
        entries.removeAll { $0.identity == identity }
        entries.append(Entry(identity: identity, speed: speed))
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        return true
    }

    /// The text form.
    public var text: String {
        entries.reduce(into: Self.heading + "\n") { $0 += "\($1.speed) \($1.identity)\n" }
    }

    /// Reads the text form.
    ///
    /// - Throws: ``Damage``; a damaged text is not worth guessing at, for the hunt finds the speed again.
    public init(text: String) throws(Damage) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == Self.heading else { throw .heading }
        guard lines.count <= Self.capacity + 2 else { throw .tooLong }
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard let entry = Self.entry(line) else { throw .line(index + 1) }
            remember(entry.speed, for: entry.identity)
        }
    }

    private static func entry(_ line: Substring) -> Entry? {
        guard let blank = line.firstIndex(of: " "), let speed = Int(line[..<blank]) else { return nil }
        let identity = String(line[line.index(after: blank)...])
        return isStorable(identity) && speeds.contains(speed) ? Entry(identity: identity, speed: speed) : nil
    }

    private static func isStorable(_ identity: String) -> Bool {
        (1...identityLimit).contains(identity.utf8.count) && !identity.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}
