/// What `sextant doctor bridges` finds out about the programs that use other protocols.
struct BridgeObservations {
    /// Who serves gpsd's port.
    enum GPSDPort: Equatable {
        /// Nobody.
        case free
        case bridge
        /// A gpsd, which states this release; nil while it starts and does not answer yet.
        case other(release: String?)
        /// A program that is not a gpsd.
        case unknown
    }

    /// The socket of GeoClue's bridge.
    enum GeoClue: Equatable {
        /// The socket of the bridge does not exist.
        case disabled
        /// GeoClue has no line with the socket in its configuration.
        case notConfigured
        /// No agent runs, so GeoClue gives no program a location.
        case withoutAgent
        case complete
    }

    /// chrony's socket.
    enum Chrony: Equatable {
        /// `sextant-time` is not enabled, and there is no socket.
        case disabled
        /// There is no socket at the path.
        case missing
        /// The user of the bridge may not write to it.
        case denied
        /// No program reads it.
        case unread
        /// Its line has an offset, so the delay is corrected twice.
        case offset
        case complete
    }

    var port: GPSDPort
    var geoclue: GeoClue
    var chrony: Chrony
    /// The path of chrony's socket.
    var chronyPath: String
}

/// The checks of the bridges. A bridge that is not enabled is no problem.
struct BridgeDiagnosis {
    let observations: BridgeObservations

    var checks: [Check] { [port, geoclue, chrony] }

    private var port: Check {
        switch observations.port {
        case .free:
            .skipped(
                .gpsd,
                reason: "sextant-gpsd.socket is not enabled; to enable it: "
                    + "sudo systemctl enable --now sextant-gpsd.socket sextant-gpsd6.socket")
        case .bridge: .ok(.gpsd, finding: "the bridge serves port 2947")
        case .other(let release):
            .wrong(
                .gpsd,
                finding: "gpsd\(release.map { " \($0)" } ?? "") serves port 2947 instead of the bridge"
                    + (release == nil ? "; it does not answer yet" : ""),
                remedy: "stop it and enable the bridge",
                command: "sudo systemctl disable --now gpsd.socket gpsd.service && "
                    + "sudo systemctl enable --now sextant-gpsd.socket sextant-gpsd6.socket")
        case .unknown:
            .wrong(
                .gpsd, finding: "a program that is not a gpsd serves port 2947", remedy: "find the program and stop it",
                command: "sudo ss -ltnp sport = :2947")
        }
    }

    private var geoclue: Check {
        switch observations.geoclue {
        case .disabled: .skipped(.geoclue, reason: "sextant-geoclue.socket is not enabled")
        case .notConfigured:
            .wrong(
                .geoclue, finding: "the configuration of GeoClue does not name /run/sextant-geoclue.sock",
                remedy: "set enable=true and nmea-socket=/run/sextant-geoclue.sock in the section [network-nmea]",
                command: "sudoedit /etc/geoclue/geoclue.conf")
        case .withoutAgent:
            .wrong(
                .geoclue, finding: "no agent of GeoClue runs; without an agent, GeoClue gives no program a location",
                remedy: "start the agent of the desktop, or the demonstration agent",
                command: "/usr/libexec/geoclue-2.0/demos/agent")
        case .complete: .ok(.geoclue, finding: "GeoClue reads the bridge, and an agent runs")
        }
    }

    private var chrony: Check {
        let path = observations.chronyPath
        switch observations.chrony {
        case .disabled: return .skipped(.chrony, reason: "sextant-time is not enabled")
        case .missing:
            return .wrong(
                .chrony, finding: "chrony has no socket at \(path)",
                remedy: "add the line \"refclock SOCK \(path) refid GNSS delay 0.4\" to its configuration, "
                    + "and restart it",
                command: "sudoedit /etc/chrony/conf.d/sextant.conf && sudo systemctl restart chrony")
        case .denied:
            return .wrong(
                .chrony, finding: "the user sextant-time may not write to \(path)",
                remedy: "restart chrony: the package's file for chrony.service gives the permission",
                command: "sudo systemctl daemon-reload && sudo systemctl restart chrony")
        case .unread:
            return .wrong(
                .chrony, finding: "no program reads \(path): chrony has ended", remedy: "start chrony",
                command: "sudo systemctl restart chrony")
        case .offset:
            return .wrong(
                .chrony, finding: "chrony's line for \(path) has an offset, so the delay is corrected twice",
                remedy: "replace \"offset ...\" by \"delay 0.4\", and restart chrony",
                command: "sudoedit /etc/chrony/conf.d/sextant.conf && sudo systemctl restart chrony")
        case .complete: return .ok(.chrony, finding: "chrony reads \(path)")
        }
    }
}
