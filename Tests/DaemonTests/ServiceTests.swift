import CLinux
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests of the daemon's interaction with the service manager.
    @Suite struct Service {
        @Test func `the daemon serves an inherited socket`() throws {
            let scratch = try Scratch()
            let listener = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let (number, path) = (listener.number, scratch("socket"))
            try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
            try systemCall("listening") { listen(number, 16) }
            // A client that connects before the daemon starts waits for it.
            let early = try RawClient(path)
            early.send("{\"method\":\"io.sextant.Manager.GetStatus\"}\0")

            let program = ["sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh", try Programs.path(of: "sextantd")]
            let environment = ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink"]
            try TestDaemon.run(environment: environment, scratch: scratch, program: program, inherited: [3: number]) {
                daemon in
                let reply = try #require(try early.next())
                try daemon.check(reply, to: "io.sextant.Manager.GetStatus")
                #expect(reply.parameters["status"]?["pid"] == .int(Int64(daemon.process.id)))
                #expect(daemon.logged("a socket passed by the service manager") == 1)
                daemon.terminate()
                #expect(try daemon.process.waitForEnd() == .code(0))
                #expect(access(path, F_OK) == 0, "the socket is the manager's to remove")
            }
        }

        @Test func `the daemon notifies the service manager of its state`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let manager = try NotifySocket(scratch("notify"))
            let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "300000"]
            try TestDaemon.run(devices: [port.link], environment: environment, scratch: scratch) { daemon in
                try manager.until { $0.contains("READY=1") && $0.contains { $0.hasPrefix("STATUS=gps: ") } }
                try manager.until { $0 == ["WATCHDOG=1"] }
                try daemon.waitForReceiver("detectingBaudRate")
                var drive = Drive()
                try manager.until({ $0 == ["STATUS=gps: fix"] }) { try port.send(drive.next()) }
                port.unplug()
                try manager.until { $0.contains { $0.hasPrefix("STATUS=gps: \(port.link) was lost (") } }
                daemon.process.send(SIGHUP)
                try manager.until { $0.contains("RELOADING=1") && $0.contains { $0.hasPrefix("MONOTONIC_USEC=") } }
                try manager.until { $0.contains("READY=1") }
                try manager.until { $0 == ["WATCHDOG=1"] }
                daemon.terminate()
                try manager.until { $0.contains("STOPPING=1") }
                #expect(try daemon.process.waitForEnd() == .code(0))
            }
        }

        @Test func `without free descriptors connected clients are still served`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let program = ["sh", "-c", "ulimit -n 80; exec \"$@\"", "sh", try Programs.path(of: "sextantd")]
            try TestDaemon.run(devices: [port.link], scratch: scratch, program: program) { daemon in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                var crowd = try (0..<200).map { _ in try RawClient(daemon.socket) }
                try port.send(drive.next(2))
                try stream.until("the newest epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
                try waitUntil("the refused connections being closed") {
                    crowd.count { waitReadable($0.descriptor, within: .zero) } > 100
                }

                // A replugged receiver can only be opened once a descriptor is free.
                port.unplug()
                try stream.until(cause: "receiverLost")
                crowd += try (0..<10).map { _ in try RawClient(daemon.socket) }
                try port.plug()
                crowd.removeAll()
                // Connections are refused until the daemon has closed those of the crowd.
                try waitUntil("a free descriptor") { (try? daemon.receivers()) != nil }
                try daemon.waitForReceiver("detectingBaudRate")
                try port.send(drive.next(3))
                try stream.untilLocation()
                #expect(daemon.log.utf8.count < 5000, "not a log line for each: \(daemon.log.utf8.count) bytes")
            }
        }
    }
}
