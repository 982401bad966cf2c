import Varlink

/// The methods of `io.sextant.Receiver`.
package enum ReceiverMethods {
    /// Returns all receivers.
    package static let list = Method<NoParameters, ReceiversReply>("List", of: .receiver)
    /// Starts a stream of the receivers' states. Without `more`, the current state is the only
    /// reply.
    package static let watch = Method<WatchParameters, ReceiversReply>(
        "Watch", of: .receiver, reading: ReceiversReply.init(reading:))
}

/// The parameters of `io.sextant.Receiver.Watch`.
package struct WatchParameters: Codable, Sendable, Equatable {
    /// The name or port of the only receiver to report. Absent: all receivers.
    package var receiver: String?

    /// Creates a request for one receiver or, with nil, for all receivers.
    package init(receiver: String? = nil) {
        self.receiver = receiver
    }
}

/// The replies to `io.sextant.Receiver.List` and `Watch`.
package struct ReceiversReply: Codable, Sendable, Equatable {
    /// The requested receivers.
    package var receivers: [ReceiverMessage]
    /// The requested ports on which no receiver is confirmed; absent if there are none.
    package var unconfirmedPorts: [UnconfirmedPortMessage]?

    /// Creates a reply.
    package init(receivers: [ReceiverMessage], unconfirmedPorts: [UnconfirmedPortMessage] = []) {
        self.receivers = receivers
        self.unconfirmedPorts = unconfirmedPorts.isEmpty ? nil : unconfirmedPorts
    }
}
