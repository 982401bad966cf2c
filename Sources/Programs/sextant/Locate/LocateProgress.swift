import Chronology
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// Waits for the reply of `locate`, and says meanwhile on a terminal what the daemon waits for: the
/// port, the baud rate, the satellites. Each change is one line on standard error.
struct LocateProgress {
    /// A position that arrives within this time needs no explanation.
    private static let delay = Instant.Span.seconds(1)

    private let began: Instant
    private var feed: DaemonFeed
    private var cause: String?
    private var satellites = 0
    private var shown: String?

    /// Starts to follow the receivers; nil if that is not possible, and then nothing is shown.
    init?(_ daemon: DaemonOptions, receiver: String?, at now: Instant) {
        // The call for the position sets the demand.
        var subscriptions = DaemonFeed.Subscriptions(updates: SubscribeParameters(receiver: receiver, passive: true))
        subscriptions.receivers = WatchParameters(receiver: receiver)
        guard let feed = try? DaemonFeed(daemon, subscribingTo: subscriptions) else { return nil }
        self.feed = feed
        began = now
    }

    /// Waits until a reply is there, or until `deadline`; returns early if the daemon tells nothing
    /// more.
    mutating func wait(for reply: ReplyStream, until deadline: Instant) throws(CommandError) {
        while true {
            let now = HostClock.now
            guard now < deadline else { return }
            let isEarly = now < began + LocateProgress.delay
            // Without the feed, the reply says what is wrong.
            do { for event in try feed.receiveEvents(at: now) { receive(event) } } catch { return }
            if !isEarly { show(at: now) }
            let wake = isEarly ? min(deadline, began + LocateProgress.delay) : deadline
            let ready = try Poller.readable(
                [reply.fileDescriptor] + feed.descriptors, until: earliest(wake, feed.deadline))
            if ready.contains(reply.fileDescriptor) { return }
        }
    }

    private mutating func receive(_ event: DaemonFeed.Event) {
        switch event {
        case .update(let update): cause = update.locationUnavailable == true ? update.detail : nil
        case .receivers(let receivers):
            let primary = receivers.first(where: \.isPrimary) ?? receivers.first
            satellites = primary.map { SkySatellite.merge($0.satellites).count } ?? 0
        default: break
        }
    }

    private mutating func show(at now: Instant) {
        guard let cause else { return }
        let noun = satellites == 1 ? "satellite" : "satellites"
        let text = satellites == 0 ? cause : "\(cause) · \(satellites) \(noun) in view"
        guard text != shown else { return }
        shown = text
        StandardError.line("\(TimeText.span((now - began).seconds)): \(text)")
    }
}
