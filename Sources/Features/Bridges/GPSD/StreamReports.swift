import Chronology
import SextantAPI
import Varlink

/// The reports of one epoch in the forms that clients watch.
struct StreamReports {
    /// The form of a client's stream.
    struct Form: Hashable {
        let json: Bool
        let sentences: Bool

        init(json: Bool, sentences: Bool) { (self.json, self.sentences) = (json, sentences) }

        /// The form for a client.
        ///
        /// - Parameter writesRaw: Whether a client with `raw` gets sentences written from the
        ///   location, because the daemon refuses those of the receiver.
        init(_ policy: WatchPolicy, writesRaw: Bool) {
            self.init(
                json: policy.json, sentences: policy.raw > 0 ? writesRaw : policy.nmea)
        }

        /// All forms that are not empty.
        static let all = [
            Form(json: true, sentences: false), Form(json: false, sentences: true), Form(json: true, sentences: true),
        ]
    }

    private let includesSky: Bool
    /// The parts that a client has needed so far.
    private var objects: [UInt8]?
    private var sentences: [UInt8]?

    /// Creates the reports of one device; each part is encoded when a client needs it.
    ///
    /// - Parameter includesSky: Whether to report the satellites.
    init(includesSky: Bool) { self.includesSky = includesSky }

    mutating func bytes(_ form: Form, of view: DeviceView, sentences writer: inout LocationSentences) -> [UInt8] {
        (form.json ? objects(of: view) : []) + (form.sentences ? sentences(of: view, with: &writer) : [])
    }

    /// TPV is always first: clients that read one line of a packet and lose the others then get the
    /// position.
    private mutating func objects(of view: DeviceView) -> [UInt8] {
        if let objects { return objects }
        var bytes = view.tpv.report.bytes + [13, 10]
        if let location = view.location, let gst = ErrorStatisticsReport(location, device: view.device) {
            bytes += Answers.line { gst.write(to: &$0) }
        }
        if let attitude = view.attitude { bytes += Answers.line { attitude.write(to: &$0) } }
        if includesSky, let receiver = view.receiver, receiver.lastEpoch != nil {
            let sky = SkyReport(receiver)
            bytes += Answers.line { sky.write(to: &$0) }
        }
        objects = bytes
        return bytes
    }

    private mutating func sentences(of view: DeviceView, with writer: inout LocationSentences) -> [UInt8] {
        if let sentences { return sentences }
        let time = view.location == nil ? view.receiver?.lastEpoch : view.location?.timestamp
        let bytes = time != nil ? writer.bytes(view.location, receiver: view.receiver) : []
        sentences = bytes
        return bytes
    }
}

/// One client of ``GPSDServer``.
struct GPSDClient {
    var parser = RequestParser()
    var policy = WatchPolicy()
    /// A request that waits for data of the daemon.
    var postponed: Request?
    var lastActivity: Instant
    /// When a client without a stream last asked for the state.
    var lastPoll: Instant?

    /// Creates a client that connects at `now`.
    init(at now: Instant) { lastActivity = now }

    /// Returns the next request, or nil if none is complete or one is postponed.
    mutating func nextRequest() -> Request? { postponed == nil ? parser.next() : nil }

    /// Returns the postponed request, which is then no longer postponed.
    mutating func takePostponed() -> Request? {
        defer { postponed = nil }
        return postponed
    }
}

extension [ClientID: GPSDClient] {
    /// The clients with a stream of the device, or of another receiver, and such a policy.
    func watching(
        _ path: String?, in state: DaemonState, where isIncluded: (WatchPolicy) -> Bool = { _ in true }
    ) -> [ClientID] {
        let device = state.device
        return filter { _, client in
            let selection = client.policy.device
            let isSelected = path == nil ? selection == nil || selection == device : selection == path
            return isSelected && client.policy.isStreaming && isIncluded(client.policy)
        }.map(\.key)
    }

    func among(_ ids: [ClientID], with form: StreamReports.Form, writesRaw: Bool) -> [ClientID] {
        ids.filter { id in self[id].map { StreamReports.Form($0.policy, writesRaw: writesRaw) == form } ?? false }
    }

    /// The clients that do not watch and have sent nothing for long.
    func idle(for limit: Instant.Span, at now: Instant) -> [ClientID] {
        filter { !$0.value.policy.enable && now - $0.value.lastActivity >= limit }.map(\.key)
    }
}
