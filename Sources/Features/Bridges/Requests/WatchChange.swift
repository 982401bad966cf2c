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
        var reader = RequestMembers(body)
        do throws(RequestMembers.Failure) {
            while let member = try reader.next() { try read(member.name, member.value) }
        } catch {
            failure = error.reason
        }
    }

    private mutating func read(_ name: String, _ value: RequestMembers.Value) throws(RequestMembers.Failure) {
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
    private static func flag(_ value: RequestMembers.Value, of name: String) throws(RequestMembers.Failure) -> Bool {
        try word(value, of: name) == "true"
    }

    private static func word(_ value: RequestMembers.Value, of name: String) throws(RequestMembers.Failure) -> String {
        guard case .word(let word) = value else {
            throw .init(reason: "\(name) is not a value without quotation marks")
        }
        return word
    }
}

/// What a client of gpsd's protocol has asked for with `?WATCH=`.
public struct WatchPolicy: Sendable, Equatable {
    /// Whether the client watches.
    public var enable = false
    /// Whether it gets reports as JSON.
    public var json = false
    /// Whether it gets sentences.
    public var nmea = false
    /// 0, or 1 or 2 for the bytes of the receiver.
    public var raw = 0
    /// Whether the client gets TOFF.
    public var pps = false
    /// Recorded for the answer; no report depends on it, nor on ``split24`` and ``timing``.
    public var scaled = false
    /// See ``scaled``.
    public var split24 = false
    /// See ``scaled``.
    public var timing = false
    /// The path of the only receiver to report; nil for all.
    public var device: String?

    /// Creates the policy of a client that has asked for nothing.
    public init() {}

    /// Whether the client gets sentences.
    public var wantsSentences: Bool { nmea || raw > 0 }
    /// Whether reports are sent to the client without further requests.
    public var isStreaming: Bool { enable && (json || wantsSentences) }
    /// Whether the client watches without a stream, in order to request the state with `?POLL;`.
    public var isPolling: Bool { enable && !isStreaming }

    /// Applies a request. An absent `json`, `nmea` or `raw` keeps its value. An absent `enable` is
    /// true, and the other members are reset (json_watch_read of gpsd).
    public mutating func apply(_ change: WatchChange) {
        enable = change.enable ?? true
        json = change.json ?? json
        nmea = change.nmea ?? nmea
        raw = change.raw ?? raw
        pps = change.pps ?? false
        scaled = change.scaled ?? false
        split24 = change.split24 ?? false
        timing = change.timing ?? false
        device = change.device
    }
}
