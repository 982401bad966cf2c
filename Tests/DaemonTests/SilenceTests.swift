import Testing
import Varlink

extension WholeDaemon {
    @Suite struct Silence {
        @Test func aSilentReceiverCostsNoWakeup() throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                try daemon.waitForReceiver("hunting")
                let stream = try daemon.subscribe()
                // One that has finished sending has nothing more to be heard of, and must not be listened to.
                let shell = try RawClient(daemon.socket)
                shell.send("{\"method\":\"io.sextant.Location.Subscribe\",\"more\":true}\0")
                shell.finishSending()
                // One that sends far ahead is not listened to either.
                let eager = try RawClient(daemon.socket)
                eager.send("{\"method\":\"io.sextant.Receiver.Watch\",\"more\":true}\0")
                eager.sendAsMuchAsPossible([UInt8](repeating: UInt8(ascii: "x"), count: 500_000))
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                let announced = try seconds { try stream.until(cause: "receiverSilent") }
                _ = waitReadable(stream.descriptor, within: .seconds(1))
                let before = ProcessFigures(of: daemon.process)
                // Nothing comes, so this takes all of the time.
                #expect(!waitReadable(stream.descriptor, within: .seconds(5)))
                let after = ProcessFigures(of: daemon.process)
                #expect(after.sleeps == before.sleeps, "\(after.sleeps - before.sleeps) wakeups in 5 s")
                #expect(after.busy == before.busy, "it ran without sleeping")
                #expect(after.threads == 1)
                print("silence is told after \(announced) s; then \(after.sleeps - before.sleeps) wakeups in 5 s, \(after.threads) thread")

                try port.send(drive.next(3))
                try stream.untilLocation()
            }
        }
    }
}
