import Positioning

/// The test of the accuracy model against recorded logs: how often the true position lies within
/// the claimed accuracy.
package struct Calibration: Sendable {
    /// The result for one log.
    package struct Entry: Sendable {
        package let log: RecordedLog
        /// The claims compared with the errors of this log.
        package let comparison: ClaimComparison
    }

    /// The results for all fixes of one quality on the drive.
    package struct DriveClass: Sendable {
        package let quality: FixQuality
        /// The comparison with the lever arm removed from the errors of carrier-phase fixes.
        package let comparison: ClaimComparison
        /// The comparison with the errors as measured.
        package let withLever: ClaimComparison
    }

    /// The logs of stationary receivers that last one minute or longer.
    package private(set) var atRest: [Entry] = []
    /// The epochs of ``atRest``, pooled.
    ///
    /// Each log counts by its length. One hour of one receiver is not more evidence than one minute
    /// of sixty receivers, but a minute is more evidence than a second. ``meanOfLogs`` gives each
    /// log the same weight.
    package private(set) var pool = ClaimComparison()
    /// The epochs of the shorter logs, pooled.
    package private(set) var short = ClaimComparison()
    /// The results of the drive by fix quality, best quality first.
    package private(set) var drive: [DriveClass] = []
    /// The lever arm from the reference antenna to the receiver antenna, in metres ahead and to the
    /// right.
    package private(set) var lever: (ahead: Double, right: Double)?
    /// The number of fixes from which the lever arm was estimated.
    package private(set) var leverEpochs = 0
    /// The averages of receivers at rest.
    package private(set) var averages: [AverageCoverage] = []

    /// Replays every log through the core.
    ///
    /// - Parameter read: Returns the bytes of a file below the captures folder. An error that it
    ///   throws ends the calibration.
    package init(_ read: (String) throws -> [UInt8]) rethrows {
        var fixesAtRest: [[Fix]] = []
        for log in RecordedLog.atRest {
            let fixes = RecordedLog.fixes(try read(log.file))
            fixesAtRest.append(fixes)
            let comparison = StationaryReceiver.compare(fixes)
            atRest.append(Entry(log: log, comparison: comparison))
            pool.count(comparison)
        }
        for log in RecordedLog.shortAtRest {
            short.count(StationaryReceiver.compare(RecordedLog.fixes(try read(log.file))))
        }
        let drive = Drive(
            RecordedLog.fixes(try read(RecordedLog.drive.file)),
            reference: ReferenceTrack(try read(RecordedLog.driveReference)))
        (lever, leverEpochs) = (drive.lever, drive.leverEpochs)
        let (without, with) = (drive.compare(withoutLever: true), drive.compare(withoutLever: false))
        for quality in [FixQuality.rtkFixed, .rtkFloat, .differential, .autonomous] {
            guard let comparison = without[quality], let raw = with[quality] else { continue }
            self.drive.append(DriveClass(quality: quality, comparison: comparison, withLever: raw))
        }
        averages = AverageCoverage.recorded(fixesAtRest)
    }

    /// The mean over the logs of the share within R68. Each log has the same weight, regardless of
    /// its length.
    package var meanOfLogs: Double? {
        let shares = atRest.compactMap(\.comparison.sextant.share)
        return shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count)
    }
}
