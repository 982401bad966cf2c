import Glibc
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Ports {
        @Test func aPortHeldByAnotherIsWaitedFor() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let holder = try port.hold()
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                let stream = try daemon.subscribe()
                let update = try stream.until(cause: "portBusy")
                #expect(update.detail.contains(port.link) && update.detail.contains("pid \(getpid())"), "\(update.detail)")
                #expect(try daemon.receivers().first?["state"] == "busy")
                holder.release()
                var drive = Drive()
                try daemon.waitForReceiver("hunting")
                try port.send(drive.next(3))
                try stream.untilLocation()
                #expect(daemon.logged("is in use") == 1, "not a log line for each attempt")
            }
        }

        @Test func aMissingPortIsWaitedFor() throws {
            let scratch = try Scratch()
            let link = scratch("gps")
            try TestDaemon.run(devices: [link], scratch: scratch) { daemon in
                let stream = try daemon.subscribe()
                let update = try stream.next()
                #expect(update.cause == "noReceiver" && update.detail.contains(link))
                #expect(try daemon.receivers().first?["state"] == "absent")
                let port = try VirtualPort(link)
                var drive = Drive()
                try daemon.waitForReceiver("hunting")
                try port.send(drive.next(3))
                try stream.untilLocation(within: .seconds(6))
            }
        }

        @Test(arguments: ["/etc/passwd", "/tmp", "/dev/null", "/dev/ptmx", "/proc/self/mem", "/tmp/" + String(repeating: "x", count: 300)])
        func whatIsNoPortIsSaidToBeNone(_ path: String) throws {
            try TestDaemon.run(devices: [path]) { daemon in
                let update = try daemon.subscribe().next()
                #expect(update.isUnavailable && update.detail.contains(path), "\(update.detail)")
                try daemon.connect().call("io.sextant.Receiver.List")
            }
        }

        @Test func aForbiddenPortIsSaidToBeForbidden() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            chmod(port.path, 0o600)
            guard let start = try OtherUser.command(for: "sextantd", in: scratch) else {
                return print("skipped: the tests run without root's rights, or user 65534 cannot run the program")
            }
            // Its own user has to be able to make the socket.
            chmod(scratch.path, 0o777)
            try TestDaemon.run(devices: [port.link], scratch: scratch, program: start) { daemon in
                let stream = try daemon.subscribe()
                let update = try stream.next()
                #expect(update.cause == "permissionDenied" && update.detail.contains(port.link) && update.detail.contains("group"))
                #expect(try daemon.receivers().first?["state"] == "denied")
                chmod(port.path, 0o666)
                var drive = Drive()
                try daemon.waitForReceiver("hunting")
                try port.send(drive.next(3))
                try stream.untilLocation()
            }
        }
    }
}
