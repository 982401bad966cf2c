/// Expected position errors of a SiRFstar IV or V receiver (`PSRFEPE`; Wuerth "Erinome-I user
/// manual" 1.8). SiRF does not document the probability.
public struct PSRFEPE: Sendable {
    /// UTC of the fix with these errors.
    public var time: TimeOfDay?
    /// True for `A`, false for `V`.
    public var isValid: Bool?
    /// Horizontal error in metres.
    @Reported public var horizontalError: Double?
    /// Vertical error in metres.
    @Reported public var verticalError: Double?
    /// Error of the horizontal speed in metres per second.
    @Reported public var speedError: Double?
    /// Error of the course in degrees; 180 if unknown.
    @Reported public var courseError: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        isValid = reader.status(body)
        reader.skip(body)
        guard !reader.atEnd(body) else { return nil }
        horizontalError = reader.decimal(body)
        verticalError = reader.decimal(body)
        speedError = reader.decimal(body)
        courseError = reader.decimal(body)
    }
}

/// "OK to send": a SiRFstar IV or V receiver wakes or is about to sleep (`PSRF150`; ORG1411 data
/// sheet).
public struct PSRF150: Sendable {
    /// True (`1`) if the receiver accepts commands; false (`0`) if it sleeps next.
    public var isReady: Bool

    init?(_ body: RawSpan, reader: inout FieldReader) {
        switch reader.byte(body) {
        case 1: isReady = true
        case 0: isReady = false
        default: return nil
        }
    }
}
