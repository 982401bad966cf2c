import Delivery
import Positioning

/// What an open stream or a waiting question needs.
public struct StreamNeed: Sendable, Equatable {
    /// Whose it is.
    public var id: StreamID
    /// Only this receiver, by name or port; nil for whichever is best, which takes all of them to find out.
    public var receiver: String?
    /// What it needs; nil for one that asks for nothing.
    public var demand: Demand?
    /// It is told nothing while the device rests, and it does.
    public var isSilent: Bool

    /// Whether it concerns a receiver of that name and port.
    public func concerns(name: String, port: String) -> Bool { receiver.map { $0 == name || $0 == port } ?? true }
}

/// Who needs the receivers, for accounts and for people.
extension Locator {
    /// What each stream and each waiting question needs now.
    public var needs: [StreamNeed] { streams.needs + questions.needs(Locator.question) }

    /// What watched boundaries need now; nil while nobody watches any.
    public var boundaryNeed: NextLook? { nextLook }

    /// Whether the device is known to rest for those who watch boundaries.
    public var restsForBoundaries: Bool { motion.restingPlace(.any, nil) != nil }
}

extension StreamTable {
    var needs: [StreamNeed] {
        all.map { StreamNeed(id: $0.id, receiver: $0.receiver, demand: $0.demand, isSilent: $0.filter.isPaused) }
    }
}

extension QuestionTable {
    func needs(_ demand: Demand) -> [StreamNeed] {
        all.map { StreamNeed(id: $0.id, receiver: $0.receiver, demand: demand, isSilent: false) }
    }
}
