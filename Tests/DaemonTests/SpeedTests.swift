import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Speeds {
        @Test(arguments: [38_400, 115_200, 4800])
        func `the detected baud rate is stored for the next start`(_ baud: Int) throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"), baud: baud, lineSpeed: 9600)
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                var drive = Drive()
                try play(&drive, into: port, until: try daemon.subscribe())
                #expect(try daemon.receivers().first?["baud"] == .int(Int64(baud)))
                #expect(Scratch.text(of: scratch("state/speeds")).contains("\(baud) "))
                #expect(daemon.logged("detected \(baud) baud") == 1)

                daemon.kill()
                port.unplug()
                try port.plug(lineSpeed: 9600)
                try daemon.startAgain()
                // Without data no other rate is tried.
                try waitUntil("the remembered rate being set") { port.baudRate == baud }
                try play(&drive, into: port, until: try daemon.subscribe())
            }
        }

        @Test func `a damaged baud rate file is ignored and replaced`() throws {
            let scratch = try Scratch()
            mkdir(scratch("state"), 0o755)
            try scratch.write("no speeds at all\u{0}\n", to: "state/speeds")
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                // The log may lag behind the socket.
                try waitUntil("the damaged file being ignored") {
                    daemon.logged("ignoring \(scratch("state/speeds"))") == 1
                }
                var drive = Drive()
                try play(&drive, into: port, until: try daemon.subscribe())
                #expect(Scratch.text(of: scratch("state/speeds")).hasPrefix("sextant line speeds 1\n"))
            }
        }

        /// Sends ten epochs per second until the stream has a location.
        private func play(_ drive: inout Drive, into port: VirtualPort, until stream: Subscription) throws {
            try waitUntil("the port being opened") { port.isOpen }
            let deadline = Deadline(timeout)
            while !deadline.isPast {
                try port.send(drive.next())
                let tick = Deadline(.milliseconds(100))
                while waitReadable(stream.descriptor, within: .milliseconds(Int64(tick.millisecondsLeft))), !tick.isPast
                {
                    while let update = try stream.present() { if update.location != nil { return } }
                }
            }
            throw TestFailure("no position; the last update was \(stream.last?.detail ?? "none")")
        }
    }
}
