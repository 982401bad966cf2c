import NMEA

/// What makers' own sentences say about the errors of the epoch, as they say it. ``AccuracyModel`` knows what each number means.
///
/// A number that was not stated is nil; which are believable is for the model to judge.
struct StatedErrors: Sendable {
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

    /// Metres; Garmin does not say at which probability.
    struct PGRMEErrors: Sendable {
        @Stated var horizontal: Double?
        @Stated var vertical: Double?
    }

    /// Metres, metres per second, degrees; SiRF does not say at which probability.
    struct PSRFEPEErrors: Sendable {
        @Stated var horizontal: Double?
        @Stated var vertical: Double?
        @Stated var speed: Double?
        @Stated var course: Double?
    }

    /// Metres, one sigma.
    struct PQTMEPEErrors: Sendable {
        @Stated var north: Double?
        @Stated var east: Double?
        @Stated var down: Double?
    }

    /// Metres, one sigma.
    struct CovarianceErrors: Sendable {
        @Stated var north: Double?
        @Stated var east: Double?
        @Stated var vertical: Double?
    }

    /// Metres.
    struct PQTMErrors: Sendable {
        @Stated var horizontal: Double?
    }

    /// Metres per second and degrees.
    struct VelocityErrors: Sendable {
        @Stated var speed: Double?
        @Stated var course: Double?
    }
}
