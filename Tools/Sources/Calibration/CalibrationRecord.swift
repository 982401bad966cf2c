import Positioning

/// One row of a calibration in machine-readable form.
package struct CalibrationRecord: Sendable, Encodable {
    /// The kind of row: `log`, `pool`, `short`, `source`, `drive` or `average`.
    package var kind: String
    /// The name of the file, the accuracy source, the fix quality or the windows.
    package var name: String
    package var epochs: Int
    /// The share of epochs with an error within R68.
    package var withinR68: Double?
    /// The share of epochs with an error within R95.
    package var withinR95: Double?
    /// The median R68, in metres.
    package var medianR68: Double?
    /// The smallest R68, in metres.
    package var minR68: Double?
    /// The 68th percentile of the errors, in metres.
    package var error68: Double?
    /// The 95th percentile of the errors, in metres.
    package var error95: Double?
    /// The share of epochs with an error within HDOP times a constant.
    package var withinPlain: Double?
    /// The share of epochs with an error within gpsd's claim scaled to 68 %.
    package var withinGpsd68: Double?
    /// The share of epochs with an error within gpsd's nominal 95 % claim.
    package var withinGpsd95: Double?
    /// The share of speeds with an error within `speedAccuracy`.
    package var withinSpeed: Double?

    private init(kind: String, name: String, figures own: ClaimCoverage) {
        self.kind = kind
        self.name = name
        epochs = own.epochs
        (withinR68, withinR95) = (own.share, own.wideShare)
        (medianR68, minR68) = (own.medianClaim, own.minClaim)
        (error68, error95) = (own.error(0.68), own.error(0.95))
    }

    private init(kind: String, name: String, figures comparison: ClaimComparison) {
        self.init(kind: kind, name: name, figures: comparison.sextant)
        withinPlain = comparison.plain.share
        (withinGpsd68, withinGpsd95) = (comparison.gpsd.share, comparison.gpsd.wideShare)
        withinSpeed = comparison.speed.share
    }

    package static func all(_ calibration: Calibration) -> [CalibrationRecord] {
        var records = calibration.atRest.map {
            CalibrationRecord(kind: "log", name: $0.log.file, figures: $0.comparison)
        }
        records.append(CalibrationRecord(kind: "pool", name: "all", figures: calibration.pool))
        records.append(CalibrationRecord(kind: "short", name: "under a minute", figures: calibration.short))
        for source in AccuracySource.allCases {
            if let coverage = calibration.pool.bySource[source] {
                records.append(CalibrationRecord(kind: "source", name: source.rawValue, figures: coverage))
            }
        }
        return records
            + calibration.drive.map {
                CalibrationRecord(kind: "drive", name: $0.quality.rawValue, figures: $0.comparison)
            }
            + calibration.averages.map {
                CalibrationRecord(kind: "average", name: $0.name, figures: $0.coverage)
            }
    }
}
