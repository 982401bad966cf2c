import Varlink
import Wire

/// The reports of one epoch in the forms that clients watch.
struct StreamReports {
    /// The form of a client's stream.
    struct Form: Hashable {
        let json: Bool
        let sentences: Bool

        init(json: Bool, sentences: Bool) { (self.json, self.sentences) = (json, sentences) }

        init(_ policy: WatchPolicy) { self.init(json: policy.json, sentences: policy.wantsSentences) }

        /// All forms that are not empty.
        static let all = [
            Form(json: true, sentences: false), Form(json: false, sentences: true), Form(json: true, sentences: true),
        ]
    }

    private let objects: [UInt8]
    private let sentences: [UInt8]

    /// Creates the reports of the present state. TPV is always first: clients that read one line
    /// of a packet and lose the others then get the position.
    ///
    /// - Parameter includesSky: Whether to report the satellites.
    init(_ feed: DaemonState, includesSky: Bool, sentences writer: inout LocationSentences) {
        let receiver = feed.receiver
        let tpv = StreamReports.tpv(feed)
        var objects = tpv.report.bytes + [13, 10]
        if let location = feed.location, let gst = ErrorStatisticsReport(location, device: feed.device) {
            objects += Answers.line { gst.write(to: &$0) }
        }
        if includesSky, let receiver, receiver.lastEpoch != nil {
            let sky = SkyReport(receiver)
            objects += Answers.line { sky.write(to: &$0) }
        }
        self.objects = objects
        sentences = tpv.time == nil ? [] : writer.bytes(feed.location, receiver: receiver)
    }

    static func tpv(_ feed: DaemonState) -> TPV {
        feed.location.map { TPV($0, device: feed.device) }
            ?? TPV(withoutFixAt: feed.receiver?.lastEpoch, device: feed.device)
    }

    func bytes(_ form: Form) -> [UInt8] { (form.json ? objects : []) + (form.sentences ? sentences : []) }
}
