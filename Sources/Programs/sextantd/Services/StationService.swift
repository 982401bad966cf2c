import Chronology
import Geodesy
import Locator
import Logging
import Permission
import Positioning
import SextantAPI
import SystemCalls
import Varlink

/// Gives the core the fixed place of the configuration with the time of the host's clock, and
/// reports what receivers say about it.
final class StationService: Service {
    let context: ServiceContext
    let methods: [String] = []
    /// What was found last, and for which place and when a warning was logged last.
    private var loggedVerdict = StationVerdict.unchecked
    private var warned: (place: Station, at: Instant)?
    /// The least time between two warnings about one place.
    private static let warningInterval = Instant.Span.seconds(24 * 3600)

    init(_ context: ServiceContext) { self.context = context }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) { throw call.methodNotImplemented }

    func apply(_ settings: Settings, at now: Instant) {
        context.locator.setStation(settings.station, clock: HostClock.utcIfSet, at: now)
    }

    /// Updates the time of the host's clock, which may have been set, before locations are made.
    func updateClock(at now: Instant) {
        if context.locator.fixedPlace != nil {
            context.locator.fixedPlace?.clock = HostClock.utcIfSet.map { ($0, now) }
        }
    }

    func tick(at now: Instant) {
        updateClock(at: now)
        let isOn = permissions.locationSwitch.isOn
        if let station = context.locator.fixedPlace, station.isChecked != isOn {
            context.locator.fixedPlace?.isChecked = isOn
        }
    }

    /// Logs a change of what receivers say, at most once a day for one place.
    func endTurn(at now: Instant) {
        let station = context.locator.fixedPlace
        let check = station?.check
        guard let verdict = check?.verdict ?? (loggedVerdict == .unchecked ? nil : .unchecked),
            verdict != loggedVerdict
        else { return }
        loggedVerdict = verdict
        guard let place = station?.station, let last = check?.last else { return }
        let wasWarned = warned.map { $0.place == place && now - $0.at < StationService.warningInterval } ?? false
        if wasWarned { return }
        if verdict == .moved { warned = (place, now) }
        let metadata: Logger.Metadata = ["receiver": "\(last.receiver)"]
        if verdict == .moved {
            log.warning(
                """
                the fixed place has moved: \(last.receiver) is \(Int(last.distance.rounded())) m from [station] in the \
                configuration, and clients still get that; see: sextant doctor
                """, metadata: metadata)
        } else if verdict == .agrees {
            log.notice("\(last.receiver) agrees with the fixed place in the configuration", metadata: metadata)
        }
    }
}

extension StationReport {
    /// Creates the message of a fixed place and its check.
    init(_ place: FixedPlace, at now: Instant) {
        let station = place.station
        self.init(
            name: station.name, latitude: station.coordinate.latitude, longitude: station.coordinate.longitude,
            horizontalAccuracy: station.horizontalAccuracy, altitude: station.altitude,
            verdict: place.check.verdict(at: now))
        guard let last = place.check.last else { return }
        receiver = last.receiver
        distance = last.distance
        measuredAccuracy = last.horizontalAccuracy
        measured = HostClock.utcIfSet?.advanced(by: last.at - now)
    }
}
