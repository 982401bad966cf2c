extension RawSpan {
    /// The byte at `offset`, bounds checked.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}

extension UInt8 {
    /// `A`-`Z` or `0`-`9`.
    @inline(__always)
    var isCapitalOrDigit: Bool { (self >= 65 && self <= 90) || (self >= 48 && self <= 57) }

    /// Value of a hexadecimal digit of either case; nil for anything else.
    @inline(__always)
    var hexadecimal: UInt8? {
        switch self {
        case 48...57: self - 48
        case 65...70: self - 55
        case 97...102: self - 87
        default: nil
        }
    }
}
