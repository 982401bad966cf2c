import Chronology
import Delivery
import Positioning

/// One line of `sextant replay --emit fixes`: an epoch, with or without a position. Unknown values are absent.
public enum EpochLine: Encodable, Sendable, Equatable {
    /// The same keys as `io.sextant.Location`'s type `Location`.
    case position(LocationMessage)
    /// What is left of them without one.
    case noPosition(NoPosition)

    /// An epoch in which the receiver had no position, or none that may be believed.
    public struct NoPosition: Codable, Sendable, Equatable {
        /// UTC of the epoch.
        public var timestamp: String?
        /// Always "none".
        public var mode: FixMode
        /// Why: "none", or a kind that is not believed ("manual", "simulated").
        public var quality: FixQuality
        /// Satellites used, as the receiver counts them.
        public var satellitesUsed: Int?
        /// The receiver's name.
        public var receiver: String
    }

    /// The line of a receiver's fix.
    public init(_ fix: Fix, receiver: String) {
        if let message = LocationMessage(Location(fix: fix, receiver: receiver)) {
            self = .position(message)
        } else {
            self = .noPosition(
                NoPosition(
                    timestamp: fix.time?.description, mode: fix.mode, quality: fix.quality, satellitesUsed: fix.satellitesUsed,
                    receiver: receiver))
        }
    }

    /// Encodes the epoch itself, with no mark of the case.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .position(let message): try message.encode(to: encoder)
        case .noPosition(let message): try message.encode(to: encoder)
        }
    }
}
