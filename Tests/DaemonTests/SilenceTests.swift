import TestSupport
import Testing

extension WholeDaemon {
    @Suite struct Silence {
        @Test func `a silent receiver causes no wakeups`() throws {
            try TestDaemon.runWithPort { daemon, port in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                // A half-closed client sends nothing more, so its descriptor must not be polled for
                // input.
                let shell = try RawClient(daemon.socket)
                shell.send("{\"method\":\"io.sextant.Location.Subscribe\",\"more\":true}\0")
                shell.finishSending()
                // The input of a client that pipelines too much is not polled either.
                let eager = try RawClient(daemon.socket)
                eager.send("{\"method\":\"io.sextant.Receiver.Watch\",\"more\":true}\0")
                eager.sendAsMuchAsPossible([UInt8](repeating: UInt8(ascii: "x"), count: 500_000))
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                try stream.until(cause: "receiverSilent")
                _ = waitReadable(stream.descriptor, within: .seconds(1))
                let before = ProcessFigures(of: daemon.process)
                // No update arrives, so the wait takes the full time.
                #expect(!waitReadable(stream.descriptor, within: .seconds(5)))
                let after = ProcessFigures(of: daemon.process)
                #expect(after.sleeps == before.sleeps, "\(after.sleeps - before.sleeps) wakeups in 5 s")
                #expect(after.busy == before.busy, "it ran without sleeping")
                #expect(after.threads == 1)

                try port.send(drive.next(3))
                try stream.untilLocation()
            }
        }
    }
}
