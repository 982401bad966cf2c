import Chronology
import Geodesy
import Locator
import NMEA
import Permission
import Positioning
import SextantAPI
import TestSupport
import Varlink

/// Sample messages with all fields and with the fewest possible.
enum Samples {
    static let fullFix: Fix = {
        var fix = Fix(mode: .threeD, quality: .rtkFixed)
        fix.time = UTCTime(milliseconds: 1_795_000_000_250)
        fix.coordinate = Coordinate(latitude: -33.8567844, longitude: 151.2152967)
        fix.horizontalAccuracy = 0.021
        fix.accuracySource = .gst
        fix.verticalAccuracy = 0.04
        (fix.altitude, fix.ellipsoidalAltitude) = (4.5, 27.0)
        fix.speed = 12.5
        fix.speedAccuracy = 0.1
        fix.course = 254.25
        fix.courseAccuracy = 1.5
        (fix.satellitesUsed, fix.hdop) = (19, 0.52)
        fix.datum = "TOY"
        fix.isSimulated = true
        return fix
    }()

    static let minimalFix: Fix = {
        var fix = Fix(mode: .twoD, quality: .autonomous)
        fix.coordinate = Coordinate(latitude: 0.5, longitude: 0)
        (fix.horizontalAccuracy, fix.accuracySource) = (10, .assumed)
        return fix
    }()

    static func location(_ fix: Fix) -> Location? {
        Location(ReceiverFix(fix: fix, receiver: "ttyACM0", isAccessory: fix.isSimulated))
    }

    static let available = Update(
        location: ReceiverFix(fix: fullFix, receiver: "ttyACM0", isAccessory: true, age: .milliseconds(1250)))
    static let unavailable = Update(
        unavailability: Unavailability(.portBusy, detail: "/dev/ttyACM0 is in use by gpsd (pid 812)"))

    /// A Subscribe reply with every field, which no real update has.
    static let fullReply: SubscribeReply = {
        var update = available
        update.stationary = true
        update.stationarySince = UTCTime(milliseconds: 1_795_000_000_000)
        update.unavailability = unavailable.unavailability
        var message = SubscribeReply(update)
        message.permission = everyFlag
        return message.counted(sequence: 7, dropped: 2)
    }()

    static let everyFlag: PermissionFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .accuracyLimited, .serviceSessionRequired,
    ]
    static let everyDiagnostic: PermissionFlags = [
        .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted, .authorizationRequestInProgress,
        .insufficientlyInUse, .alwaysAuthorizationDenied, .fullAccuracyDenied,
    ]

    static let fullSatellite: Satellite = {
        var satellite = VisibleSatellite(system: .galileo, number: 11, signal: 7)
        satellite.elevation = 45
        satellite.azimuth = 270
        satellite.carrierToNoise = 41
        satellite.used = true
        return Satellite(satellite)
    }()

    static let minimalSatellite = Satellite(VisibleSatellite(system: .glonass, number: nil))

    /// Returns the core's report of a receiver that has sent `text`.
    static func report(of text: String) -> ReceiverReport? {
        var core = Locator()
        let id = ReceiverID(0)
        core.attach(id, name: "ttyACM0", port: "/dev/ttyACM0", status: .open, at: .zero)
        _ = core.receive(Array(text.utf8).span.bytes, from: id, at: .zero)
        core.finish(at: .zero)
        return core.reports(at: .zero).first
    }

    static let sentences = """
        $GNTXT,01,01,02,ANTSTATUS=OK*25\r
        $GNGGA,120000.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*7D\r

        """

    static func receiver(full: Bool) -> Receiver? {
        guard let report = report(of: full ? sentences : "") else { return nil }
        var message = Receiver(report)
        guard full else { return message }
        message.product = "u-blox 8 or M8"
        message.usb = "1546:01a8"
        message.serialNumber = "0815"
        message.baud = 9600
        message.detail = "as it should be"
        message.rate = 1
        message.lastEpoch = "2026-11-21T12:00:00.000Z"
        message.simulated = true
        message.network = true
        message.pdop = 1.6
        message.hdop = 0.9
        message.vdop = 1.3
        message.says = ["ANTSTATUS=OK"]
        message.horizontalAccuracy = 2.4
        message.identity = identity
        message.driver = DriverState(
            activity: .asleep, chip: "ublox8", sleepMethod: "ubloxStandby", period: 1, isUnresponsive: false)
        message.satellites = [fullSatellite, minimalSatellite]
        message.counts.outliers = 1
        (message.counts.contradictedSpeeds, message.counts.contradictedCourses) = (2, 3)
        message.corrections = ReceiverCorrections(source: "caster.example/M", age: 0.5, rate: 480, bytes: 100_000)
        message.lastStart = StartReport(
            receiver: "gps", time: "2026-11-21T12:00:00.000Z", kind: .aided, seconds: 12.5, assisted: ["time"])
        return message
    }

    static let identity: ReportedIdentity? = {
        var identity = ReceiverIdentity()
        for text in ["HW UBX-M8030 00080000", "FWVER=SPG 3.01", "PROTVER=18.00", "MOD=NEO-M8N-0"] {
            identity.update(fromText: text)
        }
        return ReportedIdentity(identity)
    }()

    static func status(full: Bool) -> Status {
        var status = Status(
            version: "0.1.0", pid: 1, uptime: 0.25, socket: "/run/sextant/io.sextant", summary: "no receiver")
        guard full else { return status }
        status.stateDirectory = "/var/lib/sextant"
        status.configuration = ["/etc/sextant/sextant.toml"]
        status.updatesSent = 12
        status.updatesDropped = 3
        status.wakeups = 40
        status.wakeupsPerFix = 1.3
        status.wakeupsPerMinute = 72.4
        status.restingSince = "2026-11-21T12:00:00.000Z"
        status.enabled = true
        status.features = ["permissions"]
        status.discovers = true
        var station = StationReport(
            name: "roof", latitude: 47.28, longitude: 8.56, horizontalAccuracy: 1.5, altitude: 500, verdict: .moved)
        (station.receiver, station.distance) = ("ttyACM0", 61)
        station.measuredAccuracy = 2.5
        station.measured = "2026-11-21T12:00:00.000Z"
        status.station = station
        var state = StoredState()
        state.freeBytes = 4096
        state.problem = StateProblem(cause: .full, reason: "4 KiB are free", remedy: "free space")
        state.permissionsUnreadable = true
        state.replaced = ReplacedDatabase(
            path: "/var/lib/sextant/sextant.db.torn-20261121T142233", date: "2026-11-21T14:22:33.000Z")
        status.state = state
        return status
    }

    static let energyReport = EnergyReport(
        day: "2026-11-21", joules: 102.5, seconds: [.operation: 1000, .standby: 25], wakeups: 1200,
        consumers: [
            EnergyConsumer(
                .fitness, program: "walker", unit: "walker.service", uid: 1000, joules: 82, of: 102.5),
            EnergyConsumer(.nobody, joules: 20.5, of: 102.5),
        ])

    static let minimalEnergyReport = EnergyReport(joules: 0, seconds: [:], wakeups: nil, consumers: [])

    static let consumer: Consumer = {
        var consumer = Consumer(.default, uid: 1000, since: "2026-11-21T12:00:00.000Z", seconds: 12.5)
        consumer.program = "walker"
        consumer.owner = "1000:walker.service"
        consumer.pid = 812
        consumer.unit = "walker.service"
        consumer.receiver = "ttyACM0"
        consumer.desiredAccuracy = .kilometre
        consumer.interval = 60
        consumer.distanceFilter = 25
        consumer.significantChange = true
        consumer.passive = false
        consumer.holds = true
        consumer.silent = false
        return consumer
    }()
}
