import Chronology
import Locator
import TestSupport
import Testing
import Varlink

@testable import sextantd

/// Tests that a receiver's clock does not set the rate of updates.
@Suite struct UpdateRatesTests {
    private static let stream = RequestID(1)
    static let perSecond = Settings().maxUpdatesPerSecond
    static let burst = UpdateRates(perSecond: perSecond).burst

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func update(_ number: Int) -> Update {
        Update(unavailability: Unavailability(.noFix, detail: "\(number)"))
    }

    /// Offers updates with these numbers, and returns those that are sent at once.
    private func offer(_ numbers: Range<Int>, to rates: inout UpdateRates, at now: Instant) -> [Int] {
        numbers.filter { rates.admit(update($0), to: UpdateRatesTests.stream, at: now) != nil }
    }

    @Test func `a burst is sent at once and the newest of the rest later`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: false)
        let count = 1000
        #expect(offer(0..<count, to: &rates, at: at(9)) == Array(0..<UpdateRatesTests.burst))
        let deadline = rates.deadline
        #expect(deadline == at(9 + 1 / Double(UpdateRatesTests.perSecond)))
        #expect(rates.takeDue(at: at(9)).isEmpty)
        let due = UpdateRates.DueUpdate(
            stream: UpdateRatesTests.stream, update: update(count - 1), replaced: count - 1 - UpdateRatesTests.burst)
        #expect(rates.takeDue(at: deadline ?? .zero) == [due])
        #expect(rates.deadline == nil)
    }

    @Test func `the rate is limited over any time`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: false)
        var sent = 0
        var accounted = 0
        for millisecond in 0..<60_000 {
            let now = at(Double(millisecond) / 1000)
            for due in rates.takeDue(at: now) {
                sent += 1
                accounted += 1 + due.replaced
            }
            if let replaced = rates.admit(update(millisecond), to: UpdateRatesTests.stream, at: now) {
                sent += 1
                accounted += 1 + replaced
            }
        }
        #expect(sent <= UpdateRatesTests.burst + 60 * UpdateRatesTests.perSecond)
        #expect(sent >= UpdateRatesTests.burst + 59 * UpdateRatesTests.perSecond)
        #expect(accounted >= 60_000 - 1000 / UpdateRatesTests.perSecond)
    }

    /// Filters admit at most five updates per second of an honest clock; a receiver at 20 Hz whose
    /// position comes and goes causes 20.
    @Test func `nothing is held at twenty updates per second`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: false)
        for number in 0..<10_000 {
            #expect(rates.admit(update(number), to: UpdateRatesTests.stream, at: at(Double(number) / 20)) == 0)
        }
    }

    @Test func `a full batch is sent complete`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: true)
        #expect(offer(0..<UpdateBatch.maxCount, to: &rates, at: at(1)).count == UpdateBatch.maxCount)
    }

    @Test func `an update that is sent replaces the held one`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: false)
        _ = offer(0..<UpdateRatesTests.burst + 3, to: &rates, at: at(1))
        #expect(rates.admit(update(-1), to: UpdateRatesTests.stream, at: at(2)) == 3)
        #expect(rates.takeDue(at: at(3)).isEmpty && rates.deadline == nil)
    }

    @Test func `the end of a stream discards its held update`() {
        var rates = UpdateRates(perSecond: UpdateRatesTests.perSecond)
        rates.begin(UpdateRatesTests.stream, isBatched: false)
        _ = offer(0..<UpdateRatesTests.burst + 1, to: &rates, at: at(1))
        rates.end(UpdateRatesTests.stream)
        #expect(rates.deadline == nil && rates.takeDue(at: at(9)).isEmpty)
    }
}

extension WholeDaemon {
    @Suite struct LyingClocks {
        /// A receiver sends hundreds of epochs per second whose times are a second apart, or go
        /// back by as much as a restart does.
        @Test(arguments: [1000, -11_000])
        func `a receiver's clock does not set the rate of updates`(period: Int) throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                var drive = Drive(period: period, start: 43_200_000)
                let first = try daemon.subscribe()
                try port.send(drive.next(3))
                try first.untilLocation()
                let streams = [first, try daemon.subscribe("otherNavigation"), try daemon.subscribe("default")]
                let before = streams.map(\.received)
                let took = try seconds {
                    try port.send(drive.next(3000)) { for stream in streams { while try stream.present() != nil {} } }
                    let final = drive.timestamp(drive.count - 1)
                    for stream in streams.prefix(2) {
                        try stream.until("the last epoch") { $0.timestamp == final }
                    }
                }
                let limit = UpdateRatesTests.burst + Int((took * Double(UpdateRatesTests.perSecond)).rounded(.up))
                for (stream, before) in zip(streams, before) {
                    #expect(stream.received - before <= limit, "in \(took) s")
                }
                #expect(first.last?.dropped ?? 0 > 3000 / 2)
            }
        }

        @Test func `ten seconds of a receiver at twenty hertz lose nothing`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                var drive = Drive(period: 50)
                let stream = try daemon.subscribe()
                try port.send(drive.next(3))
                let start = try stream.untilLocation()
                let begin = try #require((0..<drive.count).first { drive.timestamp($0) == start.timestamp })
                try port.send(drive.next(200))
                // Four epochs of 50 ms make the 200 ms of the configuration.
                for index in stride(from: begin + 4, to: drive.count, by: 4) {
                    #expect(try stream.next().timestamp == drive.timestamp(index))
                }
                #expect(stream.last?.dropped == 0)
            }
        }
    }
}
