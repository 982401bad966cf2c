import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct SeveralReceivers {
        /// The poor receiver has a fix first. The good one becomes primary, is unplugged and is
        /// replugged.
        @Test func `the better receiver is primary and its loss is bridged by the other`() throws {
            let scratch = try Scratch()
            let (poor, good) = (try VirtualPort(scratch("poor")), try VirtualPort(scratch("good")))
            try TestDaemon.run(devices: [poor.link, good.link], scratch: scratch) { daemon in
                try waitUntil("both ports being open") { poor.isOpen && good.isOpen }
                var pair = Pair(
                    poor, good, best: try daemon.subscribe(), pinned: try daemon.subscribe(receiver: "good"))
                try pair.play(5, without: good)
                #expect(Set(pair.names) == ["poor"])

                try pair.play(100) { pair in pair.names.last == "good" }
                #expect(pair.names.last == "good", "half the radius for ten seconds and more: \(pair.names)")
                let states = try daemon.receivers().map { $0["isPrimary"] }
                #expect(states == [false, true])

                good.unplug()
                pair.names.removeAll()
                try pair.play(2, without: good)
                #expect(pair.names.contains("poor"), "two epochs after the loss")
                try pair.pinned.until(cause: "receiverLost")
                let position = try daemon.connect().call(
                    "io.sextant.Location.GetLocation", ["receiver": "good", "maximumAge": 60])
                #expect(position["location"]?["receiver"] == "good")

                try good.plug()
                try waitUntil("the port being open again") { good.isOpen }
                pair.names.removeAll()
                try pair.play(25)
                #expect(Set(pair.names) == ["poor"], "a receiver that returns has to be better: \(pair.names)")
                #expect(try pair.pinned.untilLocation().location?["receiver"] == "good")
            }
        }

        @Test func `an unknown receiver is an error that lists the known ones`() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            let absent = scratch("later")
            try TestDaemon.run(devices: [port.link, absent], scratch: scratch) { daemon in
                let failure = try daemon.connect().failure(of: "io.sextant.Location.Subscribe", ["receiver": "nobody"])
                #expect(failure.parameters["known"] == ["gps", "later"])
                // A configured receiver is waited for.
                let stream = try daemon.subscribe(receiver: "later")
                #expect(stream.last?.cause == "noReceiver")
                let late = try VirtualPort(absent)
                var drive = Drive()
                try waitUntil("the port being open") { late.isOpen }
                try late.send(drive.next(3))
                #expect(try stream.untilLocation().location?["receiver"] == "later")
            }
        }
    }
}

/// Two receivers at 5 Hz with one clock, one good and one poor. They send like real receivers,
/// because the selection depends on the time of their data.
private struct Pair {
    private let receivers: [VirtualPort]
    private var drives = [Drive(period: 200, hdop: 3), Drive(period: 200, hdop: 0.9)]
    let best: Subscription
    let pinned: Subscription
    /// The receivers of the locations of the best stream.
    var names: [String] = []
    private var lastTime = ""

    init(_ poor: VirtualPort, _ good: VirtualPort, best: Subscription, pinned: Subscription) {
        receivers = [poor, good]
        self.best = best
        self.pinned = pinned
    }

    /// Plays up to `epochs` epochs, and stops early when `isDone` holds.
    mutating func play(_ epochs: Int, without silent: VirtualPort? = nil, until isDone: (Pair) -> Bool = { _ in false })
        throws
    {
        for _ in 0..<epochs where !isDone(self) {
            for (index, port) in receivers.enumerated() {
                let bytes = drives[index].next()
                if port !== silent { try port.send(bytes) }
            }
            _ = poll(nil, 0, 200)
            try receive()
        }
    }

    private mutating func receive() throws {
        while let update = try best.present() {
            guard let time = update.timestamp, let name = update.location?["receiver"]?.string else { continue }
            #expect(time > lastTime, "the time increases")
            lastTime = time
            names.append(name)
        }
        while let update = try pinned.present() {
            if let location = update.location { #expect(location["receiver"] == "good") }
        }
    }
}
