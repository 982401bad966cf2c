/// The receivers and the ports without one.
public struct Receivers: Codable, Hashable, Sendable {
    /// The receivers that are plugged in or named in the configuration.
    public var receivers: [Receiver]
    /// The ports on which no receiver is confirmed; nil if there are none.
    public var unconfirmedPorts: [UnconfirmedPort]?
}

/// A receiver with its port, its configuration and its signals.
public struct Receiver: Codable, Hashable, Sendable {
    /// Short unique name, stable while the receiver is plugged in: "ttyACM0".
    public var name: String
    /// Path of the port.
    public var port: String
    /// USB product, or the description of the port type.
    public var product: String?
    /// USB vendor and product ID, hexadecimal: "1546:01a8".
    public var usb: String?
    /// USB serial number.
    public var serialNumber: String?
    /// Identity from the receiver's own sentences.
    public var identity: Identity?
    /// True if the receiver is simulated, otherwise nil.
    public var simulated: Bool?
    /// True if the sentences come from a program, mostly from a network, otherwise nil.
    public var network: Bool?
    /// Latest text sentences of the receiver, newest last.
    public var says: [String]
    /// Baud rate in bits per second.
    public var baud: Int?
    /// State of the receiver.
    public var state: State
    /// State as text, with the reason and how to fix it if there is a problem.
    public var detail: String?
    /// Epochs per second, over the last epochs.
    public var rate: Double?
    /// UTC of the last epoch.
    public var lastEpoch: UTCTime?
    /// State of the driver. Nil if no driver has tried to configure the receiver.
    public var driver: Driver?
    /// Whether this is the primary receiver.
    public var isPrimary: Bool
    /// R68 of the positions in metres, smoothed over 5 s. Nil without a fix.
    public var horizontalAccuracy: Double?
    /// Counters since the daemon started.
    public var counts: Counts
    /// Dilution of precision in three dimensions.
    public var pdop: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// Satellites in view, with one entry per system, number and signal.
    public var satellites: [Satellite]
    /// Corrections of the last 5 min; nil without.
    public var corrections: Corrections?

    /// Corrections that programs have written to a receiver.
    public struct Corrections: Codable, Hashable, Sendable {
        /// Where they come from, for display.
        public var source: String
        /// Time since the last ones were written, in seconds.
        public var age: Double
        /// Bytes per second, over the last 10 s.
        public var rate: Double
        /// Bytes written so far.
        public var bytes: Int
    }

    /// The state of a receiver.
    public struct State: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The port does not exist; the daemon detects it when it appears.
        public static let absent = Self(rawValue: "absent")
        /// The daemon has no permission to open the port.
        public static let denied = Self(rawValue: "denied")
        /// Another program uses the port.
        public static let busy = Self(rawValue: "busy")
        /// The baud rate is being detected.
        public static let detectingBaudRate = Self(rawValue: "detectingBaudRate")
        /// The port is open and nothing has arrived for 5 s, or longer if its period is long.
        public static let silent = Self(rawValue: "silent")
        /// The receiver sleeps, because no client needs it.
        public static let asleep = Self(rawValue: "asleep")
        /// The receiver sends GNSS sentences without a fix.
        public static let sendingWithoutFix = Self(rawValue: "sendingWithoutFix")
        /// The receiver sends GNSS sentences with a fix.
        public static let hasFix = Self(rawValue: "hasFix")
        /// The values that this library knows.
        public static let allCases: [Self] = [
            absent, denied, busy, detectingBaudRate, silent, asleep, sendingWithoutFix, hasFix,
        ]
    }

    /// Counters since the daemon started.
    public struct Counts: Codable, Hashable, Sendable {
        /// Bytes read from the port.
        public var bytes: Int
        /// Sentences with a correct checksum, or without one if the receiver sends none.
        public var sentences: Int
        /// Number of these whose type is not decoded.
        public var unknown: Int
        /// Completed epochs, each with one fix or none.
        public var epochs: Int
        /// Epochs with a position.
        public var fixes: Int
        /// Lines with a wrong checksum.
        public var checksumErrors: Int
        /// Lines without a checksum from a receiver that sends them.
        public var missingChecksums: Int
        /// Lines longer than 1,024 bytes.
        public var overlong: Int
        /// Lines truncated by the start of another sentence.
        public var truncated: Int
        /// Sentences with a correct checksum and invalid fields.
        public var malformed: Int
        /// Bytes outside any sentence.
        public var strayBytes: Int
        /// Positions held back because the receiver cannot have been there; nil if there are none.
        public var outliers: Int?
        /// Speeds left out because the positions contradict them; nil if there are none.
        public var contradictedSpeeds: Int?
        /// Courses left out because the positions contradict them; nil if there are none.
        public var contradictedCourses: Int?
    }

    /// The identity of a receiver from its own sentences.
    public struct Identity: Codable, Hashable, Sendable {
        /// Manufacturer of the chip or module.
        public var vendor: String?
        /// Module or product.
        public var module: String?
        /// Chip.
        public var chipset: String?
        /// Firmware version.
        public var firmware: String?
        /// Version of the u-blox protocol.
        public var protocolVersion: String?
    }

    /// The state of the driver that configures a receiver.
    public struct Driver: Codable, Hashable, Sendable {
        /// What the driver does with the receiver.
        public var activity: Activity
        /// Detected chip: "ublox8".
        public var chip: String?
        /// Sleep method: the name of the manufacturer's command.
        public var sleepMethod: String?
        /// Interval between fixes in seconds, as configured and observed.
        public var period: Double?
        /// Whether the receiver ignores all commands.
        public var isUnresponsive: Bool
    }

    /// The activity of a receiver's driver.
    public struct Activity: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The port is not open, or the receiver has sent nothing yet.
        public static let unknown = Self(rawValue: "unknown")
        /// The driver polls or configures the receiver.
        public static let configuring = Self(rawValue: "configuring")
        /// The receiver runs as requested.
        public static let running = Self(rawValue: "running")
        /// The receiver saves power between fixes.
        public static let savingPower = Self(rawValue: "savingPower")
        /// The receiver sleeps.
        public static let asleep = Self(rawValue: "asleep")
        /// The port is closed because no client needs the receiver.
        public static let portClosed = Self(rawValue: "portClosed")
        /// The values that this library knows.
        public static let allCases: [Self] = [unknown, configuring, running, savingPower, asleep, portClosed]
    }
}

/// A port on which no receiver is confirmed.
public struct UnconfirmedPort: Codable, Hashable, Sendable {
    /// Name that its receiver would have.
    public var name: String
    /// Path of the port.
    public var port: String
    /// State of the port.
    public var state: Receiver.State
    /// Cause of the missing position.
    public var cause: LocationUpdate.Cause
    /// State as text, with the reason and how to fix it.
    public var detail: String
}

/// A satellite in view, with one signal.
public struct Satellite: Codable, Hashable, Sendable {
    /// The satellite system.
    public var system: Constellation
    /// Number within the system. Nil for a GLONASS satellite whose slot is unknown.
    public var number: Int?
    /// NMEA 4.10 signal ID.
    public var signal: Int?
    /// Elevation in degrees above the horizon.
    public var elevation: Int?
    /// Azimuth in degrees clockwise from true north.
    public var azimuth: Int?
    /// Carrier-to-noise density in dB-Hz. Nil when the satellite is not tracked.
    public var carrierToNoise: Int?
    /// Whether the satellite is used in the fix.
    public var used: Bool

    /// A satellite system.
    public struct Constellation: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// GPS.
        public static let gps = Self(rawValue: "gps")
        /// GLONASS.
        public static let glonass = Self(rawValue: "glonass")
        /// Galileo.
        public static let galileo = Self(rawValue: "galileo")
        /// BeiDou.
        public static let beidou = Self(rawValue: "beidou")
        /// QZSS.
        public static let qzss = Self(rawValue: "qzss")
        /// NavIC.
        public static let navic = Self(rawValue: "navic")
        /// SBAS.
        public static let sbas = Self(rawValue: "sbas")
        /// IMES.
        public static let imes = Self(rawValue: "imes")
        /// The satellite number is outside every table.
        public static let unknown = Self(rawValue: "unknown")
        /// The values that this library knows.
        public static let allCases: [Self] = [gps, glonass, galileo, beidou, qzss, navic, sbas, imes, unknown]
    }
}

/// The satellites of a receiver.
public struct Sky: Hashable, Sendable {
    /// Name of the receiver.
    public var receiver: String
    /// Satellites in view, with one entry per system, number and signal.
    public var satellites: [Satellite]
    /// Dilution of precision in three dimensions.
    public var pdop: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?

    init(_ receiver: Receiver) {
        self.receiver = receiver.name
        satellites = receiver.satellites
        pdop = receiver.pdop
        hdop = receiver.hdop
        vdop = receiver.vdop
    }
}
