import NMEA

/// A heading as one sentence reports it.
public struct HeadingReport: Sendable, Equatable {
    /// Degrees clockwise from true or magnetic north; the true one of a VHW with both.
    public var degrees: Double
    /// Whether ``degrees`` begin at magnetic north.
    public var isMagnetic = false
    /// Degrees, 68 %; nil if the sentence reports none.
    public var accuracy: Double?
    /// The kind of sentence.
    public var source: HeadingSource
    /// The variation in an HDG, in degrees, east positive.
    public var variation: Double?
    /// The UTC time of day; nil if the sentence has none.
    public var time: TimeOfDay?

    /// Degrees. A heading with a larger error is none; a standard deviation of 0 is a placeholder.
    static let maxAccuracy = 30.0

    /// Creates the report of a course over ground; nil if its accuracy is unknown, as at low speed,
    /// or too large.
    init?(courseOf fix: Fix) {
        guard let course = fix.course, let accuracy = fix.courseAccuracy, accuracy <= HeadingReport.maxAccuracy
        else { return nil }
        self.init(course, source: .course, accuracy: accuracy)
    }

    /// Creates the report of a sentence; nil if the sentence has no valid heading.
    init?(_ sentence: Sentence) {
        switch sentence {
        case .hdt(let hdt): self.init(hdt.heading, source: .hdt)
        case .ths(let ths): self.init(ths.mode.isMeasured ? ths.heading : nil, source: .ths)
        case .hdg(let hdg):
            self.init(hdg.magneticHeading, source: .hdg, isMagnetic: true)
            variation = HeadingReport.plausible(variation: hdg.variation)
        case .hdm(let hdm): self.init(hdm.heading, source: .hdm, isMagnetic: true)
        case .vhw(let vhw):
            self.init(vhw.trueHeading ?? vhw.magneticHeading, source: .vhw, isMagnetic: vhw.trueHeading == nil)
        case .hpr(let hpr):
            self.init(hpr.quality == 4 || hpr.quality == 5 ? hpr.heading : nil, source: .dualAntenna, time: hpr.time)
        case .proprietary(let proprietary): self.init(proprietary)
        default: return nil
        }
    }

    private init?(_ sentence: Proprietary) {
        switch sentence {
        case .pashrAttitude(let value):
            self.init(value.heading, source: .inertial, accuracy: value.headingError, time: value.time)
        case .psathpr(let value):
            // A gyroscope keeps the heading of the antennas only for a time that is not reported.
            self.init(value.usesGyroscope == true ? nil : value.heading, source: .dualAntenna, time: value.time)
        case .ptnlavr(let value):
            let isResolved = value.quality == 2 || value.quality == 3
            self.init(isResolved ? value.yaw : nil, source: .dualAntenna, time: value.time)
        case .psti036(let value):
            let isResolved = value.mode == .rtkFixed || value.mode == .rtkFloat
            self.init(isResolved ? value.heading : nil, source: .dualAntenna, time: value.time)
        case .pqtmtar(let value):
            let heading = (value.quality ?? 0) == 0 ? nil : value.heading
            self.init(heading, source: .dualAntenna, accuracy: value.headingAccuracy, time: value.time)
        case .pssnhrp(let value):
            let heading = (value.mode ?? 0) == 0 ? nil : value.heading
            self.init(heading, source: .dualAntenna, accuracy: value.headingError, time: value.time)
        case .ksxt(let value): self.init(value.headingQuality == 3 ? value.heading : nil, source: .dualAntenna)
        case .uniheadinga(let value):
            self.init(value.isFixed ? value.heading : nil, source: .dualAntenna, accuracy: value.headingError)
        default: return nil
        }
    }

    private init?(
        _ degrees: Double?, source: HeadingSource, isMagnetic: Bool = false, accuracy: Double? = nil,
        time: TimeOfDay? = nil
    ) {
        // Trimble reports -180 to 180. A deviation may lead beyond 360.
        guard let degrees, (-360...720).contains(degrees) else { return nil }
        if let accuracy, accuracy > HeadingReport.maxAccuracy { return nil }
        self.degrees = HeadingSample.normalized(degrees)
        self.isMagnetic = isMagnetic
        self.accuracy = accuracy.flatMap { $0 > 0 ? $0 : nil }
        self.source = source
        self.time = time
    }

    /// Returns a variation in degrees if it is possible.
    static func plausible(variation: Double?) -> Double? { variation.flatMap { abs($0) <= 180 ? $0 : nil } }
}

extension FAAMode? {
    /// Whether a heading with this mode comes from a sensor. A heading without a mode counts.
    fileprivate var isMeasured: Bool {
        switch self {
        case .manual, .simulated, FAAMode.none?: false
        default: true
        }
    }
}
