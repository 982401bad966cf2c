import Chronology
import DaemonSupport
import Glibc
import SQLite
import TestSupport
import Testing
import Varlink

@testable import sextant_web

/// The program against a client in Python and a daemon that the test scripts.
@Suite struct WebProgramTests {
    private typealias Request = WebProgram.Request

    /// The password "tide" as crypt(5) writes it.
    private static let tide = "$5$salt$kcUACzV0GQWtgGXQiBzTB8m4DpNjwPXyU8PHZg8VTvC"

    @Test func `files of the page have a tag, strict headers, and no way out of their folder`() throws {
        let program = try WebProgram()
        let answers = try program.answers(to: [
            Request(), Request(method: "HEAD"), Request(path: "/../sextant.toml"), Request(path: "/.hidden.html"),
            Request(path: "/%2e%2e/sextant.toml"), Request(path: "//etc/passwd"), Request(path: "/page.css"),
            Request(method: "DELETE"), Request(method: "POST"),
        ])
        #expect(answers.map(\.status) == [200, 200, 404, 404, 404, 404, 404, 405, 415])
        let first = try #require(answers.first)
        #expect(first.body == "<!doctype html>" && first.headers["content-type"] == "text/html; charset=utf-8")
        #expect(answers[1].body.isEmpty && answers[1].headers["content-length"] == "15")
        for answer in answers {
            #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none';") == true)
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
        }
        let tag = try #require(first.headers["etag"])
        let again = try program.answers(to: [Request(headers: ["If-None-Match": .string(tag)])])
        #expect(again.first?.status == 304)
    }

    @Test func `no request of a foreign page or under a foreign name reaches the daemon`() throws {
        let program = try WebProgram(configuration: "[web]\nnames = [\"boat.example\"]\nmetrics = true\n")
        let hosts: [JSONValue] = [
            "evil.example", "evil.example:8947", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].evil", "",
            "boat.example.evil", ["localhost", "evil.example"], "localhost@evil.example", "localhost:x",
        ]
        let origins: [[String: JSONValue]] = [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "unknown"],
            ["Sec-Fetch-Site": ["same-origin", "cross-site"]], ["Origin": "http://evil.example"], ["Origin": "null"],
            ["Origin": "http://localhost:8947.evil.example"], ["Origin": ["http://localhost:8947", "null"]],
            ["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8947"],
        ]
        let call = Request.call("io.sextant.Manager.GetStatus")
        let targets = [Request(path: "/events"), Request(path: "/metrics"), call]
        var requests = targets.flatMap { target in
            (hosts.map { ["Host": $0] } + origins).map { headers in
                var request = target
                request.headers.merge(headers) { $1 }
                return request
            }
        }
        var (noHeader, wrongType) = (call, call)
        noHeader.headers["Sextant-Request"] = nil
        wrongType.headers["Content-Type"] = "text/plain"
        requests += [noHeader, wrongType, Request(path: "/call/io.sextant.Manager.GetStatus")]
        // As an image of a foreign page in a local network.
        requests += [Request(path: "/events"), Request(path: "/events", headers: ["Cookie": "sextant=2; a=sextant=1"])]
        let answers = try program.answers(to: requests)
        #expect(answers.count == requests.count)
        for (request, answer) in zip(requests, answers) {
            #expect([400, 403, 404, 415, 421].contains(answer.status), "\(request): \(answer.status)")
        }
        #expect(!program.daemon.hasConnection)
    }

    @Test func `own names, addresses and programs that are no browsers are answered`() throws {
        let program = try WebProgram(configuration: "[web]\nnames = [\"boat.example\"]\n")
        let hosts: [JSONValue] = [
            "localhost", "LOCALHOST:8947", "127.0.0.1:8947", "[::1]:8947", "192.168.1.7", "boat.example",
            "boat.example.",
        ]
        let requests = hosts.map { Request(headers: ["Host": $0]) }
        #expect(try program.answers(to: requests).allSatisfy { $0.status == 200 })
        let headers: [[String: JSONValue]] = [
            [:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
            ["Host": "boat.example", "Origin": "https://boat.example"],
        ]
        let calls = headers.map { more in
            var call = Request.call("x")
            call.headers.merge(more) { $1 }
            return call
        }
        for answer in try program.answers(to: calls) {
            #expect(answer.status == 404 && answer.body.contains("io.sextant.Web.MethodNotListed"))
        }
    }

    @Test func `a viewer gets the replies as the daemon writes them, and the stream ends with the viewer`() throws {
        let program = try WebProgram()
        let run = try program.send([.events("pace=live&include=visits", until: "{\"last\":true}")])
        var streams: [String: FakeService.Connection] = [:]
        while streams.count < 2 {
            let connection = try program.daemon.accept()
            let call = try connection.call()
            guard call.method != "io.sextant.Session.Declare" else { continue }
            #expect(call.mode == .more)
            streams[call.method] = connection
        }
        let locations = try #require(streams["io.sextant.Location.Subscribe"])
        for number in 1...3 {
            try locations.send(
                Reply(parameters: ["sequence": .int(Int64(number)), "x": [1, "a\nb"]], continues: true))
        }
        let visits = try #require(streams["io.sextant.Location.WatchVisits"])
        try visits.send(Reply(parameters: ["last": true], continues: true))
        let body = try #require(try program.answers(of: run).first).body
        #expect(body.hasPrefix("retry: 2000\nevent: hello\ndata: {\"edit\":true,"))
        #expect(body.contains("event: visits\ndata: {\"last\":true}\n\n"))
        try locations.waitForClose()
        try visits.waitForClose()
    }

    @Test func `all events of a monitor arrive, although they come at once`() throws {
        let program = try WebProgram()
        let request = Request.events("location=no&include=monitors", until: "\"last\"")
        let run = try program.send([request])
        let connection = try program.daemon.accept()
        _ = try connection.call()
        let names: [String: JSONValue] = ["program": "1000", "name": "m", "monitor": ["pending": 2]]
        let changes: [[String: JSONValue]] = [
            ["event": ["id": 1], "record": [:]], ["event": ["id": 2], "record": [:]],
            ["name": "gone", "monitor": nil], ["name": "last"],
        ]
        for change in changes {
            let members = names.merging(change) { $1 }.filter { $0.value != .null }
            try connection.send(Reply(parameters: members, continues: true))
        }
        let body = try #require(try program.answers(of: run).first).body
        for id in 1...2 { #expect(body.contains("\"event\":{\"id\":\(id)}")) }
        #expect(!body.contains("heldFor"))
    }

    @Test func `a viewer is told that the daemon is away, and gets its streams again`() throws {
        let program = try WebProgram()
        program.daemon.stop()
        var request = Request.events("location=no&include=visits", until: "\"again\"")
        request.headers = ["Cookie": "a=b; sextant=1"]
        let run = try program.send([request])
        try waitUntil("the log") { program.process.output.contains("trying again") }
        try program.daemon.start()
        let connection = try program.daemon.accept()
        _ = try connection.call()
        try connection.send(Reply(parameters: ["again": true], continues: true))
        let body = try #require(try program.answers(of: run).first).body
        #expect(body.contains("event: daemon\ndata: {\"connected\":false,\"detail\":\"connecting to"))
        #expect(body.contains("event: daemon\ndata: {\"connected\":true}\n\nevent: visits"))
    }

    @Test func `the sixth window of a browser is told that there are too many, unless another one closes`() throws {
        let port = try WebProgram.freePort()
        let program = try WebProgram(options: ["--listen", "127.0.0.1:\(port)"])
        let script = """
            import socket
            def window():
                client = socket.create_connection(("127.0.0.1", \(port)), 30)
                client.sendall(b"GET /events?location=no HTTP/1.1\\r\\nHost: localhost\\r\\n"
                               b"Sextant-Request: 1\\r\\n\\r\\n")
                text = b""
                while b"event: hello" not in text:
                    text += client.recv(4096)
                return client
            windows = [window() for _ in range(5)]
            sixth = window()
            text = b""
            while b"}\\n\\n" not in text.partition(b"event: full")[2]:
                text += sixth.recv(4096)
            print("told", b'{"limit":5}' in text)
            changed = window()
            windows[0].close()
            changed.settimeout(4)
            try:
                while changed.recv(4096): pass
                print("ended")
            except TimeoutError:
                print("stays")
            """
        let run = try ChildProcess(
            ["python3", try program.scratch.write(script, to: "windows.py")], record: program.scratch("windows"))
        #expect(try run.waitForEnd(within: .seconds(60)) == .code(0), "\(run.output)")
        #expect(run.output == "told True\nstays\n")
    }

    @Test func `who is refused a stream is not reported as looking`() throws {
        let port = try WebProgram.freePort()
        let scratch = try Scratch()
        let file = try scratch.write(WebProgramTests.tide + "\n", to: "password")
        let program = try WebProgram(
            configuration: "[web]\npassword_file = \"\(file)\"\n", options: ["--listen", "127.0.0.1:\(port)"])
        let script = """
            import base64, socket
            def window(user, event):
                client = socket.create_connection(("127.0.0.1", \(port)), 30)
                password = base64.b64encode(user + b":tide")
                client.sendall(b"GET /events?location=no HTTP/1.1\\r\\nHost: localhost\\r\\nSextant-Request: 1\\r\\n"
                               b"Authorization: Basic " + password + b"\\r\\n\\r\\n")
                text = b""
                while event not in text:
                    part = client.recv(4096)
                    assert part, text
                    text += part
                return client
            windows = [window(b"jane", b"event: hello") for _ in range(6)]
            window(b"joe", b"event: full")
            """
        let run = try ChildProcess(
            ["python3", try program.scratch.write(script, to: "windows.py")], record: program.scratch("windows"))
        #expect(try run.waitForEnd(within: .seconds(60)) == .code(0), "\(run.output)")
        let output = program.process.output
        #expect(output.contains("jane at 127.0.0.1 looks") && !output.contains("joe"), "\(output)")
    }

    @Test func `who looks every nine minutes is reported every other time`() {
        var sightings = Sightings()
        let reports = (0..<10).map { sightings.shouldReport("jane", at: .zero + .seconds(Double($0) * 540)) }
        #expect(reports == (0..<10).map { $0 % 2 == 0 })
        let other = sightings.shouldReport("joe", at: .zero + .seconds(9 * 540))
        #expect(other)
    }

    @Test func `at most 64 who look are known`() {
        var sightings = Sightings()
        let names = (0..<Sightings.maxCount).map(String.init) + ["0", "one more", "0"]
        let reports = names.map { sightings.shouldReport($0, at: .zero) }
        #expect(reports == Array(repeating: true, count: Sightings.maxCount) + [false, true, true])
    }

    @Test func `calls on the list are passed on, with the errors of the daemon`() throws {
        let program = try WebProgram(configuration: "[web]\nedit = false\n")
        let run = try program.send([
            .call("io.sextant.Manager.GetPower", "{\"days\":7}"), .call("io.sextant.Manager.GetPower", "{\"days\":0}"),
            .call("io.sextant.Permission.Set"), .call("io.sextant.Monitor.Add"),
            .call("io.sextant.Receiver.List", "[]"),
            .call("io.sextant.Places.Sources"),
        ])
        let connection = try program.daemon.accept()
        let first = try connection.call()
        #expect(first.method == "io.sextant.Manager.GetPower" && first.parameters == ["days": 7])
        try connection.send(Reply(parameters: ["start": 1.5]))
        _ = try connection.call()
        try connection.send(Reply(error: ServiceError.invalidParameter(parameter: "days").reply))
        let answers = try program.answers(of: run)
        #expect(answers.map(\.status) == [200, 400, 404, 403, 400, 502])
        #expect(answers.first?.body == "{\"start\":1.5}" && answers.first?.headers["cache-control"] == "no-store")
        #expect(
            answers[1].body
                == "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"days\"}}")
    }

    @Test func `a password is needed for TCP if there is one, else for changes, and wrong ones are limited`() throws {
        let port = try WebProgram.freePort()
        let scratch = try Scratch()
        let file = try scratch.write(WebProgramTests.tide + "\n", to: "password")
        let program = try WebProgram(
            configuration: "[web]\npassword_file = \"\(file)\"\n", options: ["--listen", "127.0.0.1:\(port)"])
        func request(_ credentials: String?) -> Request {
            Request(headers: credentials.map { ["Authorization": .string("Basic \($0)")] } ?? [:])
        }
        let right = Base64.encode("jane:tide".utf8)
        let wrong = (0..<6).map { Base64.encode("jane:\($0)".utf8) }
        #expect(try program.answers(to: [request(nil)]).map(\.status) == [200])
        let other = try WebProgram.freePort()
        let open = try WebProgram(options: ["--listen", "127.0.0.1:\(other)"])
        let add = try open.answers(to: [.call("io.sextant.Monitor.Add")], at: "\(other)")
        #expect(add.map(\.status) == [403])
        let answers = try program.answers(to: ([nil, right] + wrong + [right]).map(request), at: "\(port)")
        #expect(answers.map(\.status) == [401, 200, 401, 401, 401, 401, 401, 429, 200])
        #expect(answers.first?.headers["www-authenticate"]?.hasPrefix("Basic realm=") == true)
        #expect(!program.process.output.contains("looks at"), "\(program.process.output)")
        var stream = Request.events("location=no", until: "hello")
        stream.headers["Authorization"] = .string("Basic \(right)")
        #expect(try program.answers(to: [stream, stream], at: "\(port)").map(\.status) == [200, 200])
        let lines = program.process.output.split(separator: "\n")
        #expect(lines.count { $0.contains("jane at 127.0.0.1 looks at the page") } == 1, "\(lines)")
    }

    @Test func `tiles of maps are served by their zoom, column and row from the north`() throws {
        let program = try WebProgram()
        mkdir(program.scratch("maps"), 0o755)
        let database = try Database(creating: program.scratch("maps/sea.mbtiles"))
        try database.execute(
            """
            CREATE TABLE metadata (name TEXT, value TEXT);
            CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
            INSERT INTO metadata VALUES ('format', 'png'), ('attribution', '© X'), ('json', '{}');
            INSERT INTO tiles VALUES (2, 1, 3, x'6162');
            """, for: "writing")
        _ = try program.scratch.write("no database", to: "maps/broken.mbtiles")
        let paths = [
            "", "/sea/2/1/0", "/sea/2/1/3", "/sea/2/4/0", "/sea/31/0/0", "/sea/2/1", "/broken/0/0/0", "/../sea/2/1/0",
        ]
        let answers = try program.answers(to: paths.map { Request(path: "/tiles" + $0) })
        #expect(answers.map(\.status) == [200, 200, 404, 404, 404, 404, 404, 404])
        let maps = "{\"maps\":[{\"map\":\"sea\",\"metadata\":{\"attribution\":\"© X\",\"format\":\"png\"}}]}"
        #expect(answers[0].body == maps && answers[1].body == "ab")
        #expect(answers[1].headers["content-type"] == "image/png")
    }

    @Test func `a peer that sends no whole request is disconnected, and one that sends nonsense ends alone`() throws {
        let program = try WebProgram()
        let script = """
            import socket, sys, time
            def connect():
                client = socket.socket(socket.AF_UNIX)
                client.settimeout(30)
                client.connect(sys.argv[1])
                return client
            held = [connect() for _ in range(60)]
            for client in held:
                try:
                    client.sendall(b"GET / HT")
                except OSError:
                    pass
            start = time.monotonic()
            client = connect()
            client.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
            print("answered", b" 200 " in client.recv(4096) and time.monotonic() - start < 5)
            slow = held[-1]
            version = b"GET / HTTP/9.9\\r\\n\\r\\n"
            for bytes in (b"\\0" * 9000, version, b"GET /" + b"x" * 20000, b"\\x16\\x03\\x01" * 50):
                try:
                    client = connect(); client.sendall(bytes); client.shutdown(socket.SHUT_WR)
                    while client.recv(4096): pass
                except ConnectionError:
                    pass
            start = time.monotonic()
            while slow.recv(4096): pass
            print("disconnected", time.monotonic() - start < 20)
            """
        let run = try ChildProcess(
            ["python3", try program.scratch.write(script, to: "slow.py"), program.socket],
            record: program.scratch("slow"))
        #expect(try run.waitForEnd(within: .seconds(60)) == .code(0), "\(run.output)")
        #expect(run.output.contains("answered True") && run.output.contains("disconnected True"))
        #expect(try program.answers(to: [Request()]).map(\.status) == [200])
    }
}
