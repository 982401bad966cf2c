import Chronology
import Delivery
import NMEA
import Positioning

/// What is known of one receiver, for people and `io.sextant.Receiver`.
public struct ReceiverReport: Sendable, Equatable {
    /// The receiver.
    public var id: ReceiverID
    /// Short and unique: "ttyACM0".
    public var name: String
    /// Path of its port.
    public var port: String
    /// Where it stands.
    public var health: ReceiverHealth
    /// The same in words where something is wrong.
    public var detail: String?
    /// Whether it speaks for the device: streams that ask for no receiver follow it.
    public var isChosen = false
    /// Metres of R68, smoothed over its last fixes, by which receivers are compared; nil while it has no fix.
    public var horizontalAccuracy: Double?
    /// What became of its bytes.
    public var counts: InputCounts
    /// Epochs closed, and those of them with a position.
    public var epochs: Int
    /// See ``epochs``.
    public var fixes: Int
    /// Epochs per second; nil until two have been seen.
    public var rate: Double?
    /// Time of its last epoch.
    public var lastEpoch: UTCTime?
    /// What it says of itself, newest last.
    public var texts: [String]
    /// What it is, as far as it has told.
    public var identity: ReceiverIdentity
    /// Its sky.
    public var sky: SkyView

    init(_ track: ReceiverTrack, at now: Instant) {
        let judged = track.judge(at: now)
        id = track.id
        name = track.name
        port = track.port
        health = judged.health
        detail = judged.unavailability?.detail
        counts = track.counts
        epochs = track.pipeline.epochs
        fixes = track.pipeline.fixes
        rate = track.pipeline.period.map { 1000 / Double($0) }
        lastEpoch = track.pipeline.lastEpoch?.time
        texts = track.pipeline.texts
        identity = track.pipeline.identity
        sky = track.pipeline.skyView(at: now)
    }
}
