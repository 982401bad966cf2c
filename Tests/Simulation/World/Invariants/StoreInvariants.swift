extension Invariant {
    /// The state on disk.
    static let store = [
        Invariant(38, "only a file whose durable bytes are damaged is moved aside"),
        Invariant(39, "after a power cut the database is intact"),
        Invariant(40, "a refused call changed nothing, an unanswered one everything or nothing"),
        Invariant(41, "an error is logged once when it begins and once when it ends"),
        Invariant(32, "no byte is written to a passive receiver"),
        Invariant(43, "the heap is within 128 kB of its size at the start"),
        Invariant(42, "bytes, connections, descriptors and disk of a user are within limits"),
        Invariant(49, "no two turns at one instant without progress"),
    ]
}

extension Invariant {
    /// The quiet end of a run.
    static let recovery = [
        Invariant(50, "each present receiver has fixes within 30 s"),
        Invariant(51, "each allowed stream gets updates within its interval and 10 s"),
        Invariant(52, "exactly the allowed, unexpired conditions within limits are monitored within 60 s"),
        Invariant(54, "the state can be saved after 10 min"),
        Invariant(55, "a further restart changes nothing that clients see"),
    ]
}
