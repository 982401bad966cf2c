/// All constants of the accuracy model and their sources. `docs/accuracy.md` has the measurements
/// behind them.
///
/// R68 is the radius that contains the true position with probability 68 %. DRMS is the root of the
/// summed squares of the errors of both axes.
enum AccuracyConstants {
    // MARK: Conversions, all of normal errors

    /// R68 over DRMS if the correlation of the axes is unknown: 1.000 for a line, 1.072 for a
    /// circle. The value is the upper end.
    static let rootMeanSquareToR68 = 1.07
    /// R68 over DRMS by the ratio of the ellipse's axes, 0, 0.25, 0.5, 0.75 and 1: simulation of 4
    /// million draws.
    static let ellipseToR68 = [1.000, 1.002, 1.031, 1.062, 1.072]
    /// The range of plausible sizes of an error ellipse, relative to the latitude and longitude
    /// errors in the same sentence. u-blox reports axes of 2.5 times those errors; Trimble R1 1.00,
    /// SiRF 1.09.
    static let plausibleEllipseRatio = 0.8...1.3
    /// R68 over the 50 % radius, for a circle: 1.5152 / 1.1774.
    static let medianToR68 = 1.287
    /// One sigma over the 50 % error along one axis: 1 / 0.6745.
    static let medianToOneSigma = 1.483

    // MARK: Limits of reported errors

    /// Metres. A larger reported error is a marker for "none" (u-blox sends 5,303,316 without a
    /// fix).
    static let maxPlausibleError = 1e5
    /// Metres. The lower limit of a reported R68 or height error without carrier phase: errors
    /// common to all satellites do not show in the residuals.
    static let receiverFloor = 1.0
    /// Metres. The lower limit of a reported height error with carrier phase.
    static let carrierPhaseVerticalFloor = 0.05

    // MARK: The kind of fix

    /// The accuracy constants of a kind of fix.
    struct Kind {
        /// Metres of R68 per unit of HDOP.
        var perHDOP: Double
        /// The lower limit of R68 in metres.
        var floor: Double
        /// R68 in metres if only the kind of fix is known.
        var withoutHDOP: Double
    }

    /// Returns the constants of a kind of fix.
    ///
    /// Sources: the scatter of static logs over HDOP (1.3 to 2.9 m), and 1.5 to 3 m of error common
    /// to the logs. Also receivers' own estimates over HDOP (3.3 to 5.1 m). RTK: scatter against a
    /// ground truth.
    static func kind(_ quality: FixQuality) -> Kind {
        switch quality {
        case .autonomous, .none, .manual, .simulated, .unknown: Kind(perHDOP: 4, floor: 3, withoutHDOP: 10)
        case .differential: Kind(perHDOP: 3, floor: 2, withoutHDOP: 5)
        case .precise: Kind(perHDOP: 2, floor: 1.5, withoutHDOP: 5)
        case .rtkFloat: Kind(perHDOP: 0.5, floor: 0.3, withoutHDOP: 1)
        case .rtkFixed: Kind(perHDOP: 0.03, floor: 0.1, withoutHDOP: 0.1)
        case .estimated: Kind(perHDOP: 10, floor: 10, withoutHDOP: 30)
        }
    }

    /// Autonomous with two frequencies. These receivers measure the ionosphere, so its share of the
    /// error budget, 2 to 5 m, drops out.
    static let twoFrequencies = Kind(perHDOP: 2.5, floor: 1.8, withoutHDOP: 10)
    /// The number of satellites with a signal in the L5 band that makes a fix dual-frequency: as
    /// many as a position needs.
    static let twoFrequencySatellites = 4
    /// Seconds after which a correction is obsolete, from the rate of change of the ionosphere and
    /// the usual timeout of receivers.
    static let maxCorrectionAge = 30.0

    // MARK: Adjustments: estimates without measurements

    /// The factor on R68 in two dimensions: the receiver assumes the height, and its error adds to
    /// the position error.
    static let twoDimensionFactor = 2.0
    /// The least R68 in metres per unit of HDOP in two dimensions.
    static let twoDimensionPerHDOP = 8.0
    /// Metres. The lower limit of R68 in two dimensions.
    static let twoDimensionFloor = 10.0
    /// The HDOP above which the geometry is bad.
    static let badHDOP = 5.0
    /// Additional metres per unit of HDOP above ``badHDOP``.
    static let perBadHDOP = 5.0
    /// Metres. The lower limit of R68 with a bad geometry.
    static let badHDOPFloor = 25.0
    /// The number of satellites up to which the receiver has no redundancy to check them against
    /// each other.
    static let fewSatellites = 4
    /// The factor on R68 with few satellites.
    static let fewSatellitesFactor = 1.5
    /// Metres. The lower limit of R68 with few satellites.
    static let fewSatellitesFloor = 6.0
    /// The additional relative error of a first fix after none. Logs that contain a restart
    /// converge within half a minute.
    static let firstFixExcess = 0.5
    /// Seconds in which the additional error declines to zero.
    static let firstFixSpan = 30.0
    /// Seconds without a fix after which the next fix counts as a first one.
    static let maxGap = 10.0
    /// The same limit in multiples of the usual interval, so that a receiver that reports every 12
    /// s has no gaps.
    static let maxGapInIntervals = 3.0

    // MARK: Dead reckoning

    /// Drift as a share of the distance since the last fix: heading and odometer of cars.
    static let driftPerMetre = 0.05
    /// Drift in metres per second: gyroscope bias while stationary and slow drift.
    static let driftPerSecond = 0.5
    /// Metres. The upper limit of the drift estimate.
    static let maxDrift = 1000.0

    // MARK: Evidence

    /// The median signal strength of the satellites used, in dB-Hz, below which signals pass
    /// through leaves, windows or walls. An open sky gives 40 to 47.
    static let weakSignal = 30
    /// The factor on R68 with weak signals.
    static let weakSignalFactor = 1.5
    /// The same limit for signals about half of which arrive only by reflection, in dB-Hz.
    static let veryWeakSignal = 25
    /// The factor on R68 with very weak signals.
    static let veryWeakSignalFactor = 2.5
    /// Seconds over which motion is compared with displacement.
    static let innovationSpan = 10.0
    /// R68 over the RMS of the displacement in 10 s that motion does not explain.
    ///
    /// An error with the correlation time tau changes in 10 s by sqrt(2 (1 - exp(-10 / tau))) of
    /// itself. In seven logs tau was 20 to 223 s along both axes, with a median of 62, which gives
    /// 0.55; 1.07 / 0.55 = 2.
    static let innovationToR68 = 2.0
    /// The share of the differences that a constant error of speed and course must explain to count
    /// against them alone. Six independent ten-second errors do so by chance once in thirty
    /// minutes: for an explained share of one in six, (1 - 0.5)^5.
    static let constantErrorShare = 0.5
    /// Seconds for which the evidence counts: the time in which multipath errors change.
    static let evidenceMemory = 60.0
    /// Metres per second. The constant error that any receiver's speed may have during the 10 s.
    static let speedBias = 0.05
    /// Metres per second by which a single velocity may differ from both of its neighbours: five
    /// times the noise under an open sky.
    static let maxVelocityNoise = 0.5
    /// Seconds by which filters may delay a receiver's speed relative to its position.
    static let speedLag = 1.0
    /// The allowance as a share of the distance travelled: half a degree of course, 1 % of speed.
    static let distanceErrorShare = 0.01
    /// The average speed in metres per second below which a receiver reports that it is stationary.
    static let standstillSpeed = 0.5
    /// Seconds of history in which the position walk of a stationary receiver is measured.
    static let walkSpan = 60.0
    /// R68 over a walk while stationary: of two positions that far apart, one is off by at least
    /// half the distance.
    static let walkToR68 = 0.5

    // MARK: Outliers

    /// R68 of both positions together, in multiples of which a step is too long for their errors.
    static let jumpToR68 = 5.0
    /// Metres. A shorter step is never an outlier: reflections between buildings shift positions so
    /// far.
    static let minJump = 30.0
    /// The same limit between fixes with carrier phase whose ambiguities are fixed.
    static let minFixedJump = 3.0
    /// The same limit with float ambiguities, which shift a position by metres when they are fixed.
    static let minFloatJump = 10.0
    /// Metres per second squared: braking and cornering of cars on dry roads reach 8, their usual
    /// acceleration 3; aircraft at take-off 3 to 5.
    static let maxAcceleration = 5.0
    /// Seconds for which the acceleration lasts: it then reached 100 m/s.
    static let accelerationSpan = 20.0
    /// Metres per second. The speed at the start of a track whose receiver reports none: that of
    /// fast trains.
    static let unknownSpeed = 100.0
    /// Metres per second. The greatest speed that two positions can show: airliners reach 300.
    static let maxImpliedSpeed = 350.0
    /// Seconds for which the last velocity predicts the next position: a vehicle can turn round in
    /// a longer time.
    static let maxPrediction = 3.0
    /// Seconds for which positions must agree on another place before it is accepted.
    static let jumpConfirmation = 2.0
    /// The number of positions that must agree on it.
    static let jumpPositions = 3
    /// Seconds after which positions that agree with nothing are stated with their distance.
    static let maxContradiction = 8.0
    /// The number of such positions that must have been held back.
    static let minContradictions = 4
    /// Metres per second by which a reported speed may differ from the one before.
    static let speedSlack = 10.0
    /// Metres by which a speed that agrees with the one before may exceed the step between two
    /// positions: receivers exist that repeat a position for seconds.
    static let maxSpeedExcess = 100.0

    /// The same in multiples of R68 of both positions together.
    static let speedErrorsToR68 = 2.0

    // MARK: Speed and course that the positions contradict

    /// Seconds over which speed and course are compared with the positions.
    static let contradictionSpans = [5.0, 10, 20, 50]
    /// The difference in multiples of R68 that no error of the positions explains.
    static let contradictionToR68 = 10.0
    /// Metres. The lower limit of that difference.
    static let minContradiction = 2.0
    /// Seconds by which the filter of a slow receiver delays the speed in a manoeuvre.
    static let maxSpeedLag = 3.0
    /// The share of each fifth of the span in a difference that grows steadily.
    static let steadyShare = 0.1...0.35
    /// The share of the limit below which the difference agrees.
    static let agreementShare = 0.3
    /// Metres per second. Below it receivers may hold their position although the device moves
    /// (static navigation).
    static let maxHeldSpeed = 2.5
    /// Degrees by which a course may differ from the direction of a movement while the speed is
    /// wrong.
    static let maxCourseDifference = 30.0
    /// The seconds of movement for which speed and course must agree with the positions again.
    static let agreementSpan = 60.0

    // MARK: Speed and course

    /// Metres per second per unit of HDOP. Data sheets of u-blox 8 to F9: 0.05 m/s, 50 %, under an
    /// open sky, which is 0.074 at 68 %.
    static let speedPerHDOP = 0.1
    /// Metres per second. The lower limit of the speed accuracy: RMC of older receivers has a
    /// resolution of a tenth of a knot.
    static let speedFloor = 0.1
    /// The assumed HDOP if none is known: 10 m over 4 m, as for the position.
    static let unknownHDOP = 2.5
    /// Metres per second. A larger reported speed error is invalid.
    static let absurdSpeedError = 1000.0
    /// The ratio of speed to speed accuracy below which the course accuracy is undefined. At this
    /// ratio it is 27 degrees.
    static let minSpeedToAccuracyRatio = 2.0
    /// Degrees. A larger reported course error is invalid.
    static let absurdCourseError = 90.0
}
