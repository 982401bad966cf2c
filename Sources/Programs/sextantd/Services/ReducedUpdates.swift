import Chronology
import Locator
import Permission
import Positioning

/// The location as programs with reduced accuracy get it: one for the device, so that two programs
/// learn nothing from comparing theirs.
struct ReducedUpdates {
    /// Returns the request of a reduced stream, whatever its program requested: fixes as often as a
    /// reduced location can change.
    static func request(for stream: StreamRequest) -> StreamRequest {
        var options = StreamOptions()
        options.desiredAccuracy = .reduced
        options.isPassive = stream.options.isPassive
        // The location is one for all programs, so none of them chooses the receiver.
        return StreamRequest(configuration: .default, options: options)
    }

    private var location: ReducedLocation
    /// The location that the current one was made of.
    private var source: ReceiverFix?

    init(secret: ReducedSecret) {
        location = ReducedLocation(grid: ReducedGrid(secret: secret))
    }

    /// Processes a location of the device. Returns whether the reduced location changed.
    mutating func process(_ new: ReceiverFix, at now: Instant) -> Bool {
        let received = now - new.age
        guard let position = new.fix.coordinate, let accuracy = new.fix.horizontalAccuracy,
            location.current.map({ $0.at <= received }) ?? true
        else { return false }
        let isChanged =
            location.process(position, horizontalAccuracy: accuracy, time: new.fix.time, at: received) != nil
        if isChanged || location.current?.at == received { source = new }
        return isChanged
    }

    /// The current reduced location; `nil` before the first position.
    func current(at now: Instant) -> ReceiverFix? {
        guard let answer = location.current, let source else { return nil }
        var fix = Fix()
        fix.coordinate = answer.coordinate
        fix.horizontalAccuracy = answer.horizontalAccuracy
        fix.accuracySource = .reduced
        fix.time = answer.time
        fix.mode = .twoD
        fix.quality = .autonomous
        fix.isSimulated = source.fix.isSimulated
        return ReceiverFix(
            fix: fix, receiver: source.receiver, isAccessory: source.isAccessory, age: now - answer.at)
    }

    /// Returns whether a position would change nothing, because the current one is recent.
    func isCurrent(at now: Instant) -> Bool { location.nextAnswer.map { now < $0 } ?? false }

    /// Returns the reduced form of an update: without any location but the reduced one, and without
    /// the stationary state.
    func update(for update: Update, at now: Instant) -> Update {
        Update(location: update.location == nil ? nil : current(at: now), unavailability: update.unavailability)
    }
}
