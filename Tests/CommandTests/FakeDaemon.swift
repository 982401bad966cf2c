import CLinux
import Glibc
import SextantAPI
import SystemCalls
import TestSupport
import Varlink

@testable import sextant

/// A daemon with prepared replies for one run of the program.
struct FakeDaemon {
    enum CallResult {
        case reply(String)
        case error(String, String)
        /// Several replies to one call with `more`.
        case replies([String])
        /// The same, and others once the program has written a text to standard error.
        case repliesInParts([String], after: String, [String])
        /// Closes the connection without a reply.
        case hangUp
        /// Never replies, and keeps the connection.
        case silence
        /// The first result for the first call, and so on; the last one for all further calls.
        case inTurn([CallResult])
    }

    /// The result of a run of the program.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
        var calls: [Call]
        /// The number of connections that the program opened, without that of its session.
        var connections: Int
    }

    /// What a program has done so far.
    struct Progress {
        var calls: [Call]
        var output: String
        var errors: String
    }

    /// Replies that wait until the program has written a text to standard error.
    private struct LateReplies {
        var client: Int32
        var after: String
        var texts: [String]
    }

    /// The results by method; for any other method the daemon closes the connection.
    var results: [String: CallResult]

    /// Runs `sextant` with these arguments against this daemon until it ends.
    ///
    /// - Parameters:
    ///   - launch: how the program is started.
    ///   - signal: the signal sent to the program after each of its calls.
    ///   - typing: the text on its standard input, once it has printed the first one.
    ///   - end: the program gets SIGTERM as soon as this holds; nil: it ends by itself.
    func run(
        _ arguments: [String], launch: Program.LaunchMode = .plain, signal: Int32? = nil,
        typing: (after: String, text: String)? = nil, until end: ((Progress) -> Bool)? = nil
    ) throws -> Outcome {
        let scratch = try Scratch()
        let path = scratch.path + "/sock"
        let listener = try FakeDaemon.listener(at: path)
        let program = try Program(arguments + ["--socket", path], launch: launch, readsInput: typing != nil)
        var (typing, end) = (typing, end)
        var clients: [Int32: ServerConnection] = [:]
        var (calls, late): ([Call], [LateReplies]) = ([], [])
        var (connections, sessions) = (0, 0)
        defer { for client in clients.keys { close(client) } }
        while !program.drain() {
            if let isMet = end, isMet(Progress(calls: calls, output: program.output, errors: program.errors)) {
                end = nil
                program.send(SIGTERM)
            }
            late.removeAll { part in
                guard program.errors.contains(part.after), let connection = clients[part.client] else { return false }
                clients[part.client] = FakeDaemon.reply(part, on: connection)
                return true
            }
            if let next = typing, program.output.contains(next.after) {
                program.type(next.text)
                typing = nil
            }
            var entries = ([listener.number] + clients.keys + program.openPipes).map { watched in
                let events = clients[watched]?.wantsOutput == true ? POLLIN | POLLOUT : POLLIN
                return pollfd(fd: watched, events: Int16(events), revents: 0)
            }
            // The program normally ends by its own timeouts; this limit only keeps a broken test
            // from hanging.
            guard uninterrupted({ poll(&entries, nfds_t(entries.count), 20_000) }) > 0 else {
                throw TestFailure("the program does not end")
            }
            if entries[0].revents != 0 {
                let client = uninterrupted { linux_accept(listener.number) }
                if client >= 0 {
                    clients[client] = ServerConnection()
                    connections += 1
                }
            }
            for entry in entries where entry.revents != 0 {
                let client = entry.fd
                guard var connection = clients[client] else { continue }
                if Int32(entry.revents) & POLLOUT != 0 { _ = try? FakeDaemon.write(to: client, from: &connection) }
                let before = calls.count
                let isOpen =
                    Int32(entry.revents) & ~POLLOUT == 0
                    || serve(client, on: &connection, recordingCallsIn: &calls, late: &late, sessions: &sessions)
                if !isOpen { close(client) }
                clients[client] = isOpen ? connection : nil
                if let signal, calls.count > before { program.send(signal) }
            }
        }
        return Outcome(
            status: program.status(), output: program.output, errors: program.errors, calls: calls,
            connections: connections - sessions)
    }

    static func listener(at path: String) throws -> FileDescriptor {
        let listener = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        try systemCall("binding") { linux_unix_bind(listener.number, path, path.utf8.count) }
        try systemCall("listening") { listen(listener.number, 8) }
        return listener
    }

    private static func reply(_ late: LateReplies, on connection: ServerConnection) -> ServerConnection {
        var connection = connection
        for text in late.texts { connection.reply(object(text), continues: true) }
        _ = try? write(to: late.client, from: &connection)
        return connection
    }

    /// Serves the calls that have arrived; returns false to close the connection.
    private func serve(
        _ client: Int32, on connection: inout ServerConnection, recordingCallsIn calls: inout [Call],
        late: inout [LateReplies], sessions: inout Int
    ) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = uninterrupted { read(client, &buffer, buffer.count) }
        guard count > 0 else { return false }
        connection.receive(Array(buffer.prefix(count)))
        while case .call(let call)? = connection.next() {
            if call.method == SessionMethods.declare.name {
                // Each program that needs the location declares one.
                sessions += 1
                connection.reply(FakeDaemon.object(#"{"diagnostics":{}}"#), continues: true)
                guard (try? FakeDaemon.write(to: client, from: &connection)) != nil else { return false }
                continue
            }
            calls.append(call)
            var result = results[call.method]
            if case .inTurn(let list)? = result {
                let number = calls.count { $0.method == call.method }
                result = list.prefix(number).last
            }
            switch result {
            case .reply(let text)?: connection.reply(FakeDaemon.object(text), continues: call.mode == .more)
            case .replies(let texts)?:
                for text in texts { connection.reply(FakeDaemon.object(text), continues: true) }
            case .repliesInParts(let texts, let after, let others)?:
                for text in texts { connection.reply(FakeDaemon.object(text), continues: true) }
                late.append(LateReplies(client: client, after: after, texts: others))
            case .error(let name, let text)?:
                let members = (try? JSONValue(parsing: Array(text.utf8)).object) ?? [:]
                connection.fail(VarlinkError(name: name, parameters: members))
            case .silence?: break
            case .hangUp?, .inTurn?, nil: return false
            }
            guard (try? FakeDaemon.write(to: client, from: &connection)) != nil else { return false }
        }
        return true
    }

    private static func object(_ text: String) -> EncodedObject {
        EncodedObject((try? JSONValue(parsing: Array(text.utf8)).object) ?? [:])
    }

    /// Writes as much of the output queue as the socket accepts.
    private static func write(to client: Int32, from connection: inout ServerConnection) throws {
        _ = try connection.write { bytes throws(SystemError) in
            // The program may have ended: no SIGPIPE.
            let count = uninterrupted { send(client, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN { return 0 }
            guard count >= 0 else { throw SystemError(code: errno, operation: "sending") }
            return count
        }
    }
}

/// The program that was built with these tests, with its output in pipes.
final class Program {
    private let process: pid_t
    private var pipes: [Int32] = []
    private var texts: [Int32: [UInt8]] = [:]
    private let (outputPipe, errorPipe): (Int32, Int32)
    /// The end of the socket pair to its standard input; -1 if it reads none.
    private let inputPipe: Int32

    /// How the program is started.
    enum LaunchMode: Equatable {
        case plain
        /// With standard output closed.
        case withoutOutput
        /// With SIGHUP ignored, like nohup(1).
        case ignoringHangups
        /// With these environment variables, as "name=value".
        case variables([String])
        /// With a terminal as standard error.
        case onTerminal
    }

    init(_ arguments: [String], launch: LaunchMode = .plain, readsInput: Bool = false) throws {
        var (out, err) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        var input = [Int32](repeating: -1, count: 2)
        if readsInput {
            try systemCall("making a socket pair") {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &input)
            }
        }
        if readsInput { _ = fcntl(input[1], F_SETFD, FD_CLOEXEC) }
        try systemCall("making a pipe") { pipe(&out) }
        if launch == .onTerminal {
            try systemCall("making a pseudo-terminal") {
                err.withUnsafeMutableBufferPointer { openpty(&$0[0], &$0[1], nil, nil, nil) }
            }
        } else {
            try systemCall("making a pipe") { pipe(&err) }
        }
        for end in [out[0], err[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if readsInput {
            posix_spawn_file_actions_adddup2(&actions, input[0], 0)
            posix_spawn_file_actions_addclose(&actions, input[0])
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        posix_spawn_file_actions_adddup2(&actions, err[1], 2)
        for end in [out[1], err[1]] { posix_spawn_file_actions_addclose(&actions, end) }
        if launch == .withoutOutput { posix_spawn_file_actions_addclose(&actions, 1) }
        let shell = ["/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""]
        let line = (launch == .ignoringHangups ? shell : []) + [Program.path] + arguments
        // Dates are in UTC unless a test wants another zone; the first of two variables counts.
        var environment = ["TZ=UTC"] + Environment.all
        if case .variables(let variables) = launch { environment = variables + environment }
        var variables = environment.map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var cStrings = line.map { strdup($0) } + [nil]
        defer { for string in cStrings { free(string) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, line[0], &actions, nil, &cStrings, &variables)
        for end in [out[1], err[1], input[0]] where end >= 0 { close(end) }
        inputPipe = input[1]
        guard code == 0 else { throw SystemError(code: code, operation: "starting \(Program.path)") }
        process = child
        (outputPipe, errorPipe) = (out[0], err[0])
        pipes = [out[0], err[0]]
        for end in pipes { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// The path of the program, beside the executable of the tests.
    private static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/sextant"
    }()

    var openPipes: [Int32] { pipes }
    var output: String { String(decoding: texts[outputPipe] ?? [], as: UTF8.self) }
    var errors: String { String(decoding: texts[errorPipe] ?? [], as: UTF8.self) }

    /// Reads the available output; returns true when both pipes have ended.
    func drain() -> Bool {
        for end in pipes {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var count = uninterrupted { read(end, &buffer, buffer.count) }
            while count > 0 {
                texts[end, default: []] += buffer.prefix(count)
                count = uninterrupted { read(end, &buffer, buffer.count) }
            }
            // The end of a pipe, or of a terminal.
            if count == 0 || count < 0 && errno == EIO {
                close(end)
                pipes.removeAll { $0 == end }
            }
        }
        return pipes.isEmpty
    }

    /// Writes to its standard input.
    func type(_ text: String) {
        _ = text.withCString { Glibc.send(inputPipe, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Waits for the program to end and returns its exit status.
    func status() -> Int32 {
        if inputPipe >= 0 { close(inputPipe) }
        var status: Int32 = 0
        uninterrupted { waitpid(process, &status, 0) }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
