/// One thing that doctor looked at.
struct Check: Encodable, Equatable {
    /// What is looked at.
    enum Subject: String, Encodable {
        case socket, device, permission, holder, speed, sentences, antenna, fix, accuracy
        // Of a fence.
        case fence, watched, store, position, size, distance, pending, listener

        /// What stands between a receiver and a position, in the order in which one is made.
        static let ofPosition: [Subject] = [.socket, .device, .permission, .holder, .speed, .sentences, .antenna, .fix, .accuracy]
    }

    /// How it is.
    enum State: String, Encodable {
        case ok
        case wrong
        /// Not looked at, because something before it is wrong, or because it cannot be told.
        case skipped
    }

    var check: Subject
    var state: State
    /// What was found, in words.
    var finding: String
    /// What mends it.
    var mend: String?
    /// The command that mends it, or that shows more.
    var command: String?

    static func ok(_ check: Subject, _ finding: String) -> Check {
        Check(check: check, state: .ok, finding: finding)
    }

    static func wrong(_ check: Subject, _ finding: String, mend: String, command: String? = nil) -> Check {
        Check(check: check, state: .wrong, finding: finding, mend: mend, command: command)
    }

    static func skipped(_ check: Subject, _ reason: String) -> Check {
        Check(check: check, state: .skipped, finding: reason)
    }
}
