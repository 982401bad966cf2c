import NMEA

/// What the receiver itself says about the errors of an epoch, best source first, as 68 % values.
enum ReceiverEstimate {
    /// R68 and where it comes from; nil where the epoch holds no estimate that can be one.
    static func horizontal(_ epoch: Epoch) -> (radius: Double, source: AccuracySource)? {
        let errors = epoch.errors
        let rootMeanSquare = AccuracyConstants.rootMeanSquareToR68
        if let radius = plausible(epoch.pubx?.horizontalAccuracy) { return (radius * rootMeanSquare, .pubx) }
        if let radius = plausible(ErrorAxes(errors.covariance.north, errors.covariance.east)?.r68) { return (radius, .pstmkfcov) }
        if let radius = plausible(ErrorAxes(errors.pqtmepe.north, errors.pqtmepe.east)?.r68) { return (radius, .pqtmepe) }
        if let radius = plausible(errors.pqtm.horizontal) { return (radius * rootMeanSquare, .pqtmgps) }
        if let gst = epoch.gst, let radius = plausible(of: gst) { return (radius, .gst) }
        if let radius = plausible(errors.psrfepe.horizontal) { return (radius * rootMeanSquare, .psrfepe) }
        if let radius = plausible(errors.pgrme.horizontal) { return (radius * AccuracyConstants.medianToR68, .pgrme) }
        if let radius = plausible(ErrorAxes(epoch.gbs?.latitudeError, epoch.gbs?.longitudeError)?.r68) { return (radius, .gbs) }
        return nil
    }

    /// Metres, one standard deviation of the height, which holds 68 %.
    static func vertical(_ epoch: Epoch) -> Double? {
        let errors = epoch.errors
        return plausible(epoch.pubx?.verticalAccuracy) ?? plausible(errors.covariance.vertical) ?? plausible(errors.pqtmepe.down)
            ?? plausible(epoch.gst?.altitudeError) ?? plausible(errors.psrfepe.vertical)
            ?? plausible(errors.pgrme.vertical).map { $0 * AccuracyConstants.medianToOneSigma } ?? plausible(epoch.gbs?.altitudeError)
    }

    /// Metres per second.
    static func speed(_ epoch: Epoch) -> Double? {
        let most = AccuracyConstants.absurdSpeedError
        return plausible(epoch.errors.velocity.speed, below: most) ?? plausible(epoch.errors.psrfepe.speed, below: most)
    }

    /// Degrees.
    static func course(_ epoch: Epoch) -> Double? {
        let most = AccuracyConstants.absurdCourseError
        return plausible(epoch.errors.velocity.course, below: most) ?? plausible(epoch.errors.psrfepe.course, below: most)
    }

    /// The ellipse where makers scale it as the standard has it, else latitude and longitude.
    private static func plausible(of gst: GST) -> Double? {
        guard let axes = ErrorAxes(gst.latitudeError, gst.longitudeError), let radius = plausible(axes.r68) else { return nil }
        guard let ellipse = ErrorAxes(gst.semiMajorError, gst.semiMinorError),
            AccuracyConstants.believableEllipse.contains(ellipse.rootMeanSquare / axes.rootMeanSquare)
        else { return radius }
        return ellipse.r68OfEllipse
    }

    private static func plausible(_ stated: Double?, below most: Double = AccuracyConstants.absurdError) -> Double? {
        guard let stated, stated > 0, stated < most else { return nil }
        return stated
    }
}
