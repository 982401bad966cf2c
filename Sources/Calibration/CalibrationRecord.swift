import Positioning

/// A row of a calibration for programs.
public struct CalibrationRecord: Sendable, Encodable {
    /// `log`, `pool`, `short`, `source` or `drive`.
    public var kind: String
    /// The file, the source or the quality.
    public var name: String
    /// Epochs counted.
    public var epochs: Int
    /// Share of them within R68.
    public var withinR68: Double?
    /// Share within R95.
    public var withinR95: Double?
    /// Metres.
    public var medianR68: Double?
    /// Metres.
    public var smallestR68: Double?
    /// Metres that 68 % of the errors do not exceed.
    public var error68: Double?
    /// Metres that 95 % do not exceed.
    public var error95: Double?
    /// Share within HDOP times a constant and no more.
    public var withinPlain: Double?
    /// Share within gpsd's claim scaled to 68 %.
    public var withinGpsd68: Double?
    /// Share within its nominal 95 %.
    public var withinGpsd95: Double?
    /// Share of speeds within speedAccuracy.
    public var withinSpeed: Double?

    private init(_ kind: String, _ name: String, _ own: Coverage) {
        (self.kind, self.name, epochs) = (kind, name, own.epochs)
        (withinR68, withinR95) = (own.share, own.wideShare)
        (medianR68, smallestR68) = (own.medianClaim, own.smallestClaim)
        (error68, error95) = (own.error(0.68), own.error(0.95))
    }

    private init(_ kind: String, _ name: String, _ comparison: Comparison) {
        self.init(kind, name, comparison.sextant)
        withinPlain = comparison.plain.share
        (withinGpsd68, withinGpsd95) = (comparison.gpsd.share, comparison.gpsd.wideShare)
        withinSpeed = comparison.speed.share
    }

    /// Every row of a calibration.
    public static func all(_ calibration: Calibration) -> [CalibrationRecord] {
        var records = calibration.atRest.map { CalibrationRecord("log", $0.log.file, $0.comparison) }
        records.append(CalibrationRecord("pool", "all", calibration.pool))
        records.append(CalibrationRecord("short", "under a minute", calibration.short))
        for source in AccuracySource.allCases {
            if let coverage = calibration.pool.bySource[source] { records.append(CalibrationRecord("source", source.rawValue, coverage)) }
        }
        return records + calibration.drive.map { CalibrationRecord("drive", $0.quality.rawValue, $0.comparison) }
    }
}
