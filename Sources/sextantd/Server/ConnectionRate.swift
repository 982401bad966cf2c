import Chronology

/// The rate of new connections of each user, as a token bucket.
///
/// Only accepted connections count. The administrator (user 0) has no limit.
struct ConnectionRate {
    /// The maximum number of new connections of one user per second, on average.
    static let perSecond = 100
    /// The maximum number of new connections of one user at once.
    static let burst = 200

    private struct Bucket {
        var tokens: Double
        var filled: Instant
    }

    private var buckets: [UInt32: Bucket] = [:]

    /// Counts a new connection of a user and returns whether it is within the limit.
    mutating func admits(user: UInt32, at now: Instant) -> Bool {
        guard user != 0 else { return true }
        var bucket = filled(buckets[user], at: now)
        let isAdmitted = bucket.tokens >= 1
        if isAdmitted { bucket.tokens -= 1 }
        // Users whose buckets are full need no entry.
        if buckets[user] == nil {
            buckets = buckets.filter { filled($0.value, at: now).tokens < Double(ConnectionRate.burst) }
        }
        buckets[user] = bucket
        return isAdmitted
    }

    private func filled(_ bucket: Bucket?, at now: Instant) -> Bucket {
        guard var bucket else { return Bucket(tokens: Double(ConnectionRate.burst), filled: now) }
        let added = max(0, (now - bucket.filled).seconds) * Double(ConnectionRate.perSecond)
        bucket.tokens = min(Double(ConnectionRate.burst), bucket.tokens + added)
        bucket.filled = now
        return bucket
    }
}
