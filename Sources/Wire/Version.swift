/// The version of daemon and command line, which are released together.
public enum SextantVersion {
    /// Semantic version.
    public static let current = "0.1.0"
    /// Day of the release. No receiver that runs under this version can truly tell an earlier date, so it is the floor that undoes a week
    /// rollover on hosts without a clock of their own.
    public static let released = "2026-11-21"
}
