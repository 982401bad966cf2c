import Chronology
import Geofencing
import Positioning

/// Identifies a receiver between the caller and the core.
public struct ReceiverID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    public var rawValue: Int
    /// Creates an identifier from a number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// Identifies a stream, a pending location request or a subscription between the caller and the
/// core.
public struct RequestID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    public var rawValue: Int
    /// Creates an identifier from a number.
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// An action the core requests from its caller. Effects contain no callbacks, and performing one
/// does not change the effects that are already queued.
///
/// One part of the caller performs all effects of a case.
public enum Effect: Sendable, Equatable {
    /// An update of streams, or the end of a location request.
    case request(Request)
    /// A visit began or ended; nil if no visit is in progress.
    case visit(Stay?, [RequestID])
    /// The heading changed, or there is none any more.
    case heading(HeadingChange, [RequestID])
    /// A change of a receiver, or an action on its port.
    case receiver(Receiver)
    /// New states of conditions.
    case fence(Fence)

    /// An update of streams, or the end of a location request.
    public enum Request: Sendable, Equatable {
        /// Publish an update to these streams.
        case publish(Update, [RequestID])
        /// Answer a pending location request with a location of this age. `burstAge` is the time
        /// since the first byte of its burst arrived; nil if that was not observed.
        case answer(RequestID, ReceiverFix, age: Instant.Span, burstAge: Instant.Span?)
        /// Reject a location request, because no position was available before its timeout.
        case reject(RequestID, Unavailability)
    }

    /// A change of a receiver, or an action on its port.
    public enum Receiver: Sendable, Equatable {
        /// An epoch is complete. The fix may have no position.
        case epoch(ReceiverID, Fix)
        /// The data that `io.sextant.Receiver.Watch` shows changed by other than an epoch.
        case changed(ReceiverID)
        /// Apply a new plan.
        case plan(ReceiverID, ReceiverPlan)
        /// Read the port by a new policy.
        case readPolicy(ReceiverID, ReadPolicy)
    }

    /// New states of conditions.
    public enum Fence: Sendable, Equatable {
        /// The states of these conditions changed; events are in order of time. The caller records
        /// them before it publishes them.
        case changed([ConditionEvent])
        /// The states of these conditions were determined for the first time and agree with the
        /// assumed ones. There is no event; the caller saves the states.
        case determined([ConditionDetermination])
    }
}

/// The effects that ``Locator`` requests, until its caller takes them.
///
/// While bytes are processed, updates are collected separately, because the caller sends them
/// before it does anything else. If the queue already holds an update, they follow it instead: no
/// update may overtake an earlier one.
struct EffectQueue: Sendable {
    /// The largest number of effects whose memory is kept.
    private static let keptCapacity = 64

    private var effects: [Effect] = []
    private var immediateUpdates: [StreamUpdate] = []
    private var separatesUpdates = false
    private var holdsUpdate = false

    mutating func append(_ effect: Effect) { effects.append(effect) }
    mutating func append(_ new: [Effect]) { if !new.isEmpty { effects += new } }

    /// Adds updates in the order in which the streams receive them.
    mutating func publish(_ updates: [StreamUpdate]) {
        if updates.isEmpty { return }
        if separatesUpdates, !holdsUpdate {
            if immediateUpdates.isEmpty { immediateUpdates = updates } else { immediateUpdates += updates }
        } else {
            holdsUpdate = true
            for update in updates { effects.append(.request(.publish(update.update, update.streams))) }
        }
    }

    /// Adds a visit, if there is one, for all its subscribers.
    mutating func publish(_ visit: Stay?, to subscribers: [RequestID]) {
        if let visit { effects.append(.visit(visit, subscribers)) }
    }

    /// Adds an update about the heading, if one is due, for these subscribers.
    mutating func publish(_ update: (heading: HeadingChange, subscribers: [RequestID])?) {
        if let update { effects.append(.heading(update.heading, update.subscribers)) }
    }

    /// Starts to collect updates separately.
    mutating func separateUpdates() { separatesUpdates = true }

    mutating func takeSeparatedUpdates() -> [StreamUpdate] {
        separatesUpdates = false
        let updates = immediateUpdates
        immediateUpdates = []
        return updates
    }

    /// Replaces the contents of `buffer` with all effects and empties the queue. The queue keeps
    /// the memory of `buffer` if an ordinary turn may need it: 512 held updates of each stream
    /// that ends its batch would need more than everything else.
    mutating func drain(into buffer: inout [Effect]) {
        if buffer.capacity > EffectQueue.keptCapacity { buffer = [] } else { buffer.removeAll(keepingCapacity: true) }
        swap(&buffer, &effects)
        holdsUpdate = false
    }

    mutating func takeAll() -> [Effect] {
        var taken: [Effect] = []
        drain(into: &taken)
        return taken
    }
}

/// The result of ``Locator/receive(_:from:at:onFrame:)``.
public struct ReadResult: Sendable, Equatable {
    /// What the bytes contained.
    public var summary: ReadSummary
    /// The updates that the bytes caused, in order. The caller sends them before it performs any
    /// effect.
    public var updates: [StreamUpdate]

    /// Creates a result; by default nothing was read.
    public init(_ summary: ReadSummary = ReadSummary(), updates: [StreamUpdate] = []) {
        self.summary = summary
        self.updates = updates
    }
}

/// An update and the streams that receive it.
public struct StreamUpdate: Sendable, Equatable {
    /// The update.
    public var update: Update
    /// The streams, in the order in which they were opened; not empty.
    public var streams: [RequestID]

    /// Creates an update for these streams.
    public init(_ update: Update, for streams: [RequestID]) {
        self.update = update
        self.streams = streams
    }
}
