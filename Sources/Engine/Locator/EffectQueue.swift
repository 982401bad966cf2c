import Positioning

/// The effects that ``Locator`` requests, until its caller takes them.
///
/// While bytes are processed, updates are collected separately, because the caller sends them
/// before it does anything else. If the queue already holds an update, they follow it instead: no
/// update may overtake an earlier one.
struct EffectQueue: Sendable {
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
    mutating func publish(_ update: (heading: HeadingUpdate, subscribers: [RequestID])?) {
        if let update { effects.append(.heading(update.heading, update.subscribers)) }
    }

    /// Starts to collect updates separately.
    mutating func separateUpdates() { separatesUpdates = true }

    /// Ends the separate collection and returns its updates.
    mutating func takeSeparatedUpdates() -> [StreamUpdate] {
        separatesUpdates = false
        let updates = immediateUpdates
        immediateUpdates = []
        return updates
    }

    /// Replaces the contents of `buffer` with all effects and empties the queue. The queue keeps
    /// the memory of `buffer`.
    mutating func drain(into buffer: inout [Effect]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &effects)
        holdsUpdate = false
    }

    /// Returns and removes all effects.
    mutating func takeAll() -> [Effect] {
        var taken: [Effect] = []
        drain(into: &taken)
        return taken
    }
}
