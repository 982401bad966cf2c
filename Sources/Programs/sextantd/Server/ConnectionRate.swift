import Chronology

/// The rate of new connections of each user.
///
/// Only connections that the other limits of the user allow count. The administrator (user 0) has
/// no limit.
struct ConnectionRate {
    /// The maximum number of new connections of one user per second, on average.
    static let perSecond = 100
    /// The maximum number of new connections of one user at once.
    static let burst = 200

    private var limits: [UInt32: RateLimit] = [:]

    /// Counts a new connection of a user and returns whether it is within the limit.
    mutating func admits(user: UInt32, at now: Instant) -> Bool {
        guard user != 0 else { return true }
        if let isAdmitted = limits[user]?.admits(at: now) { return isAdmitted }
        // Users who may have a whole burst need no entry.
        limits = limits.filter { !$0.value.isUnused(at: now) }
        var limit = RateLimit(perSecond: ConnectionRate.perSecond, burst: ConnectionRate.burst)
        let isAdmitted = limit.admits(at: now)
        limits[user] = limit
        return isAdmitted
    }
}
