/// The type `Corrections` of `io.sextant.Receiver`: what a receiver got to improve its positions.
package struct CorrectionMessage: Codable, Sendable, Equatable {
    /// Where the corrections come from, for display.
    package var source: String
    /// The time since the last ones were written, in seconds.
    package var age: Double
    /// Bytes per second, over the last 10 s.
    package var rate: Double
    /// The number of bytes written so far.
    package var bytes: Int

    /// Creates a message. Age and rate are rounded to thousandths.
    package init(source: String, age: Double, rate: Double, bytes: Int) {
        self.source = source
        self.age = WireRounding.thousandths(age)
        self.rate = WireRounding.thousandths(rate)
        self.bytes = bytes
    }
}
