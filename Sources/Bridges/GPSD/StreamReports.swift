import Varlink
import Wire

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

    /// Creates the reports of one state; each part is encoded when a client needs it.
    ///
    /// - Parameter includesSky: Whether to report the satellites.
    init(includesSky: Bool) { self.includesSky = includesSky }

    /// Returns the reports in a form.
    mutating func bytes(_ form: Form, of state: DaemonState, sentences writer: inout LocationSentences) -> [UInt8] {
        (form.json ? objects(of: state) : []) + (form.sentences ? sentences(of: state, with: &writer) : [])
    }

    /// TPV is always first: clients that read one line of a packet and lose the others then get the
    /// position.
    private mutating func objects(of state: DaemonState) -> [UInt8] {
        if let objects { return objects }
        var bytes = StreamReports.tpv(state).report.bytes + [13, 10]
        if let location = state.location, let gst = ErrorStatisticsReport(location, device: state.device) {
            bytes += Answers.line { gst.write(to: &$0) }
        }
        if let heading = state.attitude,
            let attitude = AttitudeReport(heading, device: state.port(ofReceiver: heading.receiver))
        {
            bytes += Answers.line { attitude.write(to: &$0) }
        }
        if includesSky, let receiver = state.receiver, receiver.lastEpoch != nil {
            let sky = SkyReport(receiver)
            bytes += Answers.line { sky.write(to: &$0) }
        }
        objects = bytes
        return bytes
    }

    private mutating func sentences(of state: DaemonState, with writer: inout LocationSentences) -> [UInt8] {
        if let sentences { return sentences }
        let time = state.location == nil ? state.receiver?.lastEpoch : state.location?.timestamp
        let bytes = time != nil ? writer.bytes(state.location, receiver: state.receiver) : []
        sentences = bytes
        return bytes
    }

    static func tpv(_ state: DaemonState) -> TPV {
        state.location.map { TPV($0, device: state.device) }
            ?? TPV(withoutFixAt: state.receiver?.lastEpoch, device: state.device)
    }
}
