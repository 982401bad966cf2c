/// A run of decimal digits of any length.
struct DigitRun {
    /// The first nine digits as a number.
    private(set) var value: Int64 = 0
    /// How many digits there are.
    let count: Int
    /// Where the run ends.
    let end: Int

    /// Reads the digits that come first in `range`.
    init(_ body: RawSpan, _ range: Range<Int>) {
        var at = range.lowerBound
        while at < range.upperBound, body.byte(at: at) &- 48 < 10 {
            if at - range.lowerBound < 9 { value = value * 10 + Int64(body.byte(at: at) &- 48) }
            at += 1
        }
        end = at
        count = at - range.lowerBound
    }
}
