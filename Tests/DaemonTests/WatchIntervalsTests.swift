import Chronology
import TestSupport
import Testing
import Varlink

@testable import sextantd

/// How often a client that watches receivers gets them.
@Suite struct WatchIntervalsTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a client gets the receivers at its interval, and changes at once`() {
        var intervals = WatchIntervals()
        intervals.begin(7, interval: .seconds(4), at: at(0))
        let times = (1...12).map { Double($0) + ($0 % 2 == 0 ? 0.03 : -0.03) }
        let shown = times.filter { intervals.isDue(7, isUrgent: false, at: at($0)) }
        #expect(shown == [4.03, 8.03, 12.03])
        let changed = intervals.isDue(7, isUrgent: true, at: at(13))
        let after = (14...17).map { intervals.isDue(7, isUrgent: false, at: at(Double($0))) }
        #expect(changed && after == [false, false, false, true])
    }

    @Test func `a client without an interval gets every change`() {
        var intervals = WatchIntervals()
        intervals.begin(7, interval: .seconds(4), at: at(0))
        let other = intervals.isDue(8, isUrgent: false, at: at(0.1))
        intervals.keep([8])
        let ended = intervals.isDue(7, isUrgent: false, at: at(0.2))
        #expect(other && ended, "a session that has ended is forgotten")
    }
}

extension WholeDaemon {
    @Suite struct RareWatching {
        @Test func `a change of a receiver's state does not wait for the interval`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let client = try RawClient(daemon.socket)
                let method = "io.sextant.Receiver.Watch"
                client.send("{\"method\":\"\(method)\",\"parameters\":{\"minimumInterval\":-1},\"more\":true}\0")
                #expect(try client.next()?.error == "org.varlink.service.InvalidParameter")
                client.send("{\"method\":\"\(method)\",\"parameters\":{\"minimumInterval\":3600},\"more\":true}\0")
                func state() throws -> String? {
                    try client.next()?.parameters["receivers"]?.array?.first?["state"]?.string
                }
                #expect(try state() == "detectingBaudRate")
                var drive = Drive()
                try port.send(drive.next(3))
                let positions = try daemon.subscribe()
                try positions.untilLocation()
                port.unplug()
                var states: [String?] = []
                while states.last != "absent" { states.append(try state()) }
                #expect(states.count <= 4)
            }
        }
    }
}
