import Glibc
import TestSupport

/// Begins tasks of a client and cancels them at random moments, while the daemon is killed and
/// started again. Environment variables set the counts and repeat the choices of an earlier run.
package struct LeakRun {
    /// The number of tasks that begin together.
    package static let width = 10

    private let cancellations: Int
    private let restarts: Int
    /// The seed of the random choices.
    package let seed: UInt64
    private var random: SeededGenerator

    /// Creates a run with at least these counts, or with those of SEXTANT_CANCELLATIONS and
    /// SEXTANT_RESTARTS.
    package init(cancellations: Int, restarts: Int) {
        self.cancellations = Self.number("SEXTANT_CANCELLATIONS").map { Int(clamping: $0) } ?? cancellations
        self.restarts = Self.number("SEXTANT_RESTARTS").map { Int(clamping: $0) } ?? restarts
        seed = Self.number("SEXTANT_SEED") ?? UInt64.random(in: 0...UInt64(UInt32.max))
        random = SeededGenerator(seed: seed)
        print("SEXTANT_SEED=\(seed)")
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    /// Begins and cancels tasks. `begin` gets the number of a task and returns it.
    package nonisolated(nonsending) mutating func run(
        with daemon: TestDaemon, _ begin: (Int) -> Task<Void, any Error>
    ) async throws {
        for round in 0..<max((cancellations + Self.width - 1) / Self.width, restarts) {
            let tasks = (0..<Self.width).map { begin(round * Self.width + $0) }
            let isRestart = round < restarts
            if isRestart { daemon.kill() }
            for task in tasks.shuffled(using: &random) {
                for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
                task.cancel()
            }
            // Calls that block wait for the daemon.
            if isRestart { try daemon.startAgain() }
            for task in tasks { try await task.value }
        }
    }
}

extension TestDaemon {
    /// The number of descriptors of this process that are connected to the daemon, or were. Other
    /// tests run in the same process.
    package var clientDescriptors: Int {
        Scratch.names(in: "/proc/self/fd").count { name in
            // The family of the address has two bytes; the path follows.
            var address = [UInt8](repeating: 0, count: 128)
            var length = socklen_t(address.count)
            let result = address.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { getpeername(Int32(name) ?? -1, $0.baseAddress, &length) }
            }
            let path = String(decoding: address.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
            return result == 0 && path == socket
        }
    }
}
