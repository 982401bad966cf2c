/// The version of the daemon and the command line, which are released together.
package enum SextantVersion {
    /// The semantic version.
    package static let current = "0.1.0"
    /// The day of the release. A receiver that runs with this version cannot correctly report an
    /// earlier date. The date is therefore the lower bound for correcting week rollovers on hosts
    /// without a clock.
    package static let releaseDate = "2026-11-26"
}
