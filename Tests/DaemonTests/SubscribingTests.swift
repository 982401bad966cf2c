import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Subscribing {
        @Test func `the first reply is the current state and each epoch follows`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let one = try daemon.subscribe()
                let first = try #require(one.last)
                #expect(first.cause == "starting" && first.isUnavailable)
                #expect(first.detail.contains(port.link))

                var drive = Drive(period: 200)
                try port.send(drive.next(2))
                let fix = try one.until("the second epoch") { $0.timestamp == drive.timestamp(1) }
                #expect(fix.location?["receiver"] == "gps")
                let two = try daemon.subscribe()
                #expect(two.last?.timestamp == fix.timestamp, "a later client gets the present position at once")

                let firstNew = drive.count
                try port.send(drive.next(40))
                let stamps = (firstNew..<drive.count).map(drive.timestamp)
                for subscriber in [one, two] {
                    #expect(try stamps.map { _ in try subscriber.next().timestamp } == stamps)
                    #expect(subscriber.last?.dropped == 0)
                }
                #expect(one.last?.location == two.last?.location)
            }
        }

        @Test func `batched updates arrive together and in order`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let early = try daemon.subscribe()
                var drive = Drive(period: 200)
                try port.send(drive.next(2))
                try early.until("the second epoch") { $0.timestamp == drive.timestamp(1) }
                let stream = try daemon.subscribe(options: ["maximumDelay": 0.5])
                #expect(stream.last?.timestamp == drive.timestamp(1), "the present state is not held")
                let firstNew = drive.count
                try port.send(drive.next(20))
                let stamps = (firstNew..<drive.count).map(drive.timestamp)
                try early.until("the last epoch") { $0.timestamp == stamps.last }
                #expect(try stamps.map { _ in try stream.next().timestamp } == stamps)
                #expect(stream.last?.dropped == 0)
            }
        }

        @Test func `a full batch arrives complete at a slow reader`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let early = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(2))
                try early.until("the second epoch") { $0.timestamp == drive.timestamp(1) }
                let stream = try daemon.subscribe("otherNavigation", options: ["maximumDelay": 3600])
                let firstNew = drive.count
                let held = 512
                try port.send(drive.next(held + 8)) { while try early.present() != nil {} }
                let final = drive.timestamp(drive.count - 1)
                try early.until("the last epoch") { $0.timestamp == final }
                // The batch is larger than the kernel's socket buffer, and the reader starts only
                // now.
                #expect(
                    try (0..<held).map { _ in try stream.next().timestamp }
                        == (firstNew..<firstNew + held).map(drive.timestamp))
                #expect(stream.last?.dropped == 0)
                #expect(try stream.present() == nil, "the updates after it are held again")
            }
        }

        @Test func `a small movement is no significant change`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let every = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try every.untilLocation()
                let subject = try daemon.subscribe(options: ["significantChange": true])
                #expect(subject.last?.location != nil)
                try port.send(drive.next(400)) { while try every.present() != nil {} }
                let final = drive.timestamp(drive.count - 1)
                try every.until("the last epoch") { $0.timestamp == final }
                #expect(try subject.present() == nil)
            }
        }

        @Test(arguments: [
            ("automotiveNavigation", 1), ("otherNavigation", 5), ("fitness", 5), ("airborne", 5), ("default", 25),
        ])
        func `the configuration sets the update rate`(_ configuration: String, everyNthEpochOf5Hz: Int) throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                var drive = Drive(period: 200)
                let every = try daemon.subscribe("automotiveNavigation")
                try port.send(drive.next(3))
                try every.untilLocation()
                let subject = try daemon.subscribe(configuration)
                let start = try #require(subject.last?.timestamp)
                let count = 60
                try port.send(drive.next(count))
                let final = drive.timestamp(drive.count - 1)
                try every.until("the last epoch") { $0.timestamp == final }
                let begin = try #require((0..<drive.count).first { drive.timestamp($0) == start })
                var times: [String] = []
                while let update = try subject.present() { times.append(update.timestamp ?? "none") }
                #expect(
                    times
                        == stride(from: begin + everyNthEpochOf5Hz, to: drive.count, by: everyNthEpochOf5Hz).map(
                            drive.timestamp))
            }
        }

        @Test func `a call without more returns only the current state`() throws {
            try TestDaemon.run(devices: ["/tmp/sextant-no-such-device"]) { daemon in
                let client = try daemon.connect()
                for _ in 0..<2 {
                    let reply = try client.call("io.sextant.Location.Subscribe")
                    #expect(reply["cause"] == "noReceiver" && reply["sequence"] == 1 && reply["dropped"] == 0)
                }
                #expect(try client.call("io.sextant.Manager.GetStatus")["status"]?["streams"] == 0)
            }
        }
    }
}
