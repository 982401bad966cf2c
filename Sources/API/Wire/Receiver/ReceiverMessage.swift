import Chronology
import Locator
import NMEA
import Positioning

/// The type `Receiver` of `io.sextant.Receiver`.
package struct ReceiverMessage: Codable, Sendable, Equatable {
    /// A short unique name, stable while the receiver is plugged in: "ttyACM0".
    package var name: String
    /// The path of the port.
    package var port: String
    /// The USB product, or the description of the port type. Absent when nothing is known.
    package var product: String?
    /// The USB vendor and product ID, hexadecimal: "1546:01a8".
    package var usb: String?
    /// The USB serial number.
    package var serialNumber: String?
    /// The identity from the receiver's own sentences. Absent until the receiver reports any.
    package var identity: IdentityMessage?
    /// True if the receiver is simulated. Absent otherwise.
    package var simulated: Bool?
    /// The latest text sentences of the receiver, newest last.
    package var says: [String]
    /// True if the sentences come from a program, mostly from a network. Absent otherwise.
    package var network: Bool?
    /// The baud rate in bits per second. Absent while unknown and for ports without a speed.
    package var baud: Int?
    /// The current state.
    package var state: ReceiverHealth
    /// The state as text, with the reason and how to fix it if there is a problem.
    package var detail: String?
    /// The number of epochs per second, over the last epochs.
    package var rate: Double?
    /// UTC of the last epoch.
    package var lastEpoch: String?
    /// The state of the driver. Absent if no driver has tried to configure the receiver.
    package var driver: DriverMessage?
    /// Whether this is the primary receiver, whose positions go to clients that select no receiver.
    package var isPrimary: Bool
    /// The smoothed R68 of the positions in metres, used to compare receivers. Absent without a
    /// fix.
    package var horizontalAccuracy: Double?
    /// The counters of input and errors.
    package var counts: CountsMessage
    /// The dilution of precision: position. ``hdop`` and ``vdop`` are horizontal and vertical.
    package var pdop: Double?
    /// See ``pdop``.
    package var hdop: Double?
    /// See ``pdop``.
    package var vdop: Double?
    /// The satellites in view, with one entry per system, number and signal.
    package var satellites: [SatelliteMessage]
    /// The corrections that were written to the receiver. Absent without.
    package var corrections: CorrectionMessage?

    /// Creates the message for a report. The caller sets what the report does not contain: product,
    /// USB and serial number, baud rate, driver and corrections.
    package init(_ report: ReceiverReport) {
        name = report.name
        port = report.port
        identity = IdentityMessage(report.identity)
        simulated = report.isSimulated ? true : nil
        says = report.texts
        state = report.health
        detail = report.detail
        rate = report.rate.map { WireRounding.thousandths($0) }
        lastEpoch = report.lastEpoch?.description
        isPrimary = report.isPrimary
        horizontalAccuracy = WireRounding.thousandths(report.horizontalAccuracy)
        counts = CountsMessage(report)
        pdop = WireRounding.thousandths(report.sky.pdop)
        hdop = WireRounding.thousandths(report.sky.hdop)
        vdop = WireRounding.thousandths(report.sky.vdop)
        satellites = report.sky.satellites.map(SatelliteMessage.init)
    }

    /// The receiver without what depends on its position: satellites, accuracy, times, texts and
    /// corrections, whose source is near.
    package var withoutPosition: ReceiverMessage {
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

/// The type `Satellite` of `io.sextant.Receiver`.
package struct SatelliteMessage: Codable, Sendable, Equatable {
    /// The satellite system.
    package var system: Constellation
    /// The number within the system, as commonly used. Absent for a GLONASS satellite whose slot is
    /// still unknown.
    package var number: Int?
    /// The NMEA 4.10 signal ID. Absent in older versions.
    package var signal: Int?
    /// The elevation in degrees above the horizon.
    package var elevation: Int?
    /// The azimuth in degrees clockwise from true north.
    package var azimuth: Int?
    /// The carrier-to-noise density in dB-Hz. Absent when the satellite is not tracked.
    package var carrierToNoise: Int?
    /// Whether the satellite is used in the fix.
    package var used: Bool

    /// Creates the message for a satellite.
    package init(_ satellite: Satellite) {
        system = satellite.system
        number = satellite.number
        signal = satellite.signal
        elevation = satellite.elevation
        azimuth = satellite.azimuth
        carrierToNoise = satellite.carrierToNoise
        used = satellite.used
    }
}

/// The type `Identity` of `io.sextant.Receiver`.
package struct IdentityMessage: Codable, Sendable, Equatable {
    /// The manufacturer of the chip or module.
    package var vendor: String?
    /// The module or product.
    package var module: String?
    /// The chip as the receiver names it: "MT3339".
    package var chipset: String?
    /// The firmware version.
    package var firmware: String?
    /// The version of the u-blox protocol.
    package var protocolVersion: String?

    /// Creates the message for an identity, or nil when nothing is known.
    package init?(_ identity: ReceiverIdentity) {
        guard identity.isKnown else { return nil }
        vendor = identity.vendor
        module = identity.module
        chipset = identity.chipset
        firmware = identity.firmware
        protocolVersion = identity.protocolVersion
    }
}

/// The type `Driver` of `io.sextant.Receiver`.
package struct DriverMessage: Codable, Sendable, Equatable {
    /// The activity of a driver. Raw values are the names on the wire.
    package enum Activity: String, Codable, Sendable, CaseIterable {
        /// The port is not open, or the receiver has sent nothing yet.
        case unknown
        /// The driver polls or configures the receiver.
        case configuring
        /// The receiver runs as requested.
        case running
        /// The receiver runs as requested and saves power between fixes.
        case savingPower
        /// The receiver sleeps.
        case asleep
        /// The port is closed because no client needs the receiver.
        case portClosed
    }

    /// The current activity.
    package var activity: Activity
    /// The generation of the chip, from which commands and power figures follow: "ublox8". Absent
    /// until detected.
    package var chip: String?
    /// The sleep method. Absent while the receiver does not sleep.
    package var sleepMethod: String?
    /// The interval between fixes in seconds, as configured and observed. Absent while unknown.
    package var period: Double?
    /// Whether the receiver ignores all commands.
    package var isUnresponsive: Bool

    /// Creates the state of a driver.
    package init(
        activity: Activity, chip: String? = nil, sleepMethod: String? = nil, period: Double? = nil,
        isUnresponsive: Bool = false
    ) {
        self.activity = activity
        self.chip = chip
        self.sleepMethod = sleepMethod
        self.isUnresponsive = isUnresponsive
        self.period = WireRounding.thousandths(period)
    }
}

/// The type `Counts` of `io.sextant.Receiver`.
package struct CountsMessage: Codable, Sendable, Equatable {
    /// The number of bytes read from the port.
    package var bytes: Int
    /// Sentences with a correct checksum, or without one if the receiver sends none.
    package var sentences: Int
    /// The number of these sentences whose type is not decoded.
    package var unknown: Int
    /// Completed epochs, each with one fix or none.
    package var epochs: Int
    /// Epochs with a position.
    package var fixes: Int
    /// Lines with a wrong checksum.
    package var checksumErrors: Int
    /// Lines without a checksum from a receiver that sends them.
    package var missingChecksums: Int
    /// Lines longer than 1,024 bytes.
    package var overlong: Int
    /// Lines truncated by the start of another sentence.
    package var truncated: Int
    /// Sentences with a correct checksum and invalid fields.
    package var malformed: Int
    /// Bytes outside any sentence, such as binary protocols and noise.
    package var strayBytes: Int
    /// Positions held back because the receiver cannot have been there; nil if there are none.
    package var outliers: Int?
    /// Speeds left out because the positions contradict them; nil if there are none.
    package var contradictedSpeeds: Int?
    /// Courses left out because the positions contradict them; nil if there are none.
    package var contradictedCourses: Int?

    /// Creates the counts of a report.
    package init(_ report: ReceiverReport) {
        let counts = report.counts
        bytes = counts.bytes
        sentences = counts.sentences
        unknown = counts.unknown
        epochs = report.epochs
        fixes = report.fixes
        checksumErrors = counts.checksumErrors
        missingChecksums = counts.missingChecksums
        overlong = counts.overlong
        truncated = counts.truncated
        malformed = counts.malformed
        strayBytes = counts.strayBytes
        let contradicted = report.contradicted
        outliers = contradicted.positions > 0 ? contradicted.positions : nil
        contradictedSpeeds = contradicted.speeds > 0 ? contradicted.speeds : nil
        contradictedCourses = contradicted.courses > 0 ? contradicted.courses : nil
    }
}
