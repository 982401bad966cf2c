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
    /// The minimum interval in seconds between replies about epochs. Absent: 1.
    package var minimumInterval: Double?

    /// The intervals that a client may request, in seconds.
    package static let minimumIntervals = 0.0...3600

    /// Creates a request for one receiver or, with nil, for all receivers.
    package init(receiver: String? = nil, minimumInterval: Double? = nil) {
        self.receiver = receiver
        self.minimumInterval = minimumInterval
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
