import CLinux
import Chronology

/// Returns unused memory to the system after work that needed code and memory for a short time.
///
/// Clients can trigger such work, and a release takes a fraction of a millisecond. The rate is
/// therefore limited. A release that would exceed it follows later, even if nothing else happens
/// then.
final class MemoryTrimmer {
    /// The minimum interval between releases.
    private static let minInterval = Instant.Span.seconds(1)

    private var isRequested = false
    private var lastRelease = Instant.zero

    /// Requests a release at the end of a turn.
    func requestTrim() { isRequested = true }

    /// When a requested release is due; nil if none is requested.
    var deadline: Instant? { isRequested ? lastRelease + MemoryTrimmer.minInterval : nil }

    /// Releases memory if requested and the last release is long enough ago.
    func trimIfRequested(at now: Instant) {
        guard isRequested, now - lastRelease >= MemoryTrimmer.minInterval else { return }
        isRequested = false
        lastRelease = now
        MemoryTrimmer.trim()
    }

    /// Releases memory now.
    static func trim() { linux_release_memory() }
}
