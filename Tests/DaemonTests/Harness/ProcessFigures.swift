/// What the kernel counts of a process: /proc/PID/status.
struct ProcessFigures {
    /// Resident memory, kB.
    let resident: Int
    /// Kilobytes of it that are the process's own. What grows is seen here: of ``resident`` the daemon gives code back that it needs again.
    let anonymous: Int
    /// Threads.
    let threads: Int
    /// How often it has gone to sleep of its own accord and been woken again.
    let sleeps: Int
    /// Time it has run, for itself and in the kernel, in the kernel's ticks.
    let busy: [Int]
    /// Descriptors it has open.
    let descriptors: Int

    init(of process: ChildProcess) {
        let lines = Scratch.text(of: "/proc/\(process.id)/status").split(separator: "\n")
        func figure(_ name: String) -> Int {
            let line = lines.first { $0.hasPrefix("\(name):") } ?? ""
            return Int(String(line.filter { ("0"..."9").contains($0) })) ?? -1
        }
        resident = figure("VmRSS")
        anonymous = figure("RssAnon")
        threads = figure("Threads")
        sleeps = figure("voluntary_ctxt_switches")
        // proc(5): user and system time are the 14th and 15th words; the second one, the name, is in parentheses.
        let words = Scratch.text(of: "/proc/\(process.id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        busy = words.count > 12 ? [Int(words[11]) ?? -1, Int(words[12]) ?? -1] : []
        descriptors = Scratch.names(in: "/proc/\(process.id)/fd").count - 2
    }
}
