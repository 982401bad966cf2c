import Chronology
import Receivers
import Wire

/// Listens to a port until enough is known of its receiver, or patience ends.
struct PortEar {
    private(set) var listener: PortListener
    private let began = Clock.now
    private let patience: Instant.Span
    private(set) var heard: ReceiverMessage?
    /// Bytes at all speeds; the listener forgets those of the wrong ones.
    private var bytes = 0

    /// Epochs that tell whether there is a fix, and enough of the sky.
    private static let enoughEpochs = 5

    init(_ listener: PortListener, patience: Instant.Span) {
        self.listener = listener
        self.patience = patience
    }

    /// Seconds listened so far.
    var listened: Double { (Clock.now - began).seconds }

    mutating func listen() {
        let end = began + patience
        while true {
            let now = Clock.now
            if let due = listener.deadline, now >= due { listener.tick(at: now) }
            note(at: now)
            if now >= end || isEnough { return }
            show()
            let deadline = earliest(min(end, now + .seconds(1)), listener.deadline)
            guard let ready = try? Wait.readable([listener.descriptor], until: deadline) else { return }
            if !ready.isEmpty, case .lost = listener.read(at: Clock.now) { return }
        }
    }

    private var isEnough: Bool { listener.isUnderstood && (heard?.counts.epochs ?? 0) >= PortEar.enoughEpochs }

    private mutating func note(at now: Instant) {
        let mostBefore = bytes
        heard = listener.message(at: now)
        bytes = max(mostBefore, heard?.counts.bytes ?? 0)
        heard?.counts.bytes = bytes
        if isEnough || now >= began + patience, StandardError.isTerminal { StandardError.overwriteLine("") }
    }

    private func show() {
        guard StandardError.isTerminal else { return }
        let baud = listener.baud.map { " at \($0) baud" } ?? ""
        StandardError.overwriteLine("listening to \(listener.device.path)\(baud), \(TimeText.span(listened)) ...")
    }
}
