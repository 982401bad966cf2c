import Testing

/// Tests of the whole program on pseudo-terminals. They run one at a time: some measure time, and
/// the machine may be small.
@Suite(.serialized) struct WholeDaemon {}
