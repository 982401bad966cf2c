import CLinux
import Chronology

/// Returns unused memory to the system after work that needed code and memory for a short time.
///
/// Clients can trigger such work, and a release takes a fraction of a millisecond. The rate is
/// therefore limited. A release that would exceed it follows later, even if nothing else happens
/// then.
package final class MemoryTrimmer {
    private let minInterval: Instant.Span
    private var isRequested = false
    private var lastRelease = Instant.zero

    /// - Parameter minInterval: The minimum interval between releases.
    package init(minInterval: Instant.Span = .seconds(1)) { self.minInterval = minInterval }

    /// Requests a release at the end of a turn.
    package func requestTrim() { isRequested = true }

    /// When a requested release is due; nil if none is requested.
    package var deadline: Instant? { isRequested ? lastRelease + minInterval : nil }

    /// Releases memory if requested and the last release is long enough ago.
    package func trimIfRequested(at now: Instant) {
        guard isRequested, now - lastRelease >= minInterval else { return }
        isRequested = false
        lastRelease = now
        MemoryTrimmer.trim()
    }

    package static func trim() { linux_release_memory() }
}
