import TestSupport

/// Kernel statistics of a process from /proc/PID/status.
package struct ProcessFigures {
    /// Resident memory, kB.
    package let resident: Int
    /// Private memory, kB. Growth shows here: ``resident`` also contains code pages that the daemon
    /// releases and loads again.
    package let anonymous: Int
    package let threads: Int
    /// The number of voluntary context switches.
    package let sleeps: Int
    /// User and system time in clock ticks.
    package let busy: [Int]
    /// The number of open descriptors.
    package let descriptors: Int

    package init(of process: ChildProcess) {
        let lines = Scratch.text(of: "/proc/\(process.id)/status").split(separator: "\n")
        func figure(_ name: String) -> Int {
            let line = lines.first { $0.hasPrefix("\(name):") } ?? ""
            return Int(String(line.filter { ("0"..."9").contains($0) })) ?? -1
        }
        resident = figure("VmRSS")
        anonymous = figure("RssAnon")
        threads = figure("Threads")
        sleeps = figure("voluntary_ctxt_switches")
        // proc(5): user and system time are fields 14 and 15; field 2, the name, is in parentheses.
        let words = Scratch.text(of: "/proc/\(process.id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        busy = words.count > 12 ? [Int(words[11]) ?? -1, Int(words[12]) ?? -1] : []
        descriptors = Scratch.names(in: "/proc/\(process.id)/fd").count
    }
}
