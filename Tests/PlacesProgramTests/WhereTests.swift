import DaemonSupport
import Geodesy
import Glibc
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// `Where`: the whole programs `sextant-places` and `sextantd`.
@Suite(.serialized) struct WhereTests {
    /// A user without rights; the tests run as user 0, who may act for others.
    private static let otherUser: UInt32 = 65_534
    private static let configuration = "[receivers]\ndiscover = false\n"
    /// Places at the beginning of a `Drive`, one with a part.
    private static let gazetteer =
        PlacesProgram.gazetteer + PlacesProgram.line(4, "Horsted", 51, -0.008, "GB", 1_500_000)
        + PlacesProgram.line(5, "Keynes", 51.001, -0.008, "GB", 0).replacing("\tPPL\t", with: "\tPPLX\t")

    /// Runs the daemon with a receiver that has a fix, and the service.
    private func run(
        _ configuration: String = WhereTests.configuration, _ body: (TestDaemon, PlacesProgram) throws -> Void
    ) throws {
        try TestDaemon.runWithPort(configuration: configuration) { daemon, port in
            try daemon.waitForReceiver("detectingBaudRate")
            var drive = Drive()
            try port.send(drive.next(3))
            try daemon.waitForReceiver("hasFix", "asleep")
            try body(daemon, try PlacesProgram(WhereTests.gazetteer, daemon: daemon.socket))
        }
    }

    private func error(_ program: PlacesProgram) throws -> VarlinkError {
        do {
            let reply = try program.client().call(PlacesMethods.where, with: WhereParameters())
            throw TestFailure("no error but \(reply)")
        } catch {
            guard case .failed(_, let failure) = error as? ClientError else { throw error }
            return failure
        }
    }

    @Test(.enabled(if: getuid() == 0, "only user 0 may act for others here"))
    func `the answer is that of Reverse for the position of the device`() throws {
        try run { daemon, program in
            let client = try program.client()
            let own = OwnPlaceMessage(
                identifier: "home", domain: nil, name: "Home", latitude: 51, longitude: -0.0076, radius: 500,
                keywords: nil, expiry: nil)
            _ = try client.call(PlacesMethods.put, with: PutParameters(places: [own]))
            let placemarks = try client.call(PlacesMethods.where, with: WhereParameters()).placemarks
            let mark = try #require(placemarks.first)
            #expect(mark.locality == "Horsted" && mark.subLocality == "Keynes" && mark.areasOfInterest == ["Home"])
            let reverse = try client.call(
                PlacesMethods.reverse,
                with: ReverseParameters(latitude: mark.latitude, longitude: mark.longitude))
            #expect(reverse.placemarks == placemarks)
            // Each call has a connection to the daemon of its own, which is closed.
            for _ in 0..<100 { _ = try client.call(PlacesMethods.where, with: WhereParameters()) }
            let direct = try BlockingClient.connect(path: daemon.socket)
            try waitUntil("the end of the connections") {
                let reply = try direct.call("io.sextant.Manager.GetStatus")
                return reply["status"]?["connections"] == 1
            }
        }
    }

    @Test(
        .enabled(if: getuid() == 0, "only user 0 may act for others here"),
        arguments: ["authorization = \"denied\"", "accuracy = \"reduced\""])
    func `another user gets what the permission of that user allows`(_ rule: String) throws {
        let grant = "[[permissions.grant]]\nuser = \(WhereTests.otherUser)\n\(rule)\n"
        try run(WhereTests.configuration + grant) { daemon, program in
            let text = try program.answer(
                to: #"{"method":"io.sextant.Places.Where","parameters":{}}"#, asUser: WhereTests.otherUser)
            let reply = try Reply(parsing: Array(text.utf8.dropLast()))
            if rule.contains("denied") {
                #expect(reply.error == "io.sextant.Location.PermissionDenied")
                #expect(reply.parameters["detail"]?.string?.contains("\(WhereTests.otherUser)") == true, "\(reply)")
                return
            }
            let mark = try #require(try reply.parameters(of: PlacesMethods.where).placemarks.first)
            let point = try #require(Coordinate(latitude: mark.latitude, longitude: mark.longitude))
            let device = try #require(Coordinate(latitude: 51, longitude: -0.0076))
            #expect(point.distance(to: device) > 1000)
            #expect(mark.locality == "Horsted" && mark.isoCountryCode == "GB" && mark.timeZone != nil)
            #expect(mark.subLocality == nil && mark.nearby == nil && mark.postalCode == nil)
            // The service itself may know everything.
            let full = try program.client().call(PlacesMethods.where, with: WhereParameters()).placemarks.first
            #expect(full?.subLocality == "Keynes")
            // The use is that of the other user.
            let usage = try BlockingClient.connect(path: daemon.socket).call(
                "io.sextant.Permission.GetUsage")
            #expect(usage["records"]?.array?.contains { $0["program"] == .string("\(WhereTests.otherUser)") } == true)
        }
    }

    @Test func `without data no position is asked for, and without a daemon the error names it`() throws {
        let program = try PlacesProgram(nil)
        #expect(try error(program).name == "\(PlacesInterface.name).NoPlaces")
        try program.replace(PlacesProgram.gazetteer)
        let failure = try error(program)
        #expect(failure.name == "\(PlacesInterface.name).DaemonUnavailable")
        #expect(failure.parameters["reason"]?.string?.contains("no-daemon") == true)
    }

    @Test func `an error of the daemon is passed on, or replaced by the reason`() throws {
        let scratch = try Scratch()
        let daemon = try FakeService(at: scratch("daemon"))
        let program = try PlacesProgram(daemon: daemon.path)
        let limits: [String: JSONValue] = ["limit": 64, "scope": "program"]
        let answers: [(error: String, parameters: [String: JSONValue], passedOn: String)] = [
            ("io.sextant.Manager.TooManyConnections", limits, "io.sextant.Manager.TooManyConnections"),
            ("io.sextant.Session.UnknownClient", ["detail": "x"], "\(PlacesInterface.name).UnknownProgram"),
            ("io.sextant.Session.NotAllowed", ["detail": "x"], "\(PlacesInterface.name).DaemonUnavailable"),
            ("org.varlink.service.MethodNotFound", ["method": "x"], "\(PlacesInterface.name).DaemonUnavailable"),
        ]
        for answer in answers {
            let client = FileDescriptorBox(try program.connect())
            try send(whereCall, to: client)
            let connection = try daemon.accept()
            #expect(try connection.call().method == "io.sextant.Session.ActFor")
            try connection.send(
                Reply(error: VarlinkError(name: answer.error, parameters: answer.parameters)))
            #expect(try reply(from: client).error == answer.passedOn)
            try connection.waitForClose()
        }
        for answer in [Reply(parameters: [:]), Reply(parameters: ["location": [:]])] {
            let client = FileDescriptorBox(try program.connect())
            try send(whereCall, to: client)
            let connection = try daemon.accept()
            _ = try connection.call()
            try connection.send(Reply(parameters: [:]))
            #expect(try connection.call().method == "io.sextant.Location.GetLocation")
            try connection.send(answer)
            #expect(try reply(from: client).error == "\(PlacesInterface.name).DaemonUnavailable")
        }
        let client = FileDescriptorBox(try program.connect())
        try send(whereCall, to: client)
        do { _ = try daemon.accept() }
        #expect(try reply(from: client).error == "\(PlacesInterface.name).DaemonUnavailable")
        #expect(program.process.isRunning)
    }

    @Test func `calls that wait are limited, delay no others, and end with their client`() throws {
        let scratch = try Scratch()
        let daemon = try FakeService(at: scratch("daemon"))
        let program = try PlacesProgram(daemon: daemon.path)
        var clients = try (0..<8).map { _ in FileDescriptorBox(try program.connect()) }
        for client in clients { try send(whereCall, to: client) }
        var connections: [FakeService.Connection] = []
        for _ in clients { connections.append(try daemon.accept()) }
        let refused = try error(program)
        #expect(refused.name == "\(PlacesInterface.name).TooManyWaiting" && refused.parameters == ["limit": 8])
        let client = try program.client()
        #expect(try client.call(PlacesMethods.search, with: FindParameters(text: "nij")).placemarks.count == 1)
        let descriptors = ProcessFigures(of: program.process).descriptors

        // The service ends its connections to the daemon, and there is room for other calls.
        clients.removeLast(3)
        try waitUntil("the end of the connections") {
            ProcessFigures(of: program.process).descriptors == descriptors - 6
        }
        let next = FileDescriptorBox(try program.connect())
        try send(whereCall, to: next)
        let connection = try daemon.accept()
        _ = try connection.call()
        try connection.send(Reply(parameters: [:]))
        _ = try connection.call()
        try connection.send(
            Reply(error: VarlinkError(name: "io.sextant.Location.LocationUnavailable", parameters: ["cause": "off"])))
        #expect(try reply(from: next).error == "io.sextant.Location.LocationUnavailable")
        withExtendedLifetime((clients, connections)) {}
    }

    private let whereCall = #"{"method":"io.sextant.Places.Where","parameters":{}}"# + "\0"

    private func send(_ text: String, to client: FileDescriptorBox) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(client.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw TestFailure("cannot send")
        }
    }

    private func reply(from client: FileDescriptorBox) throws -> Reply {
        var held: [UInt8] = []
        while held.last != 0 {
            guard waitReadable(client.number) else { throw TestFailure("no reply") }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(client.number, &buffer, buffer.count, 0)
            guard count > 0 else { throw TestFailure("closed after \(held.count) bytes") }
            held += buffer[..<count]
        }
        return try Reply(parsing: Array(held.dropLast()))
    }
}
