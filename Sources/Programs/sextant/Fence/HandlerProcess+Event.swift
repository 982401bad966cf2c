import Geofencing
import Varlink
import Wire

extension HandlerProcess {
    /// Starts the command of an event.
    init(command: String, run: EventHandlerQueue.Run, monitor: String) throws(CommandError) {
        try self.init(
            command: command, input: run.event, variables: HandlerProcess.variables(of: run, monitor: monitor))
    }

    /// Returns the environment variables of an event.
    private static func variables(of run: EventHandlerQueue.Run, monitor: String) -> [String] {
        let event = run.event
        var variables = [
            "SEXTANT_MONITOR=\(monitor)", "SEXTANT_FENCE=\(event.identifier)", "SEXTANT_EVENT=\(event.id)",
            "SEXTANT_KIND=\(event.kind.rawValue)", "SEXTANT_STATE=\(event.state.rawValue)",
            "SEXTANT_DATE=\(event.date ?? event.recorded)",
            "SEXTANT_ATTEMPT=\(run.attempt)",
        ]
        if let place = event.location {
            variables += ["SEXTANT_LATITUDE=\(place.latitude)", "SEXTANT_LONGITUDE=\(place.longitude)"]
            variables.append("SEXTANT_ACCURACY=\(place.horizontalAccuracy)")
        }
        if let margin = event.margin { variables.append("SEXTANT_MARGIN=\(margin)") }
        if let metadata = event.metadata {
            variables.append("SEXTANT_METADATA=" + String(decoding: JSONValue.object(metadata).bytes, as: UTF8.self))
        }
        return variables
    }
}
