import Geofencing
import Glibc
import ServiceRuntime
import SystemCalls

/// Receives and sends Bluetooth beacons through BlueZ: one program, one role per process.
package enum SextantBeacons {
    /// The name by which ``main()`` is started.
    package static let name = "sextant-beacons"

    /// Runs the role that the arguments name, and ends the process.
    package static func main() {
        RoleProgram(
            [ScanCommand.self, AdvertiseCommand.self], abstract: "Receive or send Bluetooth beacons through BlueZ.",
            version: SextantVersion.current
        ).run()
    }
}

/// `sextant-beacons scan`
struct ScanCommand: ProgramRole {
    private var socket = ServiceSocket.named ?? ServiceSocket.daemon

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        socket = try OptionValue.path(value, of: option)
    }

    static let table = OptionTable(
        program: SextantBeacons.name, role: "scan", usage: "[--socket PATH]",
        abstract: "Report the beacons that sextantd needs.",
        discussion: """
            The service manager starts it while sextantd needs beacons. It ends when nothing needs them any more. Only \
            the user \(SextantBeacons.name) and that of sextantd may report.
            """,
        entries: [
            .init(
                "socket", "PATH", .files,
                "Connect to this socket of sextantd (default: $SEXTANT_SOCKET, else \(ServiceSocket.daemon)).")
        ])

    func run() throws -> CInt {
        try EventLoop.serve { loop in
            try BeaconScanner(socket: socket, loop: loop, log: ProgramLog(name: SextantBeacons.name))
        }
    }
}

/// `sextant-beacons advertise`
struct AdvertiseCommand: ProgramRole {
    private var beacon: BeaconIdentity?
    private var power = BeaconAdvertisement.defaultPower

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        guard let number = Int(value), BeaconAdvertisement.powers.contains(number) else {
            throw UsageError(message: "--\(option) needs the strength at 1 m, -100 to -10 dBm")
        }
        power = number
    }

    mutating func set(operands: [String]) throws(UsageError) {
        guard operands.count == 1, let identity = BeaconIdentity(operands[0]) else {
            throw UsageError(message: "advertise needs one beacon: UUID, UUID/MAJOR or UUID/MAJOR/MINOR")
        }
        beacon = identity
    }

    static let table = OptionTable(
        program: SextantBeacons.name, role: "advertise", usage: "UUID[/MAJOR[/MINOR]] [--power DBM]",
        abstract: "Send as an iBeacon until Ctrl-C.",
        discussion: """
            BlueZ sends about every 1.28 s, unless its configuration has another interval. The numbers are 0 if they \
            are left out. Measure --power at 1 m: receivers derive the distance from it.
            """,
        entries: [
            .init("power", "DBM", "The strength of the signal at 1 m (default: \(BeaconAdvertisement.defaultPower)).")
        ])

    func run() throws -> CInt {
        guard let beacon else { throw UsageError(message: "advertise needs a beacon") }
        return try EventLoop.serve { loop in
            try BeaconAdvertiser(
                BeaconAdvertisement(beacon, power: power), bus: try SystemBus(in: loop), loop: loop,
                log: ProgramLog(name: SextantBeacons.name))
        }
    }
}
