import Chronology
import Positioning
import Wire

/// Whether to ask the daemon for the direction of the device.
///
/// Few receivers have a compass or two antennas. With any other, the daemon reports the course,
/// which is no attitude (``AttitudeReport``), at the cost of a reply for every epoch.
struct AttitudeDemand {
    /// The number of courses in succession after which the device seems to have nothing better: a
    /// second antenna may start late.
    private static let maxCourses = 5
    /// How long the daemon is not asked then.
    private static let retryInterval = Instant.Span.seconds(60)

    private var courses = 0
    private var retryTime: Instant?

    /// Whether to ask at this time. A wakeup of its own is not worth it.
    func isWanted(at now: Instant) -> Bool { retryTime.map { now >= $0 } ?? true }

    /// Records a direction of the daemon.
    mutating func receive(_ heading: HeadingMessage, at now: Instant) {
        guard heading.source == .course else {
            (courses, retryTime) = (0, nil)
            return
        }
        courses += 1
        guard courses >= AttitudeDemand.maxCourses else { return }
        (courses, retryTime) = (0, now + AttitudeDemand.retryInterval)
    }
}
