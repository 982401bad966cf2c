import NMEA

/// The errors of the epoch as proprietary sentences report them. ``AccuracyModel`` defines the
/// meaning of each number.
///
/// A number that is not reported is nil. The model decides which numbers are plausible.
struct ReportedErrors: Sendable {
    /// `PGRME` (Garmin): expected errors.
    var pgrme = PGRMEErrors()
    /// `PSRFEPE` (SiRF): expected errors of position, speed and course.
    var psrfepe = PSRFEPEErrors()
    /// `PQTMEPE` (Quectel): errors along the axes.
    var pqtmepe = PQTMEPEErrors()
    /// `PSTMKFCOV` (ST): the Kalman filter's position errors along the axes.
    var covariance = CovarianceErrors()
    /// `PQTMGPS` (Quectel).
    var pqtm = PQTMErrors()
    /// `PQTMVEL` (Quectel).
    var velocity = VelocityErrors()
    /// `PQXFI` (Qualcomm).
    var pqxfi = PQXFIErrors()
    /// `PGLOR,UNC` (Broadcom).
    var pglor = PGLORErrors()

    /// Metres and metres per second, 68 % along each axis.
    struct PQXFIErrors: Sendable {
        @Reported var horizontal: Double?
        @Reported var vertical: Double?
        @Reported var speed: Double?
    }

    /// Metres, metres per second and degrees, one sigma.
    struct PGLORErrors: Sendable {
        @Reported var horizontal: Double?
        @Reported var vertical: Double?
        @Reported var semiMajor: Double?
        @Reported var semiMinor: Double?
        @Reported var speed: Double?
        @Reported var course: Double?
    }

    /// Metres; Garmin does not specify the probability.
    struct PGRMEErrors: Sendable {
        @Reported var horizontal: Double?
        @Reported var vertical: Double?
    }

    /// Metres, metres per second, degrees; SiRF does not specify the probability.
    struct PSRFEPEErrors: Sendable {
        @Reported var horizontal: Double?
        @Reported var vertical: Double?
        @Reported var speed: Double?
        @Reported var course: Double?
    }

    /// Metres, one sigma.
    struct PQTMEPEErrors: Sendable {
        @Reported var north: Double?
        @Reported var east: Double?
        @Reported var down: Double?
    }

    /// Metres, one sigma.
    struct CovarianceErrors: Sendable {
        @Reported var north: Double?
        @Reported var east: Double?
        @Reported var vertical: Double?
    }

    /// Metres.
    struct PQTMErrors: Sendable {
        @Reported var horizontal: Double?
    }

    /// Metres per second and degrees.
    struct VelocityErrors: Sendable {
        @Reported var speed: Double?
        @Reported var course: Double?
    }
}
