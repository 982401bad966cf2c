/// The options of the pseudo-terminal on which a receiver is simulated.
package struct PortOptions: Sendable {
    /// The initial baud rate; nil for that of the receiver.
    package var portBaud: Int?
    /// The path of a symbolic link to the pseudo-terminal; nil for no link.
    package var link: String?

    /// Creates options for a port at the receiver's baud rate, without a link.
    package init(portBaud: Int? = nil, link: String? = nil) {
        self.portBaud = portBaud
        self.link = link
    }
}
