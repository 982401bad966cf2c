import Glibc
import TestSupport

/// A message bus (D-Bus) of a test, with services that python3-dbusmock simulates.
package final class MessageBus {
    private static let configuration = """
        <busconfig><type>system</type><listen>ADDRESS</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        <allow own="*"/></policy></busconfig>
        """

    package static let isPossible = {
        let needed: [String] = ["/usr/lib/python3/dist-packages/dbusmock", "/usr/bin/dbus-daemon", "/usr/bin/busctl"]
        return needed.allSatisfy { access($0, F_OK) == 0 }
    }()

    package let address: String
    private let scratch: Scratch
    private let file: String
    private var process: ChildProcess

    package init(_ scratch: Scratch) throws {
        self.scratch = scratch
        let socket = scratch("bus")
        address = "unix:path=\(socket)"
        let text = MessageBus.configuration.split(separator: "ADDRESS").joined(separator: address)
        file = try scratch.write(text, to: "bus.conf")
        process = try MessageBus.start(file, scratch)
    }

    private static func start(_ file: String, _ scratch: Scratch) throws -> ChildProcess {
        let process = try ChildProcess(["dbus-daemon", "--nofork", "--config-file", file], record: scratch("bus.log"))
        try waitUntil("the bus") { access(scratch("bus"), F_OK) == 0 }
        return process
    }

    /// Ends the bus, and with it all connections, and starts it again.
    package func restart() throws {
        process.destroy()
        unlink(scratch("bus"))
        process = try MessageBus.start(file, scratch)
    }

    /// Starts a simulated service and waits until it answers.
    ///
    /// - Parameter template: The name of a template of dbusmock, or the path of one.
    package func simulate(_ template: String, as service: String, at path: String) throws -> ChildProcess {
        let process = try ChildProcess(
            ["/usr/bin/python3", "-m", "dbusmock", "--template", template],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address], record: scratch("mock.log"))
        try waitUntil("\(service); \(process.output)") {
            (try? busctl("call", service, path, "org.freedesktop.DBus.Peer", "Ping")) != nil
        }
        return process
    }

    @discardableResult
    package func busctl(_ words: String...) throws -> String { try busctl(words) }

    @discardableResult
    package func busctl(_ words: [String]) throws -> String {
        let record = scratch("busctl.log")
        unlink(record)
        let process = try ChildProcess(["busctl", "--address=\(address)"] + words, record: record)
        guard try process.waitForEnd() == .code(0) else { throw TestFailure(process.output) }
        return process.output
    }
}
