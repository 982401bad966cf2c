import Glibc

/// The limit of open files of this process.
package enum DescriptorLimit {
    /// Raises the soft limit to the hard limit, at most 65,536. Each client needs a descriptor, and
    /// the default soft limit is 1,024.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
