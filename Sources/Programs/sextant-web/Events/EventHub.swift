import Chronology
import ServiceRuntime
import SystemCalls
import Varlink
import VarlinkClient

/// The viewers with their events, and the streams of the daemon that they share.
///
/// A stream is requested while somebody looks at it: this is what keeps a receiver on.
final class EventHub {
    /// The maximum number of viewers of one browser, which opens six connections to a server.
    static let maxOfBrowser = 5
    static let maxViewers = 48
    /// How long a page that opens another stream has to end the earlier one.
    private static let trial = Instant.Span.seconds(2)
    /// The seconds between two keepalives, with which an ended connection is noticed behind a
    /// proxy, and a stopped page by the server.
    private static let interval = 20

    /// How long a stream without viewers stays requested. A page that shows another view connects
    /// again at once; for the daemon it is then the same request, and a receiver at rest sleeps on.
    private static let lingering = Instant.Span.milliseconds(500)

    private typealias Source = DaemonStream<AnyMessage, PassedParameters>

    private struct Viewer {
        let queue: EventQueue
        let streams: Set<EventStream>
        let browser: String?
        /// How many keepalives it has got.
        var keepalives = 0
        /// When it is told that there are too many, unless another one of its browser has ended.
        var trialEnd: Instant?
    }

    /// A stream with its latest events, by their kind.
    private struct Shared {
        let source: Source
        var unusedSince: Instant?
        var latest: [String: (data: [UInt8], time: Instant)] = [:]
    }

    private let loop: EventLoop
    private let daemon: String
    private let log: ProgramLog
    private var viewers: [ObjectIdentifier: Viewer] = [:]
    private var shared: [EventStream: Shared] = [:]
    private var nextKeepalive: Instant?
    private var loss = RepeatedProblem()
    /// Why the daemon cannot be reached.
    private var lossDetail: String?

    /// - Parameter daemon: The path of the daemon's socket.
    init(of daemon: String, in loop: EventLoop, log: ProgramLog) {
        self.daemon = daemon
        self.loop = loop
        self.log = log
    }

    /// When ``tick(at:)`` must be called; nil without viewers.
    var deadline: Instant? {
        let ends = shared.values.map { $0.unusedSince.map { $0 + EventHub.lingering } }
        let all = shared.values.map(\.source.deadline) + viewers.values.map(\.trialEnd) + ends + [nextKeepalive]
        return all.compactMap { $0 }.min()
    }

    /// The number of viewers, without those that were refused.
    var viewerCount: Int { viewers.count }

    /// Whether the events are those of a viewer that was not refused.
    func hasViewer(_ queue: EventQueue) -> Bool { viewers[ObjectIdentifier(queue)] != nil }

    /// Adds a viewer, and returns its events, or those of a refusal.
    ///
    /// - Parameters:
    ///   - browser: A text by which windows of one browser are recognized; nil if they cannot be.
    ///   - mayEdit: Whether the viewer may change monitors, which the page shows.
    func add(_ selection: EventSelection, browser: String?, mayEdit: Bool) -> EventQueue {
        let queue = EventQueue()
        let windows = windowCount(of: browser)
        guard windows <= EventHub.maxOfBrowser, viewers.count < EventHub.maxViewers else {
            refuse(queue, limit: windows > EventHub.maxOfBrowser ? EventHub.maxOfBrowser : EventHub.maxViewers)
            return queue
        }
        let facts: JSONValue = [
            "version": .string(SextantVersion.current), "edit": .bool(mayEdit),
            "interval": .int(Int64(EventHub.interval)),
        ]
        queue.offer(Array("retry: 2000\n".utf8) + EventHub.frame("hello", facts.bytes), kind: "hello")
        if let lossDetail { queue.offer(EventHub.lost(lossDetail), kind: "daemon") }
        viewers[ObjectIdentifier(queue)] = Viewer(
            queue: queue, streams: selection.streams, browser: browser,
            trialEnd: windows == EventHub.maxOfBrowser ? loop.now + EventHub.trial : nil)
        if nextKeepalive == nil { nextKeepalive = loop.now + .seconds(Double(EventHub.interval)) }
        for stream in selection.streams { join(stream, queue) }
        return queue
    }

    /// The streams of a browser, without those that must ask again: these end soon.
    private func windowCount(of browser: String?) -> Int {
        browser == nil ? 0 : viewers.values.count { $0.browser == browser && $0.keepalives < 2 }
    }

    private func refuse(_ queue: EventQueue, limit: Int) {
        let limit: JSONValue = ["limit": .int(Int64(limit))]
        queue.offer(EventHub.frame("full", limit.bytes), kind: "full")
        queue.endAfterWaiting()
        remove(queue)
    }

    /// Removes a viewer. Streams that nobody looks at end soon.
    func remove(_ queue: EventQueue) {
        guard let viewer = viewers.removeValue(forKey: ObjectIdentifier(queue)) else { return }
        if viewers.isEmpty { nextKeepalive = nil }
        for stream in viewer.streams where !viewers.values.contains(where: { $0.streams.contains(stream) }) {
            shared[stream]?.unusedSince = loop.now
        }
    }

    /// Connects again, ends streams and sends keepalives, if it is time.
    func tick(at now: Instant) {
        for (stream, entry) in shared {
            if let since = entry.unusedSince, now - since >= EventHub.lingering {
                shared.removeValue(forKey: stream)?.source.request(nil)
            } else {
                entry.source.tick(at: now)
            }
        }
        for (key, viewer) in viewers where viewer.trialEnd.map({ now >= $0 }) ?? false {
            viewers[key]?.trialEnd = nil
            guard windowCount(of: viewer.browser) > EventHub.maxOfBrowser else { continue }
            refuse(viewer.queue, limit: EventHub.maxOfBrowser)
        }
        guard let due = nextKeepalive, now >= due else { return }
        nextKeepalive = now + .seconds(Double(EventHub.interval))
        for key in viewers.keys { keepAlive(key) }
    }

    /// Sends a viewer a keepalive. After the second one it must ask again, else it has stopped: the
    /// kernel goes on reading for a page whose process is stopped.
    private func keepAlive(_ key: ObjectIdentifier) {
        viewers[key]?.keepalives += 1
        guard let viewer = viewers[key] else { return }
        switch viewer.keepalives {
        case 1: viewer.queue.offer(Array(":\n\n".utf8), kind: "comment")
        case 2: viewer.queue.offer(EventHub.frame("renew", Array("{}".utf8)), kind: "renew")
        default:
            viewer.queue.endAfterWaiting()
            remove(viewer.queue)
        }
    }

    /// Shows a viewer the latest events of a stream, with the time since they have arrived.
    private func join(_ stream: EventStream, _ queue: EventQueue) {
        if let entry = shared[stream] {
            shared[stream]?.unusedSince = nil
            for (kind, event) in entry.latest {
                let seconds = loop.now - event.time
                queue.offer(EventHub.frame(stream.name, EventHub.aged(event.data, by: seconds)), kind: kind)
            }
            return
        }
        let call = stream.call
        let source = Source(
            PassedParameters.method(call.method), of: daemon, in: loop, isInSession: stream.isLocation
        ) { [weak self] in self?.handle($0, of: stream) }
        shared[stream] = Shared(source: source)
        source.request(AnyMessage(members: call.parameters))
    }

    private func handle(_ event: Source.Event, of stream: EventStream) {
        switch event {
        case .reply(let reply):
            noticeAnswer()
            receive(reply.bytes, of: stream)
        case .lost(.failed(_, let error)):
            noticeAnswer()
            let refusal: JSONValue = [
                "stream": .string(stream.name), "error": .string(error.name), "parameters": .object(error.parameters),
            ]
            shared[stream]?.latest = [:]
            send(EventHub.frame("refused", refusal.bytes), kind: "refused " + stream.name) {
                $0.streams.contains(stream)
            }
        case .lost(let error): lose("\(error)")
        }
    }

    /// Sends a reply to those who look at its stream, and keeps it for later ones.
    ///
    /// Events of a monitor do not replace each other. Of a monitor that exists its state is kept.
    private func receive(_ data: [UInt8], of stream: EventStream) {
        var (kind, key) = (stream.name, stream.name)
        var kept: [UInt8]? = data
        if stream == .monitors, var members = (try? JSONValue(parsing: data))?.object {
            key += " \(members["program"]?.string ?? "") \(members["name"]?.string ?? "")"
            kind = key + (members["event"]?["id"]?.int.map { " \($0)" } ?? "")
            for name in ["event", "record"] { members[name] = nil }
            kept = members["monitor"] == nil ? nil : JSONValue.object(members).bytes
        }
        shared[stream]?.latest[key] = kept.map { ($0, loop.now) }
        send(EventHub.frame(stream.name, data), kind: kind) { $0.streams.contains(stream) }
    }

    /// Tells the viewers if the daemon was away and has answered.
    private func noticeAnswer() {
        loss.reset()
        guard lossDetail.take() != nil else { return }
        send(EventHub.frame("daemon", Array("{\"connected\":true}".utf8)), kind: "daemon") { _ in true }
    }

    /// Each reason is told and logged once. The streams are requested again by themselves.
    private func lose(_ detail: String) {
        if loss.shouldLog(detail) { log.write("\(detail); trying again", priority: .warning) }
        guard lossDetail != detail else { return }
        lossDetail = detail
        send(EventHub.lost(detail), kind: "daemon") { _ in true }
    }

    private func send(_ frame: [UInt8], kind: String, to isConcerned: (Viewer) -> Bool) {
        for viewer in viewers.values where isConcerned(viewer) { viewer.queue.offer(frame, kind: kind) }
    }

    private static func lost(_ detail: String) -> [UInt8] {
        let state: JSONValue = ["connected": false, "detail": .string(detail)]
        return frame("daemon", state.bytes)
    }

    /// An event as text (WHATWG HTML, section 9.2.5).
    static func frame(_ name: String, _ data: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(data.count + name.utf8.count + 18)
        frame += "event: \(name)\ndata: ".utf8
        // A line break in JSON is white space.
        frame += data.contains { $0 == 10 || $0 == 13 } ? data.map { $0 == 10 || $0 == 13 ? 32 : $0 } : data
        frame += "\n\n".utf8
        return frame
    }

    /// An object with the seconds since it has arrived as another member.
    static func aged(_ data: [UInt8], by time: Instant.Span) -> [UInt8] {
        guard data.first == UInt8(ascii: "{"), data.count > 2 else { return data }
        let seconds = Double(time.nanoseconds / 1_000_000) / 1000
        return Array("{\"heldFor\":\(seconds),".utf8) + data.dropFirst()
    }
}

extension EventStream {
    fileprivate var isLocation: Bool { if case .location = self { true } else { false } }
}
