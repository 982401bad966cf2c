import Testing

/// Tests of the whole program on pseudo-terminals. One at a time: some measure, and the machine may be small.
@Suite(.serialized) struct WholeDaemon {}
