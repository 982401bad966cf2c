/// Expected errors of a Quectel receiver's position (`PQTMEPE`; Quectel LC29H and LC26G/76G/86G protocol specifications).
///
/// In every example the error in two dimensions is the root of the summed squares of north and east: these are one-sigma errors of the axes.
public struct PQTMEPE: Sendable {
    /// Layout: only 2 is known here, and of any other all that follows is nil.
    public var version: UInt8
    /// Metres.
    @Stated public var north: Double?
    /// Metres.
    @Stated public var east: Double?
    /// Metres.
    @Stated public var down: Double?
    /// Metres, in two dimensions.
    @Stated public var horizontal: Double?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let version = reader.byte(body) else { return nil }
        self.version = version
        guard version == 2 else { return }
        // Some firmware sends three numbers under the same version, and no manual says which.
        guard reader.remaining(body) >= 5 else { return }
        north = reader.decimal(body)
        east = reader.decimal(body)
        down = reader.decimal(body)
        horizontal = reader.decimal(body)
    }
}
