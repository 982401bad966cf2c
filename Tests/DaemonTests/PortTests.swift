import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Ports {
        @Test func `a busy port is opened when its holder releases it`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let holder = try port.hold()
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                let stream = try daemon.subscribe()
                let update = try stream.until(cause: "portBusy")
                #expect(
                    update.detail.contains(port.link) && update.detail.contains("pid \(getpid())"), "\(update.detail)")
                #expect(try daemon.receivers().first?["state"] == "busy")
                holder.release()
                var drive = Drive()
                try daemon.waitForReceiver("detectingBaudRate")
                try port.send(drive.next(3))
                try stream.untilLocation()
                #expect(daemon.logged("is in use") == 1, "not a log line for each attempt")
            }
        }

        /// Two readers of one port take each other's bytes, and no system call reports it.
        @Test func `doctor names another reader of the port`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate")
                let path = port.path
                let other = FileDescriptor(
                    owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC) })
                let words = [try Programs.path(of: "sextant"), "doctor", "--socket", daemon.socket]
                let doctor = try ChildProcess(words, record: scratch("doctor"))
                #expect(try doctor.waitForEnd() == .code(2))
                let found = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(found.contains("is in use by") && found.contains("(pid \(getpid()))"), "\(doctor.output)")
                #expect(other.number >= 0)
            }
        }

        @Test func `a missing port is opened when it appears`() throws {
            let scratch = try Scratch()
            let link = scratch("gps")
            try TestDaemon.run(devices: [link], scratch: scratch) { daemon in
                let stream = try daemon.subscribe()
                let update = try #require(stream.last)
                #expect(update.cause == "noReceiver" && update.detail.contains(link))
                #expect(try daemon.receivers().first?["state"] == "absent")
                let port = try VirtualPort(link)
                var drive = Drive()
                try daemon.waitForReceiver("detectingBaudRate")
                try port.send(drive.next(3))
                try stream.untilLocation(within: .seconds(6))
            }
        }

        @Test func `two receivers get distinct names and one replaces the other`() throws {
            let scratch = try Scratch()
            mkdir(scratch("a"), 0o755)
            mkdir(scratch("b"), 0o755)
            let ports = [try VirtualPort(scratch("a/gps")), try VirtualPort(scratch("b/gps"))]
            // A device named twice is opened once.
            try TestDaemon.run(devices: ports.map(\.link) + [ports[0].link], scratch: scratch) { daemon in
                #expect(try daemon.receivers().map { $0["name"] } == ["gps", "gps-2"])
                let streams = [
                    try daemon.subscribe(receiver: "gps"), try daemon.subscribe(receiver: "gps-2"),
                    try daemon.subscribe(),
                ]
                var drives = [Drive(start: 40_000_000), Drive(start: 50_000_000)]
                try waitUntil("both ports being open") { ports.allSatisfy(\.isOpen) }
                try waitUntil("both receivers having a fix") {
                    for index in 0...1 { try ports[index].send(drives[index].next()) }
                    return try daemon.receivers().allSatisfy { $0["state"] == "hasFix" }
                }
                for (index, stream) in streams.prefix(2).enumerated() {
                    let update = try stream.until("the newest epoch") {
                        $0.timestamp == drives[index].timestamp(drives[index].count - 2)
                    }
                    #expect(update.location?["receiver"] == (index == 0 ? "gps" : "gps-2"))
                }
                // A stream for the best receiver continues with the other one, without an update
                // about the first.
                try streams[2].untilLocation()
                ports[0].unplug()
                try streams[0].until(cause: "receiverLost")
                while try streams[2].present() != nil {}
                try ports[1].send(drives[1].next(8))
                let next = try streams[2].next()
                #expect(next.location?["receiver"] == "gps-2", "\(next.parameters)")
            }
        }

        @Test func `a port gets another name than a receiver that a program provides`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let configuration = "[receivers]\ndiscover = false\n"
            try TestDaemon.run(configuration: configuration, scratch: scratch) { daemon in
                let feed = try RawClient(daemon.socket)
                feed.send(#"{"method":"io.sextant.Receiver.Feed","parameters":{"name":"gps"},"upgrade":true}"# + "\0")
                #expect(try feed.next()?.failure == nil)
                try scratch.write(configuration + "[[receiver]]\ndevice = \"\(port.link)\"\n", to: "sextant.toml")
                daemon.process.send(SIGHUP)
                var places = Places()
                try waitUntil("the port being open") { port.isOpen }
                try port.send(places.next(3))
                try waitUntil("both receivers") {
                    try daemon.receivers().compactMap { $0["name"]?.string }.sorted() == ["gps", "gps-2"]
                }
            }
        }

        @Test func `a device with two names is read once`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link, port.path], scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(50))
                try stream.until("the newest epoch but one") { $0.timestamp == drive.timestamp(drive.count - 2) }
                let receivers = try daemon.receivers()
                #expect(receivers.map { $0["state"] } == ["hasFix", "busy"])
                #expect(receivers.last?["detail"]?.string?.contains("gps") == true)
                #expect(
                    receivers.first?["counts"]?["truncated"] == 0 && receivers.first?["counts"]?["sentences"] == 100)
            }
        }

        @Test(arguments: [
            "/etc/passwd", "/tmp", "/dev/null", "/dev/ptmx", "/proc/self/mem",
            "/tmp/" + String(repeating: "x", count: 300),
        ])
        func `a path that is not a port is reported`(_ path: String) throws {
            try TestDaemon.run(devices: [path]) { daemon in
                let update = try #require(try daemon.subscribe().last)
                #expect(update.isUnavailable && update.detail.contains(path), "\(update.detail)")
                try daemon.connect().call("io.sextant.Receiver.List")
            }
        }

        /// The remedy names a group if joining it would help; 5 is the tty group.
        @Test(
            .enabled(
                if: OtherUser.canRun("sextantd"),
                "the tests run without root's rights, or user 65534 cannot run the program"),
            arguments: [
                (0o600, 5, "to see who may open it"), (0o640, 5, "members of the group"),
                (0o640, 0, "to see who may open it"),
            ])
        func `a port without permission is reported with a remedy`(_ mode: UInt32, _ group: UInt32, _ remedy: String)
            throws
        {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            chown(port.path, 0, group)
            chmod(port.path, mode)
            let start = try #require(try OtherUser.command(for: "sextantd", in: scratch))
            // The user of the daemon must be able to create the socket.
            chmod(scratch.path, 0o777)
            try TestDaemon.run(devices: [port.link], scratch: scratch, program: start) { daemon in
                let stream = try daemon.subscribe()
                let update = try #require(stream.last)
                #expect(
                    update.cause == "permissionDenied" && update.detail.contains(port.link)
                        && update.detail.contains(remedy))
                #expect(try daemon.receivers().first?["state"] == "denied")
                chmod(port.path, 0o666)
                var drive = Drive()
                try daemon.waitForReceiver("detectingBaudRate")
                try port.send(drive.next(3))
                try stream.untilLocation()
            }
        }
    }
}
