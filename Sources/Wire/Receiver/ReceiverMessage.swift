import Chronology
import Delivery
import Locator
import Positioning

/// `io.sextant.Receiver`, type `Receiver`.
public struct ReceiverMessage: Codable, Sendable, Equatable {
    public var name: String
    public var port: String
    public var product: String?
    public var usb: String?
    public var serialNumber: String?
    public var says: [String]
    public var baud: Int?
    public var state: ReceiverHealth
    public var detail: String?
    public var rate: Double?
    public var lastEpoch: String?
    public var counts: CountsMessage
    public var pdop: Double?
    public var hdop: Double?
    public var vdop: Double?
    public var satellites: [SatelliteMessage]

    /// The message of a report; what only the edge knows (product, speed) is set afterwards.
    public init(_ report: ReceiverReport) {
        name = report.name
        port = report.port
        says = report.texts
        state = report.health
        detail = report.detail
        rate = report.rate.map { Rounded.fine($0) }
        lastEpoch = report.lastEpoch?.description
        counts = CountsMessage(report)
        pdop = report.sky.pdop
        hdop = report.sky.hdop
        vdop = report.sky.vdop
        satellites = report.sky.satellites.map(SatelliteMessage.init)
    }
}

/// `io.sextant.Receiver`, type `Satellite`.
public struct SatelliteMessage: Codable, Sendable, Equatable {
    public var system: Constellation
    public var number: Int?
    public var signal: Int?
    public var elevation: Int?
    public var azimuth: Int?
    public var carrierToNoise: Int?
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
