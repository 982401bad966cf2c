import Chronology
import NMEA
import Positioning

/// The report of one receiver, for display and for `io.sextant.Receiver`.
public struct ReceiverReport: Sendable, Equatable {
    /// The identifier of the receiver.
    public var id: ReceiverID
    /// A short unique name: "ttyACM0".
    public var name: String
    /// The path of its port.
    public var port: String
    /// The state of the receiver.
    public var health: ReceiverHealth
    /// A description of the fault; nil if there is none.
    public var detail: String?
    /// Whether it is the primary receiver, which streams without a named receiver use.
    public var isPrimary = false
    /// The smoothed R68 of its last fixes in metres, used to compare receivers; nil without a
    /// fix.
    public var horizontalAccuracy: Double?
    /// The input counts of its port.
    public var counts: InputCounts
    /// The number of completed epochs.
    public var epochs: Int
    /// The number of completed epochs with a position.
    public var fixes: Int
    /// The values that its other values contradict, and that were not used.
    public var contradicted: ContradictedValues
    /// The number of epochs per second; nil until two epochs were received.
    public var rate: Double?
    /// The time of its last epoch.
    public var lastEpoch: UTCTime?
    /// The text messages the receiver sent, newest last.
    public var texts: [String]
    /// Whether the receiver is simulated: it announced itself so, or it reports simulator mode.
    public var isSimulated: Bool
    /// The identity of the receiver, from the sentences it sent.
    public var identity: ReceiverIdentity
    /// The satellites it reports.
    public var sky: SkyView

    /// Returns the warning that the positions of a receiver are in another datum than WGS-84.
    public static func warning(ofDatum name: String) -> String {
        "its positions are in the datum \(name) and may be hundreds of metres off: set the receiver to WGS-84"
    }

    init(_ receiver: AttachedReceiver, at now: Instant) {
        let state = receiver.health(at: now)
        id = receiver.id
        name = receiver.name
        port = receiver.port
        health = state.health
        detail =
            state.unavailability?.detail ?? receiver.pipeline.lastEpoch?.datum.map(ReceiverReport.warning(ofDatum:))
        counts = receiver.counts
        epochs = receiver.pipeline.epochs
        fixes = receiver.pipeline.fixes
        contradicted = receiver.pipeline.contradicted
        rate = receiver.pipeline.period.map { 1000 / Double($0) }
        lastEpoch = receiver.pipeline.lastEpoch?.time
        texts = receiver.pipeline.texts
        isSimulated = receiver.pipeline.isSimulated
        identity = receiver.pipeline.identity
        sky = receiver.pipeline.skyView(at: now)
    }
}
