/// The members of a `?WATCH=` request; nil for an absent one.
public struct WatchChange: Sendable, Equatable {
    /// See ``WatchPolicy``.
    public var enable, json, nmea, pps, scaled, split24, timing: Bool?
    /// See ``WatchPolicy/raw``.
    public var raw: Int?
    /// See ``WatchPolicy/device``.
    public var device: String?
    /// Why the rest of the request cannot be read; nil if all of it was. The members before count.
    public var failure: String?

    /// The maximum length of a path (GPS_PATH_MAX of gpsd.h).
    private static let maxPathLength = 128

    /// Creates a change of nothing.
    public init() {}

    /// Reads the members up to the first that cannot be read. Unknown ones are ignored, as gpsd
    /// does.
    init(_ body: ArraySlice<UInt8>) {
        var reader = MemberReader(body)
        do throws(MemberReader.Failure) {
            while let member = try reader.next() { try read(member.name, member.value) }
        } catch {
            failure = error.reason
        }
    }

    private mutating func read(_ name: String, _ value: MemberReader.Value) throws(MemberReader.Failure) {
        switch name {
        case "enable": enable = try WatchChange.flag(value, of: name)
        case "json": json = try WatchChange.flag(value, of: name)
        case "nmea": nmea = try WatchChange.flag(value, of: name)
        case "pps": pps = try WatchChange.flag(value, of: name)
        case "scaled": scaled = try WatchChange.flag(value, of: name)
        case "split24": split24 = try WatchChange.flag(value, of: name)
        case "timing": timing = try WatchChange.flag(value, of: name)
        // QGIS sends true, which gpsd reads as the number 0.
        case "raw": raw = min(max(Int(try WatchChange.word(value, of: name)) ?? 0, 0), 2)
        case "device":
            guard case .text(let path) = value else { throw .init(reason: "device is not a text in quotation marks") }
            guard path.utf8.count <= WatchChange.maxPathLength else { throw .init(reason: "device is too long") }
            device = path.isEmpty ? nil : path
        default: break
        }
    }

    /// Every other word than `true` is false, as gpsd has it.
    private static func flag(_ value: MemberReader.Value, of name: String) throws(MemberReader.Failure) -> Bool {
        try word(value, of: name) == "true"
    }

    private static func word(_ value: MemberReader.Value, of name: String) throws(MemberReader.Failure) -> String {
        guard case .word(let word) = value else {
            throw .init(reason: "\(name) is not a value without quotation marks")
        }
        return word
    }
}
