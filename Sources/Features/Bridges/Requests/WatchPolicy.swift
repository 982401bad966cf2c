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
