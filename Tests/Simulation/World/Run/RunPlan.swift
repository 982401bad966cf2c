import Chronology

/// What one run does. It follows from the seed; the command line can change parts of it.
struct RunPlan {
    /// Something that a run has or has not.
    enum Feature: String, CaseIterable {
        /// The daemon is killed at random times.
        case kills
        /// The daemon is killed within a call.
        case killsInCalls
        /// The machine loses its power.
        case powerCuts
        /// The daemon is stopped and started by the service manager.
        case restarts
        /// The configuration is loaded again.
        case reloads
        /// The disk fails.
        case disk
        case failingReads
        case failingWrites
        case failingSyncs
        case failingOpens
        case failingNames
        case fullDisk
        case readOnlyDisk
        case slowDisk
        /// The disk fails often, and the daemon ends and starts meanwhile.
        case roughDisk
        case shortWrites
        /// Calls of sockets fail.
        case failingSockets
        /// Calls of serial lines fail.
        case failingLines
        /// Receivers are unplugged and come back.
        case unplugging
        /// Receivers say nothing for a while.
        case silence
        /// Receivers lose the satellites.
        case tunnels
        /// Bytes of receivers are damaged.
        case noise
        /// Programs read slowly, or not at all for a while.
        case slowReaders
        /// Programs send their calls in parts.
        case splitCalls
        /// Programs close their connections at any time.
        case crashingPrograms
        /// Events are acknowledged late, twice, or never seen.
        case lateAcknowledgements
        /// Conditions are removed and replaced.
        case changingConditions
        /// Programs call other methods.
        case callers
        /// The permission of a program changes.
        case administrator
        /// A program is in use by a lease.
        case leases
        /// A program watches visits.
        case visits
        /// Nothing may be written to the receiver.
        case passiveReceiver
        /// Programs keep their monitors closed for a while.
        case longPauses
        /// Lines with a high baud rate.
        case fastLines
        /// Small buffers of sockets.
        case smallBuffers
        /// The clock of the machine is set.
        case clockSteps
        /// The machine is suspended.
        case suspend
        /// Receivers on USB come and go, which the daemon discovers.
        case plugging
        /// udev does not run.
        case noUdev
        /// Users log in and out.
        case logins
        /// The bridge for programs of gpsd runs too.
        case bridge
        /// The bridge that fetches corrections runs too.
        case corrections
        /// The program that reports to a broker runs too.
        case fleet
        /// logind announces suspensions, or does not.
        case announcedSuspend
        /// The machine is suspended just after commands to receivers, with announced suspensions.
        case promptSuspend
        /// A program reports motion.
        case motion
        /// The location is switched off for all programs.
        case locationSwitch
        /// The configuration has a fixed place.
        case station
        /// Users with many calls at once, and with one.
        case crowd
        /// The kernel calls the clock synchronized.
        case synchronizedClock
        /// Programs call each method with any parameters.
        case probers
        /// Programs watch the monitors, the receivers and the status.
        case watchers
        /// An agent decides about a program.
        case agents
        /// The configuration has many options, or errors.
        case settings
    }

    private(set) var seed: UInt64
    private(set) var isQuiet = false
    /// The folder of its machine.
    var name: String { "run-\(seed)" }
    var length: Instant.Span
    /// How long there are no faults at the end.
    var recovery = Instant.Span.seconds(1800)
    var features: Set<Feature>
    var streams = 3
    var fencePrograms = 1
    /// The receivers on USB, with `plugging`.
    var pluggedReceivers = 2
    /// The mean time between two deliberate ends of the daemon, in seconds.
    var endInterval = 600.0
    /// The share of calls of the disk that fail.
    var faultRate = 0.001
    /// The only fault of a sweep.
    var fault: Machine.Fault?
    /// Actors that are left out, by their names.
    var without: Set<String> = []
    /// The kind of a sweep, as in its option.
    var sweep: String?
    /// The number of a deliberate break.
    var breakage: Int?
    var tracesCalls = false

    func has(_ feature: Feature) -> Bool { features.contains(feature) }

    /// Whether the machine stands still for some time.
    var suspends: Bool { has(.suspend) || has(.announcedSuspend) }

    /// A run of the swarm: each feature with probability one half, rates on a logarithmic scale, 10
    /// minutes to 6 hours with faults.
    init(swarm seed: UInt64) {
        self.seed = seed
        var random = RandomStream(seed: seed, purpose: "plan")
        // Each has its own random numbers, so that a new one leaves the others as they were.
        features = Set(
            Feature.allCases.filter { feature in
                var random = RandomStream(seed: seed, purpose: "feature \(feature)")
                // Slow lines cost many turns of the daemon. A fixed place leaves little to be seen.
                return random.chance(feature == .fastLines ? 0.8 : feature == .station ? 0.1 : 0.5)
            })
        // Their places are those of the device.
        if features.contains(.station) { features.subtract([.visits, .bridge, .fleet]) }
        length = random.span(600..<21_600) + recovery
        streams = random.integer(in: 0..<5)
        fencePrograms = random.integer(in: 1..<4)
        pluggedReceivers = random.integer(in: 1..<4)
        endInterval = random.logarithmic(in: 20..<4000)
        faultRate = random.logarithmic(in: 0.0001..<0.1)
    }

    /// A quiet run without faults.
    init(quiet seed: UInt64, length: Instant.Span) {
        isQuiet = true
        self.seed = seed
        self.length = length
        features = []
    }

    /// The options that repeat this run.
    var command: String {
        var words: [String] = []
        if let sweep, let fault {
            words += ["--sweep", sweep, "--call", "\(fault.call)"]
        } else if let breakage {
            words += ["--breaks", "--break", "\(breakage)", "--first", "\(seed)"]
        } else {
            words += ["--seed", "\(seed)"]
            if isQuiet { words += ["--quiet", "\(length.seconds)"] }
            let names = features.map(\.rawValue).sorted().joined(separator: ",")
            let own = isQuiet ? [] : RunPlan(swarm: seed).features
            if features != own { words += ["--features", names.isEmpty ? "none" : names] }
        }
        return (words + without.sorted().flatMap { ["--without", $0] }).joined(separator: " ")
    }

    /// Returns the same plan with another seed.
    func again(with seed: UInt64) -> RunPlan {
        var plan = self
        plan.seed = seed
        return plan
    }
}
