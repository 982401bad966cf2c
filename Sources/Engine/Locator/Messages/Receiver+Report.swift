import NMEA
import Positioning
import SextantAPI
import Varlink

extension Receiver {
    /// Creates the message for a report. The caller sets what the report does not contain: product,
    /// USB and serial number, baud rate, driver and corrections.
    package init(_ report: ReceiverReport) {
        self.init(
            name: report.name, port: report.port, identity: ReportedIdentity(report.identity),
            simulated: report.isSimulated ? true : nil, says: report.texts, state: report.health,
            detail: report.detail, rate: report.rate, lastEpoch: report.lastEpoch,
            isPrimary: report.isPrimary, horizontalAccuracy: report.horizontalAccuracy, counts: ReceiverCounts(report),
            pdop: report.sky.pdop, hdop: report.sky.hdop, vdop: report.sky.vdop,
            satellites: report.sky.satellites.map(Satellite.init))
    }

    /// The receiver without what depends on its position: satellites, accuracy, times, texts and
    /// corrections, whose source is near.
    package var withoutPosition: Receiver {
        var message = self
        message.says = []
        message.lastEpoch = nil
        message.horizontalAccuracy = nil
        message.pdop = nil
        message.hdop = nil
        message.vdop = nil
        message.satellites = []
        message.corrections = nil
        return message
    }
}

extension Satellite {
    /// Creates the message for a satellite.
    package init(_ satellite: VisibleSatellite) {
        self.init(
            system: satellite.system, number: satellite.number, signal: satellite.signal,
            elevation: satellite.elevation, azimuth: satellite.azimuth, carrierToNoise: satellite.carrierToNoise,
            used: satellite.used)
    }
}

extension ReportedIdentity {
    /// Creates the message for an identity, or nil when nothing is known.
    package init?(_ identity: ReceiverIdentity) {
        guard identity.isKnown else { return nil }
        self.init(
            vendor: identity.vendor, module: identity.module, chipset: identity.chipset, firmware: identity.firmware,
            protocolVersion: identity.protocolVersion)
    }
}

extension ReceiverCounts {
    package init(_ report: ReceiverReport) {
        let counts = report.counts
        let contradicted = report.contradicted
        self.init(
            bytes: counts.bytes, sentences: counts.sentences, unknown: counts.unknown, epochs: report.epochs,
            fixes: report.fixes, checksumErrors: counts.checksumErrors, missingChecksums: counts.missingChecksums,
            overlong: counts.overlong, truncated: counts.truncated, malformed: counts.malformed,
            strayBytes: counts.strayBytes, outliers: contradicted.positions > 0 ? contradicted.positions : nil,
            contradictedSpeeds: contradicted.speeds > 0 ? contradicted.speeds : nil,
            contradictedCourses: contradicted.courses > 0 ? contradicted.courses : nil)
    }
}

extension UnconfirmedPort {
    /// Creates the message for a port.
    package init(_ unconfirmed: UnconfirmedPortReport) {
        self.init(
            name: unconfirmed.name, port: unconfirmed.port, state: unconfirmed.health,
            cause: unconfirmed.unavailability.cause, detail: unconfirmed.unavailability.detail)
    }
}

extension Receivers {
    /// The reply as JSON, with its members in the order of the interface file. A client that
    /// watches receivers gets it once a second, with all satellites.
    package var encoded: EncodedObject {
        EncodedObject(inOrder: self, capacity: 1024 + receivers.reduce(0) { $0 + $1.satellites.count * 128 })
    }
}
