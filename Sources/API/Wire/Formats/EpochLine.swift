import Chronology
import Locator
import Positioning

/// One line of `sextant replay --emit fixes`: an epoch with or without a position. Unknown values
/// are absent.
package enum EpochLine: Encodable, Sendable, Equatable {
    /// An epoch with a position, with the keys of type `Location` in `io.sextant.Location`.
    case position(LocationMessage)
    /// An epoch without a position, with the remaining keys.
    case noPosition(NoPosition)

    /// An epoch in which the receiver had no position, or none that can be trusted.
    package struct NoPosition: Codable, Sendable, Equatable {
        /// UTC of the epoch.
        package var timestamp: String?
        /// Always "none".
        package var mode: FixMode
        /// The reason: "none", or an untrusted kind of fix ("manual", "simulated").
        package var quality: FixQuality
        /// The number of satellites used, as the receiver counts them.
        package var satellitesUsed: Int?
        /// The name of the receiver.
        package var receiver: String
    }

    /// Creates the line for a receiver's fix.
    package init(_ fix: Fix, receiver: String) {
        if let message = LocationMessage(Location(fix: fix, receiver: receiver)) {
            self = .position(message)
        } else {
            self = .noPosition(
                NoPosition(
                    timestamp: fix.time?.description, mode: fix.mode, quality: fix.quality,
                    satellitesUsed: fix.satellitesUsed,
                    receiver: receiver))
        }
    }

    /// Encodes the epoch itself, without a marker for the enum case.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .position(let message): try message.encode(to: encoder)
        case .noPosition(let message): try message.encode(to: encoder)
        }
    }
}
