/// Every number of the accuracy model, each with where it comes from. `docs/accuracy.md` has the measurements behind them.
///
/// R68 is the radius that holds the true position with probability 68 %; DRMS the root of the summed squares of both axes' errors.
enum AccuracyConstants {
    // MARK: Conversions, all of normal errors

    /// R68 over DRMS where the correlation of the axes is not known: 1.000 for a line, 1.072 for a circle; the upper end.
    static let rootMeanSquareToR68 = 1.07
    /// R68 over DRMS by the ratio of the ellipse's axes, 0, 0.25, 0.5, 0.75 and 1: simulation of 4 million draws.
    static let ellipseToR68 = [1.000, 1.002, 1.031, 1.062, 1.072]
    /// A stated ellipse is believed where its size is that of the latitude and longitude errors to within this. u-blox states axes of
    /// 2.5 times as much beside them; Trimble R1 1.00, SiRF 1.09.
    static let believableEllipse = 0.8...1.3
    /// R68 over the radius that holds half: circle, 1.5152 / 1.1774.
    static let medianToR68 = 1.287
    /// The same along one axis: 1 / 0.6745.
    static let medianToOneSigma = 1.483
    /// R95 over R68: circle, 2.4477 / 1.5152, rounded up. Real errors have heavier tails.
    static let r68ToR95 = 1.62

    // MARK: What is believed

    /// Metres; above it a stated error is a marker for "none" (u-blox says 5,303,316 without a fix).
    static let absurdError = 1e5
    /// Metres. No receiver without carrier phase knows itself better than this: errors common to its satellites do not show in its
    /// residuals.
    static let receiverFloor = 1.0
    /// Metres of height that a receiver with carrier phase is believed.
    static let carrierPhaseVerticalFloor = 0.05

    // MARK: The kind of fix

    /// What a kind of fix is worth.
    struct Kind {
        /// Metres of R68 for each unit of HDOP.
        var perHDOP: Double
        /// Metres below which R68 is not claimed.
        var floor: Double
        /// Metres of R68 where nothing but the kind of fix is known.
        var withoutHDOP: Double
    }

    /// Scatter of static logs over HDOP (1.3 to 2.9 m) and 1.5 to 3 m that they have in common; receivers' own estimates over HDOP (3.3
    /// to 5.1 m). RTK: scatter beside a ground truth.
    static func kind(_ quality: FixQuality) -> Kind {
        switch quality {
        case .autonomous, .none, .manual, .simulated: Kind(perHDOP: 4, floor: 3, withoutHDOP: 10)
        case .differential: Kind(perHDOP: 3, floor: 2, withoutHDOP: 5)
        case .precise: Kind(perHDOP: 2, floor: 1.5, withoutHDOP: 5)
        case .rtkFloat: Kind(perHDOP: 0.5, floor: 0.3, withoutHDOP: 1)
        case .rtkFixed: Kind(perHDOP: 0.03, floor: 0.1, withoutHDOP: 0.1)
        case .estimated: Kind(perHDOP: 10, floor: 10, withoutHDOP: 30)
        }
    }

    /// Autonomous with two frequencies, which see the ionosphere for themselves: its share of the budget, 2 to 5 m, is gone.
    static let twoFrequencies = Kind(perHDOP: 2.5, floor: 1.8, withoutHDOP: 10)
    /// Satellites with a signal in the band of L5 that make a fix one of two frequencies: as many as a position needs.
    static let twoFrequencySatellites = 4
    /// Seconds after which a correction is none any more: the ionosphere's rate, and the usual time-out of receivers.
    static let longestCorrectionAge = 30.0

    // MARK: Adjustments; judgement, not measurement

    /// In two dimensions the height is assumed, and its error goes into the position.
    static let twoDimensionFactor = 2.0
    /// Metres for each unit of HDOP in two dimensions, at the least.
    static let twoDimensionPerHDOP = 8.0
    /// Metres.
    static let twoDimensionFloor = 10.0
    /// HDOP above which a geometry is bad.
    static let badHDOP = 5.0
    /// Metres more for each unit above it.
    static let perBadHDOP = 5.0
    /// Metres.
    static let badHDOPFloor = 25.0
    /// Satellites up to which nothing checks one against the others.
    static let fewSatellites = 4
    /// What they multiply by.
    static let fewSatellitesFactor = 1.5
    /// Metres.
    static let fewSatellitesFloor = 6.0
    /// By how much the first fix after none is worse than a later one. Logs that hold a restart settle within half a minute.
    static let freshFactor = 0.5
    /// Seconds in which that passes.
    static let freshSpan = 30.0
    /// Seconds without a fix after which the next is a first one.
    static let longestGap = 10.0
    /// And times the usual interval: a receiver that reports every 12 s has no gaps.
    static let longestGapInIntervals = 3.0

    // MARK: Dead reckoning

    /// Share of the distance since the last fix: heading and odometer of cars.
    static let driftPerMetre = 0.05
    /// Metres for each second: gyroscopes at rest and slow drift.
    static let driftPerSecond = 0.5
    /// Metres above which it says no more.
    static let mostDrift = 1000.0

    // MARK: Evidence

    /// dB-Hz of the median used satellite below which signals come through leaves, windows or walls, and what R68 is multiplied by.
    /// An open sky gives 40 to 47.
    static let weakSignals = (below: 30, factor: 1.5)
    /// The same for signals that come by reflection alone as often as not.
    static let veryWeakSignals = (below: 25, factor: 2.5)
    /// Seconds over which motion is compared with displacement.
    static let innovationSpan = 10.0
    /// R68 over the RMS of what 10 s of motion do not explain. An error that falls to 1/e within tau seconds changes in 10 s by sqrt(2 (1 -
    /// exp(-10 / tau))) of itself; tau was 20 to 223 s along both axes of seven logs, 62 in the middle, where that is 0.55; 1.07 / 0.55 = 2.
    static let innovationToR68 = 2.0
    /// Seconds that the evidence is remembered: the time in which errors of multipath change.
    static let evidenceMemory = 60.0
    /// Metres per second of error that any receiver's speed may have all along the 10 s.
    static let speedBias = 0.05
    /// Seconds by which a receiver's speed may lag its position, as filters make it.
    static let speedLag = 1.0
    /// Share of the way: half a degree of course, 1 % of speed.
    static let wayShare = 0.01
    /// Metres per second on the average below which a receiver says that it stands.
    static let standing = 0.5
    /// Seconds over which a standing receiver's walk is looked at.
    static let walkSpan = 60.0
    /// R68 over a walk while standing: of two places that far apart one is off by half.
    static let walkToR68 = 0.5

    // MARK: Speed and course

    /// Metres per second for each unit of HDOP. Data sheets of u-blox 8 to F9: 0.05 m/s, 50 %, under an open sky, which is 0.074 at 68 %.
    static let speedPerHDOP = 0.1
    /// Metres per second. RMC of older receivers counts in tenths of a knot.
    static let speedFloor = 0.1
    /// HDOP where none is known: 10 m over 4 m, as for the position.
    static let unknownHDOP = 2.5
    /// Metres per second above which a stated error of speed is none.
    static let absurdSpeedError = 1000.0
    /// Times its accuracy below which a speed has no course: 27 degrees.
    static let slowestCourse = 2.0
    /// Degrees above which a stated error of course is none.
    static let absurdCourseError = 90.0
}
