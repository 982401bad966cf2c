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

    /// Returns the reports in a form.
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
