/// A version of a Teseo receiver, sent at start and in response to `PSTMGETSWVER` (`PSTMVER`; ST
/// UM2229).
public struct PSTMVER: Sendable {
    /// The version: "GNSSLIB_7.1.1.15_ARM", "BINIMG_4.6.8.5_ARM", "STA80XX_0x622BC043"; on STA2058
    /// "GPS Version 4.20.5 Release ARM (...)".
    public var text: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard reader.offset < body.byteCount else { return nil }
        text = ShortText(body, in: reader.field(body))
    }
}

/// The state of a Teseo receiver's antenna (`PSTMANTENNASTATUS`; ST UM2229).
///
/// Only the code of a good antenna has been verified with a received line. The codes for open and
/// shorted follow the author's knowledge of the manual.
public struct PSTMANTENNASTATUS: Sendable {
    /// 0 good, 1 open, 2 shorted; nil for any other code.
    public var antenna: TXT.Antenna?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard !reader.atEnd(body) else { return nil }
        switch reader.byte(body) {
        case 0: antenna = .good
        case 1: antenna = .open
        case 2: antenna = .short
        default: antenna = nil
        }
    }
}

/// Errors of a Teseo receiver's Kalman filter (`PSTMKFCOV`; ST UM2229).
///
/// The sentence has standard deviations of position and velocity, and variances along the axes in
/// square metres. In the published example `4.1,8.2,8.3,9.0,0.922,0.540,0.310,1.051`, each
/// deviation is the root of the sum of its north and east variances. This type stores the square
/// roots of the variances.
public struct PSTMKFCOV: Sendable {
    /// Standard deviation to the north in metres.
    @Reported public var north: Double?
    /// Standard deviation to the east in metres.
    @Reported public var east: Double?
    /// Vertical standard deviation in metres.
    @Reported public var vertical: Double?
    /// Standard deviation of the speed in metres per second: root of the summed squares of both
    /// axes.
    @Reported public var speedError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        north = reader.squareRootField(body)
        east = reader.squareRootField(body)
        vertical = reader.squareRootField(body)
        speedError = reader.decimal(body)
    }
}

extension FieldReader {
    /// Reads a non-negative number and returns its square root.
    fileprivate mutating func squareRootField(_ body: RawSpan) -> Double? {
        decimal(body).flatMap { $0 >= 0 ? $0.squareRoot() : nil }
    }
}
