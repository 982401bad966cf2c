import Chronology

/// When the first byte of the current burst arrived, if the port was watched at that time.
///
/// The delay from an epoch to the first byte of its burst varies less than that to the last one,
/// whose position depends on the number of satellites.
struct BurstStart: Sendable {
    /// The shortest time without a byte between two bursts, as in `EpochAssembler`: USB bridges and
    /// FTDI latency timers hold bytes back for less.
    static let minSilence = Instant.Span.milliseconds(80)

    /// When the first byte arrived; nil if that was not observed.
    private(set) var instant: Instant?
    /// Since when every byte has woken the reader; nil while that is unknown.
    private var watchedSince: Instant?
    private var lastArrival: Instant?

    /// Records that every byte wakes the reader from now on.
    mutating func watch(at now: Instant) { watchedSince = watchedSince ?? now }

    /// Records that bytes may arrive unnoticed from now on.
    mutating func ignore() { watchedSince = nil }

    /// Records that bytes have woken the reader. They begin a burst if none arrived for
    /// ``minSilence``, which is known only if the port was watched for that time.
    mutating func recordArrival(at now: Instant) {
        let isSilent = lastArrival.map { now - $0 >= BurstStart.minSilence } ?? true
        if isSilent {
            instant = watchedSince.map { now - $0 >= BurstStart.minSilence } ?? false ? now : nil
        }
        lastArrival = now
        watch(at: now)
    }

    /// Records a read of bytes of which at least the first arrived unnoticed.
    mutating func recordUnnoticed(at now: Instant) {
        instant = nil
        lastArrival = now
    }

    /// Records a read of a burst whose first byte was observed.
    mutating func recordRead(at now: Instant) { lastArrival = now }
}
