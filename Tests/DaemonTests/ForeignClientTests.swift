import TestSupport
import Testing

extension WholeDaemon {
    @Suite struct ForeignClients {
        @Test(
            .needsAdministrator,
            .enabled(
                if: Foreign.interpreter != nil, "no Python with the foreign clients: make setup-test, or SEXTANT_PYTHON"
            ),
            arguments: ["with_varlink.py", "with_asyncvarlink.py"])
        func `clients in other languages can call every method`(_ script: String) throws {
            let scratch = try Scratch()
            let port = try VirtualPort(scratch("gps"))
            try TestDaemon.run(devices: [port.link], scratch: scratch) { daemon in
                try daemon.waitForReceiver("detectingBaudRate")
                let stream = try daemon.subscribe()
                var drive = Drive()
                try port.send(drive.next(3))
                try stream.untilLocation()
                let client = try Foreign.run(script, [daemon.socket, "gps"], scratch)
                // The receiver keeps sending while the client makes its calls.
                let deadline = Deadline(timeout)
                while client.isRunning, !deadline.isPast {
                    try port.send(drive.next())
                    _ = waitReadable(stream.descriptor, within: .milliseconds(50))
                    while try stream.present() != nil {}
                }
                let end = try client.waitForEnd(within: .seconds(1))
                #expect(end == .code(0), "\(client.output)")
            }
        }
    }
}
