/// What a serial device is likely to be, and so how it may be treated.
public enum DeviceKind: Sendable, Hashable {
    /// A GNSS receiver with a number of its own: opened at once.
    case receiver
    /// A serial converter that may have anything behind it: opened to listen, believed after ``GNSSProof``, not written to before.
    case genericConverter
    /// One of the several ports of a cellular modem.
    case modem(ModemPort)
    /// A GNSS device that does not speak NMEA on its port; the reason is for people.
    case unsupported(reason: String)
    /// Nothing known: left alone unless the configuration names it.
    case unlisted

    /// Which of a modem's ports this is.
    public enum ModemPort: Sendable, Hashable {
        /// Carries NMEA once the modem's GNSS is switched on by an AT command on another port.
        case nmea
        /// Commands, data or diagnostics: somebody else's, never opened.
        case other
    }

    /// Whether it is opened without being named in the configuration.
    public var isOpenedUnasked: Bool {
        switch self {
        case .receiver, .genericConverter, .modem(.nmea): true
        case .modem(.other), .unsupported, .unlisted: false
        }
    }

    /// Whether nothing may be written to it, and none of its fixes believed, before it has shown GNSS NMEA.
    public var needsProof: Bool { self != .receiver }
}
