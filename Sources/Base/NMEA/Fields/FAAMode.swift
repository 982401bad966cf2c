/// The mode letter that NMEA 2.3 added to RMC, GLL, VTG and GNS.
public enum FAAMode: UInt8, Sendable {
    /// Satellite fix without corrections (`A`).
    case autonomous = 65
    /// Differential (`D`).
    case differential = 68
    /// Dead reckoning (`E`).
    case estimated = 69
    /// RTK with float ambiguities (`F`).
    case rtkFloat = 70
    /// Entered by hand (`M`).
    case manual = 77
    /// No fix (`N`).
    case none = 78
    /// Precise (`P`).
    case precise = 80
    /// RTK with fixed integer ambiguities (`R`).
    case rtkFixed = 82
    /// Simulator (`S`).
    case simulated = 83

    /// The rank of the mode, higher is better. GNS has one letter per constellation, and the best
    /// one counts.
    var rank: Int {
        switch self {
        case .rtkFixed: 8
        case .rtkFloat: 7
        case .precise: 6
        case .differential: 5
        case .autonomous: 4
        case .estimated: 3
        case .manual: 2
        case .simulated: 1
        case .none: 0
        }
    }
}

extension FieldReader {
    /// Parses a mode letter after the status letter of the same sentence. Without a mode letter,
    /// the status `D` of older receivers means differential.
    @inline(__always)
    mutating func mode(_ body: RawSpan, afterStatusAt status: Int) -> FAAMode? {
        mode(body)
            ?? (status < body.byteCount && body.byte(at: status) == UInt8(ascii: "D") ? .differential : nil)
    }

    /// Parses a mode letter; nil if empty or unknown. Quectel's `C` and `U` (caution, unsafe) count
    /// as autonomous, `V` as none.
    @inline(__always)
    mutating func mode(_ body: RawSpan) -> FAAMode? {
        letter(body).flatMap(FieldReader.mode(of:))
    }

    static func mode(of letter: UInt8) -> FAAMode? {
        switch letter {
        case UInt8(ascii: "C"), UInt8(ascii: "U"): .autonomous
        case UInt8(ascii: "V"): FAAMode.none
        default: FAAMode(rawValue: letter)
        }
    }

    /// Parses a GNS mode field such as `AAN` and returns the best mode; nil if the field has no
    /// known letter.
    mutating func bestMode(_ body: RawSpan) -> FAAMode? {
        var best: FAAMode?
        for index in field(body) {
            guard let mode = FieldReader.mode(of: body.byte(at: index)) else { continue }
            if let current = best, current.rank >= mode.rank { continue }
            best = mode
        }
        return best
    }

    /// Parses a status letter: true for `A` (valid) and `D` (valid, differential), false for `V`
    /// (warning), nil for anything else.
    @inline(__always)
    mutating func status(_ body: RawSpan) -> Bool? {
        switch letter(body) {
        case UInt8(ascii: "A"), UInt8(ascii: "D"): true
        case UInt8(ascii: "V"): false
        default: nil
        }
    }
}
