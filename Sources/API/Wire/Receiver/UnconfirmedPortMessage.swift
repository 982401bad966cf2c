import Locator

/// The type `UnconfirmedPort` of `io.sextant.Receiver`.
package struct UnconfirmedPortMessage: Codable, Sendable, Equatable {
    /// The name that the receiver would have.
    package var name: String
    /// The path of the port.
    package var port: String
    /// The current state.
    package var state: ReceiverHealth
    /// The cause of the missing position.
    package var cause: UnavailableCause
    /// The state as text, with the reason and how to fix it.
    package var detail: String

    /// Creates the message for a port.
    package init(_ unconfirmed: UnconfirmedPort) {
        name = unconfirmed.name
        port = unconfirmed.port
        state = unconfirmed.health
        cause = unconfirmed.unavailability.cause
        detail = unconfirmed.unavailability.detail
    }
}
