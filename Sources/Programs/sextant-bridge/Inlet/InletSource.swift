import Bridges
import Chronology
import SystemCalls

/// The sender of sentences to an inlet.
enum InletPeer: Hashable, Sendable {
    /// The only source there is.
    case only
    /// A client of a TCP port.
    case client(ClientID)
    /// The sender of datagrams: its address, because its port may change with each datagram.
    case address([UInt8])
}

/// Where an inlet gets its sentences from. It opens and opens again by itself.
protocol InletSource: AnyObject {
    /// When ``tick(at:)`` is due.
    var deadline: Instant? { get }
    /// Does what is due.
    func tick(at now: Instant)
    /// Records how many sentences the last bytes have completed.
    func recordSentences(_ count: Int)
}

extension InletSource {
    func recordSentences(_ count: Int) {}
}

/// What a source passes on.
enum InletEvent {
    /// Bytes that have arrived.
    case received(ArraySlice<UInt8>, InletPeer, isPacket: Bool)
    /// The connection of a source has ended.
    case ended(InletPeer)
    /// A source cannot be reached, for the log.
    case problem(String)
    /// The input has ended for good.
    case finished
}
