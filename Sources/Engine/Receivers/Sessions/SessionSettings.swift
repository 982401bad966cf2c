/// The configuration of a session's port.
package struct SessionSettings: Sendable {
    /// Whether the configuration names the port. Such a port is awaited while absent and needs no
    /// confirmation.
    package var isConfigured = false
    /// The configured baud rate; nil to detect it.
    package var baudRate: Int?
    /// Whether nothing may be written to the receiver.
    package var isPassive = false
    /// Whether the driver may configure receivers and put them to sleep.
    package var controlsPower = true
    /// Whether receivers that send a binary protocol may be switched to NMEA.
    package var rescues = true

    /// Creates the settings of a discovered port.
    package init() {}
}
