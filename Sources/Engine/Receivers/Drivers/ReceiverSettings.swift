import Locator

/// The settings of a working receiver.
struct ReceiverSettings: Sendable, Equatable {
    /// The fix period in milliseconds; nil if unknown.
    var period: Int?
    /// The dynamic platform model; nil if unknown.
    var dynamics: Dynamics? = .any
    var allowsPowerSave = false
    /// Whether a sentence with an error estimate was enabled.
    var outputsErrorEstimate = false

    /// Resets the settings after a restart of the receiver.
    mutating func reset() {
        self = ReceiverSettings()
    }
}

/// The settings that failed with a receiver.
struct UnsupportedSettings: Sendable, Equatable {
    /// The purposes of commands that the receiver refused, or that silenced it.
    var purposes: Set<CommandSequence.Purpose> = []
    /// Periods that the receiver did not keep, in milliseconds.
    var periods: Set<Int> = []
}
