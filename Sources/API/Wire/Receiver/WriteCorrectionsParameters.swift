import Varlink

extension ReceiverMethods {
    /// Writes corrections to a receiver.
    package static let writeCorrections = Method<WriteCorrectionsParameters, WriteCorrectionsReply>(
        "WriteCorrections", of: .receiver)
}

/// The parameters of `io.sextant.Receiver.WriteCorrections`.
package struct WriteCorrectionsParameters: Codable, Sendable, Equatable {
    /// The maximum number of frames of a call.
    package static let maxFrames = 16

    /// The frames of RTCM 3 in base 64.
    package var frames: [String]
    /// Where they come from, for display.
    package var source: String
    /// The name or port of the receiver. Absent: the primary receiver.
    package var receiver: String?

    /// Creates the parameters.
    package init(frames: [String], source: String, receiver: String? = nil) {
        self.frames = frames
        self.source = source
        self.receiver = receiver
    }

    /// Whether the source can be displayed: it is short and has no control characters.
    package var hasDisplayableSource: Bool {
        !source.isEmpty && FeedParameters(name: "", product: source).hasDisplayableProduct
    }
}

/// The reply to `io.sextant.Receiver.WriteCorrections`.
package struct WriteCorrectionsReply: Codable, Sendable, Equatable {
    /// The name of the receiver; absent if there is none.
    package var receiver: String?
    /// Whether frames are written.
    package var written: Bool
    /// Why none, or not all of them, are written; absent if they are.
    package var detail: String?

    /// Creates a reply.
    package init(receiver: String?, written: Bool, detail: String? = nil) {
        self.receiver = receiver
        self.written = written
        self.detail = detail
    }
}
