import CLinux
import Glibc
import SystemCalls
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// The daemon that a client's connection starts, with a configuration that is invalid.
    @Suite struct InvalidConfiguration {
        /// Starts the daemon with a listening socket, as the service manager does.
        private static func start(_ scratch: Scratch, socket: Int32, notifying manager: String) throws -> ChildProcess {
            let file = try scratch.write("[service]\nlog_levl = \"debug\"\n", to: "wrong.toml")
            return try ChildProcess(
                ["sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh", Programs.path(of: "sextantd"), "--config", file],
                environment: ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink", "NOTIFY_SOCKET": manager],
                inherited: [3: socket], record: scratch("log"))
        }

        @Test func `clients that wait get file, line and key before the daemon ends`() throws {
            let scratch = try Scratch()
            let listener = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let (number, path) = (listener.number, scratch("socket"))
            try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
            try systemCall("listening") { listen(number, 16) }
            let early = try RawClient(path)
            early.send("{\"method\":\"io.sextant.Manager.GetStatus\"}\0")
            let silent = try RawClient(path)

            let began = ContinuousClock.now
            let manager = try NotifySocket(scratch("notify"))
            let daemon = try InvalidConfiguration.start(scratch, socket: number, notifying: manager.path)
            try manager.until { $0.contains { $0.hasPrefix("STATUS=cannot start: ") } }
            for client in [early, silent] {
                let error = try #require(try client.next()?.failure)
                #expect(error.name == "io.sextant.Manager.InvalidConfiguration")
                #expect(error.parameters["file"] == .string(scratch("wrong.toml")))
                #expect(error.parameters["line"] == 2 && error.parameters["key"] == "service.log_levl")
            }
            // A client that comes later gets the same answer, and starts nothing.
            let late = try RawClient(path)
            #expect(try late.next()?.failure?.name == "io.sextant.Manager.InvalidConfiguration")
            #expect(try daemon.waitForEnd() == .code(78))
            #expect(ContinuousClock.now - began >= .seconds(5), "several starts in 10 s would reach the start limit")
            #expect(daemon.output.contains("\(scratch("wrong.toml")):2: service.log_levl: unknown key"))
            var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 0) == 0, "a waiting connection would start the service again")
        }

        @Test func `without a waiting client the daemon ends at once`() throws {
            let scratch = try Scratch()
            let listener = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let (number, path) = (listener.number, scratch("socket"))
            try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
            try systemCall("listening") { listen(number, 16) }
            let manager = try NotifySocket(scratch("notify"))
            let daemon = try InvalidConfiguration.start(scratch, socket: number, notifying: manager.path)
            #expect(try daemon.waitForEnd() == .code(78))
            #expect(manager.isEmpty, "it states its error when it begins to answer clients")
        }

        @Test func `a hostile key reaches the log and clients without control characters`() throws {
            let scratch = try Scratch()
            let file = try scratch.write("[service]\n\"log\\u001b[2J\\u202e\" = 1\n", to: "wrong.toml")
            let daemon = try ChildProcess(
                [Programs.path(of: "sextantd"), "--check-config", "--config", file], record: scratch("log"))
            #expect(try daemon.waitForEnd() == .code(78))
            #expect(daemon.output.contains("service.log?[2J?"), "\(daemon.output)")
            #expect(!daemon.output.unicodeScalars.contains { $0 != "\n" && TerminalText.isHarmful($0) })
        }
    }
}
