import Chronology
import Delivery
import Locator
import Positioning

/// `io.sextant.Receiver`, type `Receiver`.
public struct ReceiverMessage: Codable, Sendable, Equatable {
    /// Short, stable while plugged in, unique: "ttyACM0".
    public var name: String
    /// Path of the port.
    public var port: String
    /// What the port says it is: the USB product, or the description of its kind. Absent when nothing is known.
    public var product: String?
    /// USB vendor and product number, hexadecimal: "1546:01a8".
    public var usb: String?
    /// USB serial number.
    public var serialNumber: String?
    /// What the receiver is, by its own sentences. Absent while it has told nothing.
    public var identity: IdentityMessage?
    /// What the receiver says of itself in text sentences, newest last.
    public var says: [String]
    /// Bits per second; absent while unknown and for ports without a speed.
    public var baud: Int?
    /// Where it stands.
    public var state: ReceiverHealth
    /// The state in words, naming the reason and the mend where something is wrong.
    public var detail: String?
    /// Epochs per second, over the last epochs.
    public var rate: Double?
    /// UTC of its last epoch.
    public var lastEpoch: String?
    /// What it was told. Absent where nobody has tried to tell it anything.
    public var driver: DriverMessage?
    /// Whether clients get its positions who ask for no receiver.
    public var isChosen: Bool
    /// Metres: R68 of its positions, smoothed, by which receivers are compared. Absent while it has no fix.
    public var horizontalAccuracy: Double?
    /// What became of its bytes.
    public var counts: CountsMessage
    /// Dilution of precision: position, horizontal, vertical.
    public var pdop: Double?
    /// See ``pdop``.
    public var hdop: Double?
    /// See ``pdop``.
    public var vdop: Double?
    /// Satellites in view; one entry per system, number and signal.
    public var satellites: [SatelliteMessage]

    /// The message of a report; what only the edge knows (product, speed) is set afterwards.
    public init(_ report: ReceiverReport) {
        name = report.name
        port = report.port
        identity = IdentityMessage(report.identity)
        says = report.texts
        state = report.health
        detail = report.detail
        rate = report.rate.map { Rounded.fine($0) }
        lastEpoch = report.lastEpoch?.description
        isChosen = report.isChosen
        horizontalAccuracy = Rounded.fine(report.horizontalAccuracy)
        counts = CountsMessage(report)
        pdop = report.sky.pdop
        hdop = report.sky.hdop
        vdop = report.sky.vdop
        satellites = report.sky.satellites.map(SatelliteMessage.init)
    }
}

/// `io.sextant.Receiver`, type `Satellite`.
public struct SatelliteMessage: Codable, Sendable, Equatable {
    /// The constellation.
    public var system: Constellation
    /// Number within its system, as the field counts it. Absent: a GLONASS satellite whose slot is not known yet.
    public var number: Int?
    /// NMEA 4.10 signal id. Absent before 4.10.
    public var signal: Int?
    /// Degrees above the horizon.
    public var elevation: Int?
    /// Degrees clockwise from true north.
    public var azimuth: Int?
    /// Carrier to noise density, dB-Hz. Absent: not tracked.
    public var carrierToNoise: Int?
    /// Used in the fix.
    public var used: Bool

    /// The message of a satellite.
    public init(_ satellite: Satellite) {
        system = satellite.system
        number = satellite.number
        signal = satellite.signal
        elevation = satellite.elevation
        azimuth = satellite.azimuth
        carrierToNoise = satellite.carrierToNoise
        used = satellite.used
    }
}
