import Chronology

/// The wait for the group of a device that has appeared again. The kernel creates the device for
/// root only, and udev sets its group a moment later.
struct PermissionWait: Sendable {
    /// How long the permission may be refused before that is reported.
    static let limit = Instant.Span.seconds(2)

    /// Whether the device was missing when it was last seen.
    private var wasMissing = false
    /// When the permission was first refused since the device appeared again; nil if it was not.
    private var refusedSince: Instant?

    mutating func deviceIsMissing() { (wasMissing, refusedSince) = (true, nil) }
    mutating func deviceWasOpened() { (wasMissing, refusedSince) = (false, nil) }

    /// Records a refusal. Returns whether the device may not have its group yet.
    mutating func isPending(at now: Instant) -> Bool {
        guard wasMissing else { return false }
        let since = refusedSince ?? now
        refusedSince = since
        return now - since < PermissionWait.limit
    }
}
