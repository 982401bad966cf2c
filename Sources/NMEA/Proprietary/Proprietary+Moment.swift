import Chronology

/// The moment that a sentence tells.
extension Proprietary {
    /// UTC of the fix or of the clock; nil where it states none.
    public var time: TimeOfDay? {
        switch self {
        case .pubx04(let value): value.time
        case .pgrmf(let value): value.time
        case .pqtmpvt(let value): value.time
        case .pqtmvel(let value): value.time
        case .psrfepe(let value): value.time
        case .psti030(let value): value.time
        case .pashrpos(let value): value.time
        case .ptnlggk(let value): value.time
        default: nil
        }
    }

    /// The day; nil where it states none, or an impossible one.
    public var date: CivilDate? {
        switch self {
        case .pubx04(let value): value.date?.civil
        case .pgrmf(let value): value.date?.civil
        case .pqtmpvt(let value): value.date
        case .psti030(let value): value.date?.civil
        case .ptnlggk(let value): value.date?.civil
        default: nil
        }
    }

    /// Whether it holds a whole solution: sentences by which a receiver can tell its position without any standard one.
    public var isSolution: Bool {
        switch self {
        case .pgrmf, .pqtmpvt, .pqtmgps, .psti030, .pashrpos, .ptnlggk: true
        default: false
        }
    }
}
