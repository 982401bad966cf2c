import Chronology
import Glibc
import SextantAPI
import Varlink

/// The administrator who changes the configuration: a file beside the main one, with many options
/// or with an error, which the daemon must refuse.
final class Settings: Actor {
    let name = "settings"
    private static let path = "/etc/sextant/conf.d/60-settings.toml"
    private let administrator = Machine.Peer(process: 5800, user: 0)
    private let plan: RunPlan
    private var random: RandomStream
    private var agenda = Agenda()
    private var connection: Connection?
    /// Each right file has a rule for a user of its own. That of the file, and that of the daemon.
    private var (written, applied): (Int?, Int?)
    private var nextUser = 1100
    private var reloads = 0
    /// A file with an error that the daemon has not refused yet, and the start that it was written
    /// in.
    private var wrong: (text: String, start: Int)?

    init(_ plan: RunPlan) {
        self.plan = plan
        random = RandomStream(seed: plan.seed, purpose: name)
        agenda.at(.zero) { [unowned self] in planChange(in: $0) }
    }

    var deadline: Instant? { agenda.deadline }

    func act(in world: World) {
        while let action = agenda.next(at: world.now) { action(world) }
    }

    private func planChange(in world: World) {
        agenda.at(world.now + random.span(30..<2000)) { [unowned self] world in
            planChange(in: world)
            guard world.manager.readySince != nil, world.machine.isRunning, !world.manager.isStopping else { return }
            change(in: world)
        }
    }

    private func change(in world: World) {
        let isWrong = random.chance(0.6)
        let text = isWrong ? random.element(of: Settings.errors) ?? "" : options()
        _ = FileTree.write(text, to: world.machine.root + Settings.path)
        world.trace.add(world.now, name, "writes \(text.split(separator: "\n").joined(separator: "; "))")
        if isWrong { wrong = (text, world.manager.starts) }
        world.machine.signal(SIGHUP)
        agenda.at(world.now + .seconds(5)) { [unowned self] in check(in: $0) }
    }

    /// Returns a right file.
    private func options() -> String {
        var text = ""
        for (section, keys) in Settings.sections {
            let isOfOthers = section == "visits" && plan.has(.visits) || section == "motion" && plan.has(.motion)
            guard !isOfOthers, random.chance(0.6) else { continue }
            text += "[\(section)]\n"
            for (key, values) in keys where random.chance(0.5) {
                text += "\(key) = \(random.element(of: values) ?? "")\n"
            }
            if section == "motion" { text += random.element(of: Settings.sources) ?? "" }
        }
        for spare in Settings.entries where random.chance(0.5) { text += spare }
        written = nextUser
        nextUser += 1
        return text + "[[permissions.grant]]\nuser = \(nextUser - 1)\n\(random.element(of: Settings.rules) ?? "")\n"
    }

    /// The rules are those of the last right file.
    private func check(in world: World) {
        if let wrong, wrong.start == world.manager.starts, world.manager.readySince != nil {
            world.report(76, "the daemon has not refused the configuration \(wrong.text)")
        }
        guard connection == nil, let connection = Connection(name, as: administrator, in: world) else { return }
        self.connection = connection
        let before = applied
        connection.call(PermissionMethods.list, NoParameters(), in: world) { [unowned self] answer in
            connection.close(in: world)
            guard case .reply(let reply, _) = answer, applied == before else { return }
            let users = reply.rules.compactMap(\.uid).filter { $0 >= 1100 }
            world.require(
                users == (applied.map { [$0 + (world.breaks(76) ? 1 : 0)] } ?? []), 76,
                "the rules are those of \(users), and the file has \(applied ?? 0)")
        }
    }

    func receive(in world: World) {
        if let connection {
            connection.pump(in: world)
            if !connection.isOpen { self.connection = nil }
        }
        // It may name the main file, which the service manager writes.
        if let refusal = world.manager.takeRefusal() {
            let isOfFile = refusal.contains(part: Settings.path)
            world.require(wrong != nil || !isOfFile, 76, "the daemon has refused a right configuration: \(refusal)")
            if isOfFile { world.reached(.settingsRefused) }
            if wrong != nil { remove(in: world) }
        }
        if world.manager.reloads != reloads, world.manager.readySince != nil {
            reloads = world.manager.reloads
            world.reached(.settingsApplied)
            applied = written
        }
    }

    /// Only a right file is read again.
    private func remove(in world: World) {
        wrong = nil
        written = nil
        unlink(world.machine.root + Settings.path)
    }

    func daemonEnded(in world: World) {
        connection?.close(in: world)
        connection = nil
        if wrong != nil { remove(in: world) }
        // The next start reads it.
        applied = written
    }

    func endFaults(in world: World) {
        agenda.clear()
        remove(in: world)
        // The service manager lets the daemon read its configuration again.
        agenda.at(world.now + .seconds(60)) { [unowned self] in check(in: $0) }
    }
}

// MARK: Contents
extension Settings {
    /// Options that change nothing that others judge.
    private static let sections: [(String, [(key: String, values: [String])])] = [
        (
            "service",
            [
                ("log_level", ["\"info\""]), ("max_connections_per_program", ["60", "64"]),
                ("max_connections_per_user", ["1000", "4096"]), ("max_connections", ["4000", "65536"]),
                ("max_updates_per_second", ["20", "50"]),
            ]
        ),
        (
            "receivers",
            [("rescue", ["true", "false"]), ("power", ["\"auto\""]), ("keep_warm", ["\"10 min\"", "\"2h\""])]
        ),
        (
            "monitors",
            [("max_conditions", ["90000"]), ("readers", ["[1009]", "[\"prober.service\"]"]), ("editors", ["[]"])]
        ),
        ("motion", [("trust", ["\"auto\"", "\"wake-only\"", "\"off\""]), ("reporters", ["[\"root\", 0]"])]),
        (
            "assistance",
            [("prediction", ["true", "false"]), ("database", ["true"]), ("folder", ["\"/etc/sextant/orbits\""])]
        ),
        ("visits", [("keep", ["\"0 d\"", "\"1 d\""])]),
        ("track", [("keep", ["\"0 d\"", "\"1 d\"", "\"30 d\"", "\"30 d\""])]),
        ("beacons", [("absence", ["\"10 s\"", "\"1 h\""])]),
        ("web", []), ("gpsd", []),
        (
            "permissions",
            [
                ("accuracy", ["\"full\""]), ("in_use_without_logind", ["true"]), ("require_session", ["false"]),
                ("administrators", ["[\"root\"]", "[]"]),
            ]
        ),
    ]
    /// Devices that the machine has not.
    private static let sources = [
        "[[motion.source]]\nname = \"shock\"\nkind = \"input\"\ndevice = \"/dev/input/event7\"\nkey = 30\n",
        "[[motion.source]]\nname = \"lid\"\nkind = \"input\"\ndevice = \"/dev/input/event8\"\nswitch = 0\n",
        "[[motion.source]]\nname = \"tilt\"\nkind = \"gpio\"\ndevice = \"/dev/gpiochip0\"\nline = 17\n",
        "[[motion.source]]\nname = \"accelerometer\"\nkind = \"iio\"\ndevice = \"/dev/iio:device0\"\n", "",
    ]
    private static let entries = [
        "[[receiver]]\ndevice = \"/dev/ttyX0\"\nname = \"spare\"\nbaud = 9600\npassive = true\nkeep_warm = \"1d\"\n",
        "[[permissions.grant]]\nunit = \"user:clock.service\"\ndefault_accuracy = \"reduced\"\nin_use = false\n",
        "[[permissions.grant]]\napplication = \"org.example.Map\"\nauthorization = \"denied\"\n",
    ]
    private static let rules = [
        "authorization = \"always\"", "accuracy = \"reduced\"\npurposes = [\"navigation\"]", "require_session = true",
        "max_configuration = \"fitness\"",
    ]
    /// Files that the daemon must refuse.
    private static let errors: [String] = wrongFiles + wrongValues.map { "[\($0.0)]\n\($0.1) = \($0.2)" }
    private static let wrongFiles = [
        "[", "service = 1", "[unknown]", "receiver = 3", "[[receiver]]\nbaud = 9600", "[station]\nlatitude = 47",
        "[[receiver]]\ndevice = \"/dev/a\"\n[[receiver]]\ndevice = \"/dev/a\"",
        "[[receiver]]\ndevice = \"/dev/a\"\nname = \"x\"\n[[receiver]]\ndevice = \"/dev/b\"\nname = \"x\"",
        "[[motion.source]]\nname = \"a\"", "[[motion.source]]\nname = \"a b\"", "[[permissions.grant]]\nin_use = true",
        "[[motion.source]]\nname = \"a\"\nkind = \"iio\"\ndevice = \"/dev/a\"\n"
            + "[[motion.source]]\nname = \"a\"\nkind = \"iio\"\ndevice = \"/dev/a\"",
        (0..<20).map { "[[motion.source]]\nname = \"m\($0)\"\nkind = \"iio\"\ndevice = \"/dev/a\"\n" }.joined(),
    ]
    /// By section and key. A value can have more lines.
    private static let wrongValues: [(String, String, String)] = [
        ("service", "socket", "\"relative\""), ("service", "socket", "\"/\(String(repeating: "s", count: 200))\""),
        ("service", "log_level", "\"loud\""), ("service", "max_connections", "0"), ("service", "colour", "1"),
        ("receivers", "discover", "3"), ("receivers", "power", "\"on\""), ("receivers", "keep_warm", "\"5 min\""),
        ("receivers", "keep_warm", "\"1 y\""), ("receivers", "feed_users", "[\"nobody-here\"]"),
        ("monitors", "readers", "[\"no unit\"]"), ("monitors", "readers", "7"), ("monitors", "max_conditions", "-1"),
        ("motion", "trust", "\"yes\""), ("assistance", "folder", "\"here\""), ("visits", "keep", "\"9999 d\""),
        ("track", "keep", "1"), ("beacons", "absence", "\"1 s\""), ("permissions", "default", "\"maybe\""),
        ("permissions", "administrators", "[\"no-group\"]"), ("[permissions.grant]", "user", "\"nobody-here\""),
        ("[permissions.grant]", "unit", "\"no unit\""), ("[permissions.grant]", "unit", "\"user:\""),
        ("[permissions.grant]", "purposes", "[\"\"]"), ("[permissions.grant]", "purposes", "1"),
        ("[receiver]", "device", "\"/dev/a\"\nbaud = 1"), ("[receiver]", "device", "\"/dev/a\"\nname = \"\\n\""),
        ("station", "latitude", "91\nlongitude = 8\naccuracy = 1"),
        ("[motion.source]", "name", "\"a\"\ndevice = \"/dev/a\"\nkind = \"gpio\"\nkey = 1"),
        ("[motion.source]", "name", "\"a\"\ndevice = \"/dev/a\"\nkind = \"gpio\""),
        ("[motion.source]", "name", "\"a\"\ndevice = \"/dev/a\"\nkind = \"input\""),
        ("[motion.source]", "name", "\"a\"\ndevice = \"/dev/a\"\nkind = \"can\""),
        ("[motion.source]", "name", "\"a\"\ndevice = \"/dev/a\"\nkind = \"shell\""),
    ]
}
