/// The likely kind of a serial device, which determines how the daemon treats it.
package enum DeviceKind: Sendable, Hashable {
    /// A GNSS receiver with its own USB product number: opened at once.
    case receiver
    /// A serial converter that may connect any device: opened for reading only, until
    /// ``GNSSDetection`` confirms a receiver.
    case genericConverter
    /// One of the ports of a cellular modem.
    case modem(ModemPort)
    /// A GNSS device that does not send NMEA on its port; the reason is a text for users.
    case unsupported(reason: String)
    /// An unknown device: not opened unless the configuration names it.
    case unlisted

    /// The role of a modem port.
    package enum ModemPort: Sendable, Hashable {
        /// Carries NMEA after an AT command on another port has started the modem's GNSS.
        case nmea
        /// Commands, data or diagnostics: in use by other programs, never opened.
        case other
    }

    /// Whether the daemon opens the device although the configuration does not name it.
    package var opensAutomatically: Bool {
        switch self {
        case .receiver, .genericConverter, .modem(.nmea): true
        case .modem(.other), .unsupported, .unlisted: false
        }
    }

    /// Whether the port must show GNSS NMEA before anything is written to it or its fixes are used.
    package var requiresDetection: Bool { self != .receiver }
}
