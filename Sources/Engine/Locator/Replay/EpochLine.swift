import Chronology
import Positioning
import SextantAPI
import Varlink

/// One line of `sextant replay --emit fixes`: an epoch with or without a position. Unknown values
/// are absent.
package struct EpochLine: Encodable, Sendable, Equatable {
    /// With a position, those of type `Location` in `io.sextant.Location`; else those that remain.
    private var members: [String: JSONValue]

    /// Creates the line for a receiver's fix.
    package init(_ fix: Fix, receiver: String) {
        if let message = Location(ReceiverFix(fix: fix, receiver: receiver)) {
            members = message.members
        } else {
            members = [
                "mode": .string(fix.mode.rawValue), "quality": .string(fix.quality.rawValue),
                "receiver": .string(receiver),
            ]
            members["timestamp"] = fix.time.map { .string($0.description) }
            members["satellitesUsed"] = fix.satellitesUsed.map { .int(Int64($0)) }
        }
    }

    package func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
