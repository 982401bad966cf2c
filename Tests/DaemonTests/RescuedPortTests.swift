import Glibc
import Receivers
import Simulator
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    @Suite struct RescuedPorts {
        /// As gpsd 3.22 of Debian 12 leaves a u-blox receiver: the output of NMEA is on, and each
        /// sentence is off.
        @Test func `a receiver that gpsd left in UBX gives positions`() throws {
            let scratch = try Scratch()
            let causes = try play(BinaryOutput(.ubx, .sentencesOff), scratch: scratch) { daemon in
                #expect(daemon.logged("was switched to NMEA") == 1)
            }
            #expect(causes.contains("binaryProtocol"), "\(causes)")
        }

        @Test func `a restarted daemon switches a receiver again that has forgotten it`() throws {
            let scratch = try Scratch()
            for _ in 0..<2 { _ = try play(BinaryOutput(.sirf), scratch: scratch) { _ in } }
        }

        /// Runs a simulated receiver until the daemon has a position; returns the causes before it.
        private func play(
            _ binary: BinaryOutput, scratch: Scratch, then check: (TestDaemon) throws -> Void
        ) throws -> Set<String> {
            var options = SimulatorOptions()
            options.binary = binary
            options.baud = 9600
            var simulator = try SimulatorSession(
                options, on: PortOptions(link: scratch("gps")), now: SimulatorClock.now, utc: SimulatorClock.utc
            ) { _ in }
            var causes: Set<String> = []
            try TestDaemon.run(devices: [scratch("gps")], scratch: scratch) { daemon in
                let stream = try daemon.subscribe()
                let deadline = Deadline(.seconds(40))
                while true {
                    try simulator.step(now: SimulatorClock.now)
                    _ = waitReadable(stream.descriptor, within: .milliseconds(5))
                    while let update = try stream.present() {
                        if let cause = update.cause { causes.insert("\(cause)") }
                        guard let location = update.location else { continue }
                        #expect(location["simulated"] == true, "the first position is marked as simulated")
                        return try check(daemon)
                    }
                    if deadline.isPast { throw TestFailure("no position: \(stream.last?.detail ?? "no reason")") }
                }
            }
            return causes
        }
    }
}
