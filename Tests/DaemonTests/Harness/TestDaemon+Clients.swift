@_exported import DaemonSupport
import TestSupport
import Varlink
import VarlinkClient

extension TestDaemon {
    /// Runs `body` with a daemon whose receiver has had a fix, even if nobody may know it.
    static func runWithFix(
        _ configuration: String, _ body: (TestDaemon, VirtualPort, inout Drive) throws -> Void
    ) throws {
        try runWithPort(configuration: configuration) { daemon, port in
            try daemon.waitForReceiver("detectingBaudRate")
            var drive = Drive()
            try port.send(drive.next(3))
            try daemon.waitForReceiver("hasFix", "asleep")
            try body(daemon, port, &drive)
        }
    }

    /// Sends epochs until the daemon has the position of the receiver.
    func waitForFix(_ places: inout Places, _ port: VirtualPort) throws {
        try waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix", "hasFix")
        try port.send(places.next(3))
        try waitForReceiver("hasFix")
    }

    /// Returns a connection that validates every reply against the interface descriptions.
    func connect() throws -> CheckedClient {
        CheckedClient(try BlockingClient.connect(path: socket), try interfaces())
    }

    /// Validates a reply of a raw connection against the interface descriptions.
    func check(_ reply: Reply, to method: String) throws {
        if let error = reply.failure {
            try interfaces().check(error)
        } else {
            try interfaces().check(reply.parameters, replyTo: method)
        }
    }

    /// Opens a stream on its own connection and waits for its first update: ``Subscription/last``.
    func subscribe(
        _ configuration: String = "automotiveNavigation", receiver: String? = nil, options: [String: JSONValue] = [:]
    ) throws -> Subscription {
        let stream = try connect().subscribe(configuration, receiver: receiver, options: options)
        try stream.next()
        return stream
    }

    /// Returns the receivers from `List`.
    func receivers() throws -> [JSONValue] {
        try connect().call("io.sextant.Receiver.List")["receivers"]?.array ?? []
    }
}
