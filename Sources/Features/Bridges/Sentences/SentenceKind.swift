/// A sentence that a bridge writes.
package enum SentenceKind: String, CaseIterable, Sendable {
    /// Position, speed, course and date.
    case rmc
    /// Position, quality and altitude.
    case gga
    /// The satellites used and the dilutions of precision.
    case gsa
    /// The satellites in view.
    case gsv
    /// Course and speed.
    case vtg
    /// Standard deviations of the position.
    case gst
    /// UTC.
    case zda
}
