import Chronology
import SextantAPI
import SystemCalls
import VarlinkClient

/// Waits for the reply of `locate`, and says meanwhile on a terminal what the daemon waits for: the
/// port, the baud rate, the satellites. Each change is one line on standard error.
struct LocateProgress {
    private var feed: DaemonFeed
    private var progress: FixProgress
    private let began: Instant
    private var cause: String?
    private var shownCause: String?
    private var shown: [FixProgress.Step: String] = [:]

    /// Starts to follow the receivers; nil if that is not possible, and then nothing is shown.
    init?(_ daemon: DaemonOptions, receiver: String?, at now: Instant) {
        // The call for the position sets the demand.
        var subscriptions = DaemonFeed.Subscriptions(updates: SubscribeParameters(receiver: receiver, passive: true))
        subscriptions.receivers = WatchParameters(receiver: receiver)
        guard let feed = try? DaemonFeed(daemon, subscribingTo: subscriptions) else { return nil }
        self.feed = feed
        progress = FixProgress(at: now)
        began = now
    }

    /// Waits until a reply is there, or until `deadline`; returns early if the daemon tells nothing
    /// more.
    mutating func wait(for reply: ReplyStream, until deadline: Instant) throws(CommandError) {
        while true {
            let now = HostClock.now
            guard now < deadline else { return }
            // Without the feed, the reply says what is wrong.
            do { for event in try feed.receiveEvents(at: now) { receive(event, at: now) } } catch { return }
            let isDue = progress.isDue(at: now)
            if isDue { show(at: now) }
            let wake = isDue ? deadline : min(deadline, began + FixProgress.delay)
            let ready = try Poller.readable(
                [reply.fileDescriptor] + feed.descriptors, until: earliest(wake, feed.deadline))
            if ready.contains(reply.fileDescriptor) { return }
        }
    }

    /// Says when the position arrived, if it was explained what was waited for.
    mutating func finish(at now: Instant) {
        guard progress.isDue(at: now) else { return }
        progress.recordFix(at: now)
        showSteps()
    }

    private mutating func receive(_ event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .update(let update): cause = update.locationUnavailable == true ? update.detail : nil
        case .receivers(let receivers): progress.update(receivers, at: now)
        default: break
        }
    }

    private mutating func show(at now: Instant) {
        showSteps()
        guard let cause, cause != shownCause else { return }
        shownCause = cause
        StandardError.line(FixProgress.Line(time: now - began, text: cause).displayText)
    }

    private mutating func showSteps() {
        for (step, line) in progress.steps where shown[step] != line.text {
            shown[step] = line.text
            StandardError.line(line.displayText)
        }
    }
}

/// What happens on the way to the first position: the port, its baud rate, sentences, satellites,
/// the position, each with the time since the start.
struct FixProgress {
    /// The steps, in their order.
    enum Step: Int, CaseIterable {
        case port, baudRate, sentences, satellites, fix
    }

    /// A step that was taken.
    struct Line: Equatable {
        var time: Instant.Span
        var text: String
        /// The line as it is shown: `1.2 s: NMEA arrives`.
        var displayText: String { "\(TimeText.span(time.seconds)): \(text)" }
    }

    /// A position that arrives within this time needs no explanation.
    static let delay = Instant.Span.seconds(1)

    private let began: Instant
    private var lines: [Step: Line] = [:]

    init(at now: Instant) { began = now }

    /// The steps so far, in their order.
    var steps: [(step: Step, line: Line)] { Step.allCases.compactMap { step in lines[step].map { (step, $0) } } }

    var hasFix: Bool { lines[.fix] != nil }

    /// The time of the first position; nil without one, or if it was there at the start.
    var firstFix: Instant.Span? { lines[.fix].flatMap { $0.time < FixProgress.delay ? nil : $0.time } }

    /// Returns whether an explanation is needed.
    func isDue(at now: Instant) -> Bool { now >= began + FixProgress.delay }

    /// Records what the daemon says of its receivers.
    mutating func update(_ receivers: [Receiver], at now: Instant) {
        guard !hasFix, let receiver = receivers.first(where: \.isPrimary) ?? receivers.first,
            receiver.state != .absent
        else { return }
        record(.port, "\(receiver.port) is found", at: now)
        if let baud = receiver.baud { record(.baudRate, "it is read at \(DecimalText.grouped(baud)) baud", at: now) }
        guard receiver.state == .sendingWithoutFix || receiver.state == .hasFix, receiver.counts.sentences > 0 else {
            return
        }
        record(.sentences, "NMEA arrives", at: now)
        let satellites = Satellite.merge(receiver.satellites).count
        guard satellites > 0 else { return }
        record(.satellites, "\(satellites) \(satellites == 1 ? "satellite" : "satellites") in view", at: now)
    }

    mutating func recordFix(at now: Instant) {
        guard !hasFix else { return }
        record(.fix, "position", at: now)
    }

    /// Records a step, and again when its text changes: the number of satellites.
    private mutating func record(_ step: Step, _ text: String, at now: Instant) {
        if lines[step]?.text != text { lines[step] = Line(time: now - began, text: text) }
    }
}
