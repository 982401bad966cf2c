/// What is known of a port when it was opened.
package struct OpenedLine: Sendable {
    /// The bits per second; nil for a port without a baud rate.
    package var baudRate: Int?
    /// The detector of the baud rate, which has chosen the first one; nil if it need not be
    /// detected.
    package var detector: BaudRateDetector?
    /// The baud rate that was last detected for the device.
    package var savedBaudRate: Int?
    /// The changes that an earlier run made to the receiver and did not restore.
    package var savedState: ReceiverStateRecord?

    /// Creates the description of a line without a baud rate and without saved data.
    package init() {}
}

/// The cause of a failure to open a port. The messages name the port.
package enum OpenFailure: Sendable, Equatable {
    /// The device does not exist.
    case notFound
    /// The daemon has no permission.
    case denied(String)
    /// Another program, or another port of the daemon, has the device open.
    case busy(String)
    /// Any other cause.
    case other(String)
}
