import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests of a full disk, on a small file system that only root can mount.
    @Suite(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk")) struct HeldEvents {
        @Test func `events held because of a full disk are written when the daemon is terminated`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let disk = try #require(SmallDisk(in: scratch, name: "state", megabytes: 2))
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
                try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix")
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
