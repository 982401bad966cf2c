import Chronology

/// The time of a sentence.
extension Proprietary {
    /// UTC of the fix or of the clock; nil if the sentence has no time.
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
        case .psti036(let value): value.time
        case .pashrAttitude(let value): value.time
        case .ptnlavr(let value): value.time
        case .psathpr(let value): value.time
        case .pqtmtar(let value): value.time
        case .pqxfi(let value): value.time
        case .pglorunc(let value): value.time
        case .pssnhrp(let value): value.time
        default: nil
        }
    }

    /// The date; nil if the sentence has none or an invalid one.
    public var date: CivilDate? {
        switch self {
        case .pubx04(let value): value.date?.civilDate
        case .pgrmf(let value): value.date?.civilDate
        case .pqtmpvt(let value): value.date
        case .psti030(let value): value.date?.civilDate
        case .ptnlggk(let value): value.date?.civilDate
        default: nil
        }
    }
}
