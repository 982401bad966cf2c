import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct BackPressure {
        @Test func `a slow reader does not delay others`() throws {
            // Ten minutes of updates arrive within seconds.
            let configuration = "[service]\nmax_updates_per_second = 1000\n[receivers]\ndiscover = false\n"
            try TestDaemon.runWithPort(configuration: configuration) { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let (fast, slow) = (try daemon.subscribe(), try daemon.subscribe())
                var drive = Drive(period: 200)
                try port.send(drive.next(3))
                try fast.untilLocation()
                let before = ProcessFigures(of: daemon.process)
                var times: [String] = []
                let count = 3000
                let time = try seconds {
                    for _ in 0..<count / 30 {
                        // The fast reader is at most sixty epochs behind.
                        let known = drive.timestamp(drive.count - 31)
                        try port.send(drive.next(30)) {
                            while let update = try fast.present() { times.append(update.timestamp ?? "none") }
                        }
                        while times.last ?? "" < known { times.append(try fast.next().timestamp ?? "none") }
                    }
                    let final = drive.timestamp(drive.count - 1)
                    while times.last != final { times.append(try fast.next().timestamp ?? "none") }
                }
                #expect(times.suffix(count) == (drive.count - count..<drive.count).map(drive.timestamp)[...])
                #expect(fast.last?.dropped == 0)

                let after = ProcessFigures(of: daemon.process)
                #expect(
                    after.anonymous <= before.anonymous + 1024,
                    "\(before.anonymous) kB before, \(after.anonymous) kB after")
                let status = try daemon.connect().call("io.sextant.Manager.GetStatus")["status"]
                // For each update the subscription checks that missing updates are counted.
                while slow.last?.timestamp != fast.last?.timestamp { try slow.next() }
                let dropped = slow.last?.dropped ?? 0
                #expect(dropped > 0 && slow.last?.sequence == fast.last?.sequence)
                #expect(status?["updatesDropped"] == .int(Int64(dropped)))

                // The slow reader now receives updates normally again.
                try port.send(drive.next(2))
                try slow.until("the newest epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
                #expect(slow.last?.dropped == dropped)
            }
        }

        @Test func `a client that sends without reading is throttled or closed`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let other = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try other.untilLocation()
                let before = ProcessFigures(of: daemon.process)
                let calls = Array(
                    repeating: Array("{\"method\":\"io.sextant.Manager.GetStatus\"}\0".utf8), count: 50_000
                ).flatMap { $0 }
                let stream = Array("{\"method\":\"io.sextant.Location.Subscribe\",\"more\":true}\0".utf8)
                let clients = try [calls, stream + calls, stream + [UInt8](repeating: 32, count: 2_000_000)].map {
                    bytes in
                    let client = try RawClient(daemon.socket)
                    client.sendAsMuchAsPossible(bytes)
                    return client
                }
                try port.send(drive.next(2))
                try other.until("the newest epoch") { $0.timestamp == drive.timestamp(drive.count - 1) }
                let after = ProcessFigures(of: daemon.process)
                #expect(
                    after.anonymous <= before.anonymous + 8192,
                    "\(before.anonymous) kB before, \(after.anonymous) kB after")
                withExtendedLifetime(clients) {}
            }
        }
    }
}
