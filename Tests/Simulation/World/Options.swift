/// The command line of the simulation.
struct Options {
    enum Mode {
        case one(UInt64)
        case swarm
        case sweep
        case breaks
    }

    static let usage = """
        simulation --program PATH --library PATH [OPTION]...
          --seed N            run one seed
          --quiet SECONDS     without faults, and so long
          --trace             print what happens; --calls adds the system calls of the daemon
          --verify            run it twice and compare
          --shrink            make a failing run smaller
          --feature NAME      add a feature; --without ACTOR leaves an actor out
          --features A,B      these features in place of those of the seed; "none" for none
          --break N           change what clients see, so that invariant N must fail
          --runs N --first N --seconds N
                              many seeds, from the first one, until the number or the time is reached
          --sweep NAME        let each call of a class fail in a scenario: fences/read-fail, fences, all
          --sweep-step N      only every so many calls
          --part N/M          only the N-th of M parts of the work, counted from 0
          --call K            only the K-th call of a sweep
          --markers           fail if a rare state was not reached
          --breaks            check that each invariant detects its break
          --processor N       use only this processor, which makes turns cheaper
          --scratch PATH      a folder for the simulated disks
        """

    var mode = Mode.swarm
    var program = ""
    var library = ""
    var scratch = "/dev/shm/sextant-simulation"
    var quietSeconds: Double?
    var traces = false
    var tracesCalls = false
    var verifies = false
    var shrinks = false
    var features: Set<RunPlan.Feature> = []
    /// The features of the run, in place of those of its seed.
    var onlyFeatures: Set<RunPlan.Feature>?
    var without: Set<String> = []
    /// The only call of a sweep that fails.
    var call: UInt64?
    /// Whether each rare state must be reached.
    var requiresMarkers = false
    var breakage: Int?
    var streams: Int?
    var runs = Int.max
    var firstSeed: UInt64 = 1
    var seconds = 180.0
    var sweep = "all"
    var sweepStep = 1
    /// The part of the seeds, kinds of a sweep and breaks that this worker does: number and count.
    var part = (number: 0, count: 1)
    var processor: Int32?

    /// nil if the command line is wrong.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let name = rest.popFirst() {
            if let flag = Options.flags[name] {
                flag(&self)
            } else {
                guard let set = Options.values[name], let value = rest.popFirst(), set(&self, value) else { return nil }
            }
        }
        guard !program.isEmpty, !library.isEmpty else { return nil }
    }

    private static let flags: [String: @Sendable (inout Options) -> Void] = [
        "--trace": { $0.traces = true },
        "--calls": { $0.tracesCalls = true },
        "--verify": { $0.verifies = true },
        "--shrink": { $0.shrinks = true },
        "--markers": { $0.requiresMarkers = true },
        "--breaks": { $0.mode = .breaks },
    ]

    private static let values: [String: @Sendable (inout Options, String) -> Bool] = [
        "--program": {
            $0.program = $1; return true
        },
        "--library": {
            $0.library = $1; return true
        },
        "--scratch": {
            $0.scratch = $1; return true
        },
        "--without": { $0.without.insert($1).inserted },
        "--feature": { options, name in
            guard let feature = RunPlan.Feature(rawValue: name) else { return false }
            options.features.insert(feature)
            return true
        },
        "--features": { options, names in
            var features: Set<RunPlan.Feature> = []
            for name in names.split(separator: ",") where name != "none" {
                guard let feature = RunPlan.Feature(rawValue: String(name)) else { return false }
                features.insert(feature)
            }
            options.onlyFeatures = features
            return true
        },
        "--call": { options, text in
            options.call = UInt64(text)
            return options.call != nil
        },
        "--seed": { options, text in
            guard let seed = UInt64(text) else { return false }
            options.mode = .one(seed)
            return true
        },
        "--sweep": { options, name in
            options.mode = .sweep
            options.sweep = name
            return true
        },
        "--quiet": {
            $0.quietSeconds = Double($1); return $0.quietSeconds != nil
        },
        "--break": {
            $0.breakage = Int($1); return $0.breakage != nil
        },
        "--streams": {
            $0.streams = Int($1); return $0.streams != nil
        },
        "--runs": { set(&$0.runs, Int($1)) },
        "--first": { set(&$0.firstSeed, UInt64($1)) },
        "--seconds": { set(&$0.seconds, Double($1)) },
        "--part": { options, text in
            let numbers = text.split(separator: "/").compactMap { Int($0) }
            guard numbers.count == 2, numbers[1] > 0 else { return false }
            options.part = (numbers[0], numbers[1])
            return true
        },
        "--processor": { options, text in
            options.processor = Int32(text)
            return options.processor != nil
        },
        "--sweep-step": { set(&$0.sweepStep, Int($1)) },
    ]

    private static func set<Value>(_ place: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
}
