import Glibc
import Testing
import Varlink

/// A file system of two megabytes for the state directory.
private final class SmallStateDisk {
    private let scratch: Scratch

    init(_ scratch: Scratch) throws {
        self.scratch = scratch
        mkdir(scratch("state"), 0o700)
        try run("mount", "-t", "tmpfs", "-o", "size=2m", "none", scratch("state"))
    }

    private func run(_ words: String...) throws {
        let child = try ChildProcess(words, record: scratch("mount.log"))
        guard try child.waitForEnd() == .code(0) else { throw TestFailure(child.output) }
    }

    func fill() {
        let number = open(scratch("state/filling"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 7, count: 4096)
        while write(number, block, block.count) > 0 {}
        close(number)
    }

    func clear() { unlink(scratch("state/filling")) }

    deinit { try? run("umount", "-l", scratch("state")) }

    static var isPossible: Bool {
        guard let scratch = try? Scratch() else { return false }
        return (try? SmallStateDisk(scratch)) != nil
    }
}

extension WholeDaemon {
    /// Tests of a full disk, on a small file system that only root can mount.
    @Suite(.enabled(if: SmallStateDisk.isPossible, "only root can mount a small disk")) struct HeldEvents {
        @Test func `events held because of a full disk are written when the daemon is terminated`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let disk = try SmallStateDisk(scratch)
            let configuration =
                "[receivers]\ndiscover = false\npower = \"off\"\n[monitors]\nmax_conditions_per_program = 0\n"
            try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
                let client = try daemon.connect()
                for start in stride(from: 0, to: 1000, by: 200) {
                    let circles = (start..<start + 200).map { circle("c\($0)", at: Places.origin) }
                    try client.call("io.sextant.Monitor.Add", ["name": "home", "conditions": .array(circles)])
                }
                disk.fill()
                var places = Places()
                try daemon.waitForReceiver("detectingBaudRate", "silent", "talking")
                try port.send(places.next(3))
                try waitUntil("the full disk to be reported") { daemon.logged("cannot write monitor events") == 1 }
                let monitor = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array?.first
                #expect(monitor?["pending"] == 0 && monitor?["persistenceUnavailable"] == true)

                disk.clear()
                daemon.terminate()
                _ = try daemon.process.waitForEnd()
                try daemon.startAgain()
                let after = try daemon.connect().call("io.sextant.Monitor.ListMonitors")["monitors"]?.array?.first
                #expect(after?["pending"]?.int ?? 0 > 0 && after?["persistenceUnavailable"] == false)
            }
            withExtendedLifetime(disk) {}
        }
    }
}
