/// The response to a command (`PMTK001`; GlobalTop "PMTK command packet", revision A08).
public struct PMTK001: Sendable {
    /// The number of the command: 605 for `PMTK605`.
    public var command: UInt16
    /// The result of the command; nil if the code is unknown.
    public var result: Result?

    /// The result code in field 2.
    public enum Result: UInt8, Sendable {
        /// The command does not exist.
        case invalid = 0
        /// The firmware does not support the command.
        case unsupported = 1
        /// The command is valid but failed.
        case failed = 2
        /// The command succeeded.
        case done = 3
    }

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let number = reader.integer(body).flatMap({ UInt16(exactly: $0) }) else { return nil }
        command = number
        result = reader.byte(body).flatMap(Result.init(rawValue:))
    }
}

/// The system state of a MediaTek receiver (`PMTK010`; GlobalTop "PMTK command packet", revision
/// A08).
public struct PMTK010: Sendable {
    /// 0 unknown, 1 started, 2 requests aiding data from the host, 3 normal.
    public var state: UInt8

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let state = reader.byte(body) else { return nil }
        self.state = state
    }
}

/// The startup message of a MediaTek receiver, `PMTK011,MTKGPS` (GlobalTop "PMTK command packet",
/// revision A08).
public struct PMTK011: Sendable {
    /// The text of the message: "MTKGPS".
    public var text: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard !reader.atEnd(body) else { return nil }
        text = ShortText(body, in: reader.offset..<body.byteCount)
    }
}

/// Firmware release of a MediaTek receiver, the response to `PMTK605` (`PMTK705`; GlobalTop "PMTK
/// command packet", revision A08; capture `mtk-3329`).
public struct PMTK705: Sendable {
    /// Release, build, product and, on newer firmware, the SDK version, separated by commas:
    /// "AXN_2.31_3339_13101700,5632,PA6H,1.0".
    public var text: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard reader.offset < body.byteCount else { return nil }
        text = ShortText(body, in: reader.offset..<body.byteCount)
    }
}
