/// What programs may have in monitors.
struct MonitorLimits: Equatable {
    /// Monitors that one program may have.
    static let mostMonitors = 64
    /// A program may keep so many times as many conditions as are watched for it.
    private static let keptForEachWatched = 10

    /// Conditions that are watched for one program; nil: any number.
    var watched: Int?
    /// Conditions that are kept for all programs together.
    var inAll: Int

    init(_ settings: Settings) {
        watched = settings.maxConditionsPerProgram == 0 ? nil : settings.maxConditionsPerProgram
        inAll = settings.maxConditions
    }

    /// Conditions that are kept for one program, watched or not.
    var kept: Int { watched.map { min(inAll, $0 * MonitorLimits.keptForEachWatched) } ?? inAll }
}
