import NMEA

/// The receiver's own error estimates of an epoch, best source first, as 68 % values.
enum ReceiverEstimate {
    /// Returns R68 in metres and its source; nil if the epoch has no plausible estimate.
    static func horizontal(_ epoch: Epoch) -> (radius: Double, source: AccuracySource)? {
        let errors = epoch.errors
        let rootMeanSquare = AccuracyConstants.rootMeanSquareToR68
        if let radius = plausible(epoch.pubx?.horizontalAccuracy) { return (radius * rootMeanSquare, .pubx) }
        if let radius = plausible(ErrorAxes(north: errors.covariance.north, east: errors.covariance.east)?.r68) {
            return (radius, .pstmkfcov)
        }
        if let radius = plausible(ErrorAxes(north: errors.pqtmepe.north, east: errors.pqtmepe.east)?.r68) {
            return (radius, .pqtmepe)
        }
        if let radius = plausible(errors.pqtm.horizontal) { return (radius * rootMeanSquare, .pqtmgps) }
        if let gst = epoch.gst, let radius = plausible(of: gst) { return (radius, .gst) }
        if let radius = plausible(
            ErrorAxes(north: epoch.gfa?.semiMajorError, east: epoch.gfa?.semiMinorError)?.r68OfEllipse)
        {
            return (radius, .gfa)
        }
        if let radius = plausible(errors.pqxfi.horizontal) { return (radius * rootMeanSquare, .pqxfi) }
        if let radius = plausible(of: errors.pglor) { return (radius, .pglor) }
        if let radius = plausible(errors.psrfepe.horizontal) { return (radius * rootMeanSquare, .psrfepe) }
        if let radius = plausible(errors.pgrme.horizontal) { return (radius * AccuracyConstants.medianToR68, .pgrme) }
        if let radius = plausible(ErrorAxes(north: epoch.gbs?.latitudeError, east: epoch.gbs?.longitudeError)?.r68) {
            return (radius, .gbs)
        }
        return nil
    }

    /// Returns one standard deviation of the height in metres, which is the 68 % value.
    static func vertical(_ epoch: Epoch) -> Double? {
        let errors = epoch.errors
        let best: Double? =
            plausible(epoch.pubx?.verticalAccuracy) ?? plausible(errors.covariance.vertical)
            ?? plausible(errors.pqtmepe.down)
        let next: Double? =
            best ?? plausible(epoch.gst?.altitudeError) ?? plausible(epoch.gfa?.altitudeError)
            ?? plausible(errors.pqxfi.vertical)
        return next ?? plausible(errors.pglor.vertical) ?? plausible(errors.psrfepe.vertical)
            ?? plausible(errors.pgrme.vertical).map { $0 * AccuracyConstants.medianToOneSigma }
            ?? plausible(epoch.gbs?.altitudeError)
    }

    /// Returns the speed accuracy in metres per second.
    static func speed(_ epoch: Epoch) -> Double? {
        let limit = AccuracyConstants.absurdSpeedError
        return plausible(epoch.errors.velocity.speed, below: limit) ?? plausible(epoch.errors.pqxfi.speed, below: limit)
            ?? plausible(epoch.errors.pglor.speed, below: limit) ?? plausible(epoch.errors.psrfepe.speed, below: limit)
    }

    /// Returns the course accuracy in degrees.
    static func course(_ epoch: Epoch) -> Double? {
        let limit = AccuracyConstants.absurdCourseError
        return plausible(epoch.errors.velocity.course, below: limit)
            ?? plausible(epoch.errors.pglor.course, below: limit)
            ?? plausible(epoch.errors.psrfepe.course, below: limit)
    }

    /// Returns R68 by the error ellipse, or by the one horizontal error as that of each axis, which
    /// is the larger of its possible meanings.
    private static func plausible(of pglor: ReportedErrors.PGLORErrors) -> Double? {
        plausible(ErrorAxes(north: pglor.semiMajor, east: pglor.semiMinor)?.r68OfEllipse)
            ?? plausible(ErrorAxes(north: pglor.horizontal, east: pglor.horizontal)?.r68)
    }

    /// Returns R68 by the error ellipse if the manufacturer scales it as the standard requires,
    /// otherwise by the latitude and longitude errors.
    private static func plausible(of gst: GST) -> Double? {
        guard let axes = ErrorAxes(north: gst.latitudeError, east: gst.longitudeError), let radius = plausible(axes.r68)
        else {
            return nil
        }
        guard let ellipse = ErrorAxes(north: gst.semiMajorError, east: gst.semiMinorError),
            AccuracyConstants.plausibleEllipseRatio.contains(ellipse.rootMeanSquare / axes.rootMeanSquare)
        else { return radius }
        return ellipse.r68OfEllipse
    }

    private static func plausible(_ reported: Double?, below limit: Double = AccuracyConstants.maxPlausibleError)
        -> Double?
    {
        guard let reported, reported > 0, reported < limit else { return nil }
        return reported
    }
}

/// Standard deviations along two perpendicular axes, and the radius that contains 68 % of such
/// errors.
struct ErrorAxes {
    var north: Double
    var east: Double

    /// Creates the axes. Returns nil unless both values are reported and valid as errors.
    init?(north: Double?, east: Double?) {
        guard let north, let east, north >= 0, east >= 0 else { return nil }
        (self.north, self.east) = (north, east)
    }

    /// The root of the summed squares, in metres.
    var rootMeanSquare: Double { (north * north + east * east).squareRoot() }

    /// R68 in metres if the correlation of the axes is unknown. The true ellipse may be longer than
    /// the axes indicate.
    var r68: Double { rootMeanSquare * AccuracyConstants.rootMeanSquareToR68 }

    /// R68 in metres if the axes are those of the error ellipse itself, so that its shape is known.
    var r68OfEllipse: Double {
        let longer = max(north, east)
        guard longer > 0 else { return 0 }
        let table = AccuracyConstants.ellipseToR68
        let index = min(north, east) / longer * Double(table.count - 1)
        let below = min(Int(index), table.count - 2)
        return rootMeanSquare * (table[below] + (table[below + 1] - table[below]) * (index - Double(below)))
    }
}
