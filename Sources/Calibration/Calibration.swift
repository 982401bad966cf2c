import Positioning

/// What the logs say of the accuracy model: how often the truth was within what was claimed.
public struct Calibration: Sendable {
    /// One log.
    public struct Entry: Sendable {
        /// Which.
        public let log: RecordedLog
        /// What came of it.
        public let comparison: Comparison
    }

    /// One kind of fix on the drive.
    public struct DriveClass: Sendable {
        /// How its positions were made.
        public let quality: FixQuality
        /// Errors with the lever arm taken out of carrier phase.
        public let comparison: Comparison
        /// Errors as they are.
        public let withLever: Comparison
    }

    /// Receivers at rest for a minute and longer.
    public private(set) var atRest: [Entry] = []
    /// Those of them pooled by epoch.
    ///
    /// A log counts by its length: an hour of one receiver is not more evidence than a minute of sixty, but its minutes are more evidence
    /// than its seconds. ``meanOfLogs`` gives each log one vote.
    public private(set) var pool = Comparison()
    /// Shorter logs, pooled.
    public private(set) var short = Comparison()
    /// The drive by quality, best first.
    public private(set) var drive: [DriveClass] = []
    /// Metres from the reference's antenna to the receiver's, ahead and to the right.
    public private(set) var lever: (ahead: Double, right: Double)?
    /// Fixes that it was estimated from.
    public private(set) var leverEpochs = 0

    /// Plays every log into the core.
    ///
    /// - Parameter read: The bytes of a file below the folder of captures; what it throws ends the calibration.
    public init(_ read: (String) throws -> [UInt8]) rethrows {
        for log in RecordedLog.atRest {
            let comparison = StandingReceiver.compare(RecordedLog.fixes(try read(log.file)))
            atRest.append(Entry(log: log, comparison: comparison))
            pool.count(comparison)
        }
        for log in RecordedLog.shortAtRest { short.count(StandingReceiver.compare(RecordedLog.fixes(try read(log.file)))) }
        let drive = Drive(RecordedLog.fixes(try read(RecordedLog.drive.file)), ReferenceTrack(try read(RecordedLog.driveReference)))
        (lever, leverEpochs) = (drive.lever, drive.leverEpochs)
        let (without, with) = (drive.compare(withoutLever: true), drive.compare(withoutLever: false))
        for quality in [FixQuality.rtkFixed, .rtkFloat, .differential, .autonomous] {
            guard let comparison = without[quality], let raw = with[quality] else { continue }
            self.drive.append(DriveClass(quality: quality, comparison: comparison, withLever: raw))
        }
    }

    /// The mean of the logs' shares within R68: each log one vote, however long.
    public var meanOfLogs: Double? {
        let shares = atRest.compactMap(\.comparison.sextant.share)
        return shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count)
    }
}
