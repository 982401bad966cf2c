/// The bytes that the daemon holds for the connections of each user: requests that are not served
/// and replies that are not read.
///
/// A connection is limited already. This limits the many that a user may have.
struct BufferedBytes {
    /// The maximum of a user: 32 MiB. Clients that read need far less. User 0 has no limit.
    static let maxPerUser = 32 << 20
    /// Beyond this, further updates of the user's batched streams replace each other.
    static let maxOrderedPerUser = maxPerUser / 2

    private var perUser: [UInt32: Int] = [:]

    /// The bytes that are held for a user.
    subscript(user: UInt32) -> Int { perUser[user] ?? 0 }

    /// Records that the bytes held for one of a user's connections have changed.
    ///
    /// - Returns: Whether the user is within the limit.
    mutating func change(of user: UInt32, from old: Int, to new: Int) -> Bool {
        let sum = max(0, self[user] - old + new)
        perUser[user] = sum == 0 ? nil : sum
        return user == 0 || sum <= BufferedBytes.maxPerUser || new <= old
    }
}
