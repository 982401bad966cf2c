/// What the kernel counts of a process: /proc/PID/status.
struct ProcessFigures {
    /// Resident memory, kB.
    let resident: Int
    /// Threads.
    let threads: Int
    /// How often it has gone to sleep of its own accord and been woken again.
    let sleeps: Int
    /// Descriptors it has open.
    let descriptors: Int

    init(of process: ChildProcess) {
        let lines = Scratch.text(of: "/proc/\(process.id)/status").split(separator: "\n")
        func figure(_ name: String) -> Int {
            let line = lines.first { $0.hasPrefix("\(name):") } ?? ""
            return Int(String(line.filter { ("0"..."9").contains($0) })) ?? -1
        }
        resident = figure("VmRSS")
        threads = figure("Threads")
        sleeps = figure("voluntary_ctxt_switches")
        descriptors = Scratch.names(in: "/proc/\(process.id)/fd").count - 2
    }
}
