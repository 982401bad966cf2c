import DaemonSupport
import Geodesy
import Glibc
import Places
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

@Suite struct PlacesProgramTests {
    @Test func `the answers are those of the library`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        let geocoder = Geocoder(try PlacesFile(program.folder))
        for (latitude, longitude) in [(51.8425, 5.8528), (51.7, 5.5), (-18.1, 178.4), (0, 0), (90, 0), (-90, -180)] {
            let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
            let reply = try client.call(
                PlacesMethods.reverse, with: ReverseParameters(latitude: latitude, longitude: longitude))
            #expect(reply.placemarks == (try geocoder.placemark(at: point)).map { [Placemark($0)] } ?? [])
        }
        let near = Point(latitude: 52, longitude: 6)
        let found = try client.call(PlacesMethods.forward, with: FindParameters(text: "nijmegen", near: near))
        #expect(found.placemarks.map(\.locality) == ["Nijmegen"])
        #expect(!found.partial)
        #expect(try client.call(PlacesMethods.forward, with: FindParameters(text: "nij")).partial)
        #expect(try client.call(PlacesMethods.search, with: FindParameters(text: "a")).placemarks.count == 1)
        let limited = FindParameters(text: "s", country: "FJ", language: "fj", limit: 1)
        #expect(try client.call(PlacesMethods.search, with: limited).placemarks.map(\.isoCountryCode) == ["FJ"])
        let sources = try client.call(PlacesMethods.sources).sources
        #expect(sources.map(\.rows) == [3])
        #expect(sources.map(\.date) == ["2026-01-01"])
    }

    @Test func `an answer has as many placemarks as asked for, within the radius and of the kinds`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        func reverse(_ limit: Int?) throws -> [String?] {
            let parameters = ReverseParameters(latitude: 51.9, longitude: 5.88, limit: limit)
            return try client.call(PlacesMethods.reverse, with: parameters).placemarks.map(\.locality)
        }
        #expect(try reverse(nil) == ["Nijmegen"])
        #expect(try reverse(1) == ["Nijmegen"])
        #expect(try reverse(2) == ["Nijmegen", "Nijmegen"])
        #expect(try reverse(50) == ["Nijmegen", "Nijmegen", "Arnhem"])
        func search(_ text: String, radius: Double?, kinds: [String]?) throws -> [String?] {
            let near = Point(latitude: 51.84, longitude: 5.85)
            let parameters = FindParameters(text: text, near: near, radius: radius, kinds: kinds)
            return try client.call(PlacesMethods.search, with: parameters).placemarks.map(\.locality)
        }
        #expect(try search("a", radius: 10_000, kinds: nil) == [])
        #expect(try search("a", radius: 50_000, kinds: nil) == ["Arnhem"])
        #expect(try search("a", radius: nil, kinds: ["PPL"]) == ["Arnhem"])
        #expect(try search("a", radius: nil, kinds: ["PPLC"]) == [])
        let invalid = "org.varlink.service.InvalidParameter"
        let radius = FindParameters(text: "a", radius: 5)
        #expect(try program.error(PlacesMethods.search, radius) == invalid)
        let kinds = FindParameters(text: "a", kinds: Array(repeating: "PPL", count: 17))
        #expect(try program.error(PlacesMethods.search, kinds) == invalid)
        let limit = ReverseParameters(latitude: 0, longitude: 0, limit: 51)
        #expect(try program.error(PlacesMethods.reverse, limit) == invalid)
    }

    @Test func `each refusal has its error`() throws {
        let program = try PlacesProgram()
        let own = PlacesInterface.name
        func reverse(_ latitude: Double, _ longitude: Double) throws -> String? {
            try program.error(PlacesMethods.reverse, ReverseParameters(latitude: latitude, longitude: longitude))
        }
        #expect(try reverse(200, 5) == "\(own).InvalidCoordinate")
        #expect(try reverse(5, 200) == "\(own).InvalidCoordinate")
        #expect(try reverse(-90.001, 0) == "\(own).InvalidCoordinate")
        func search(_ text: String, limit: Int? = nil) throws -> String? {
            try program.error(PlacesMethods.search, FindParameters(text: text, limit: limit))
        }
        #expect(try search("") == "\(own).InvalidText")
        #expect(try search("\u{301}") == "\(own).InvalidText")
        #expect(try search(String(repeating: "x", count: 257)) == "\(own).InvalidText")
        #expect(try search("x", limit: 0) == "org.varlink.service.InvalidParameter")
        #expect(try search("x", limit: 51) == "org.varlink.service.InvalidParameter")
        #expect(try search("x\" OR t:*") == nil)
        #expect(program.process.isRunning)
    }

    @Test func `without data the error names the command, and data that comes later is used`() throws {
        let program = try PlacesProgram(nil)
        let client = try program.client()
        let nijmegen = ReverseParameters(latitude: 51.8425, longitude: 5.8528)
        let error = #expect(throws: ClientError.self) { try client.call(PlacesMethods.reverse, with: nijmegen) }
        guard case .failed(_, let reply) = error else {
            throw TestFailure("another error: \(String(describing: error))")
        }
        #expect(reply.name == "\(PlacesInterface.name).NoPlaces")
        #expect(reply.parameters["reason"]?.string?.contains("sextant places import") == true)
        try program.replace(PlacesProgram.gazetteer)
        #expect(try client.call(PlacesMethods.reverse, with: nijmegen).placemarks.first?.locality == "Nijmegen")
        try program.replace(PlacesProgram.line(9, "Noviomagus", 51.8425, 5.8528, "NL", 5000))
        #expect(try client.call(PlacesMethods.reverse, with: nijmegen).placemarks.first?.locality == "Noviomagus")
    }

    @Test func `a damaged file is an error, and the service continues`() throws {
        let program = try PlacesProgram(nil)
        #expect(mkdir(program.scratch("data"), 0o755) == 0)
        try program.scratch.write(String(repeating: "no database ", count: 1000), to: "data/places.db")
        let nijmegen = ReverseParameters(latitude: 51.8425, longitude: 5.8528)
        #expect(try program.error(PlacesMethods.reverse, nijmegen) == "\(PlacesInterface.name).DataUnusable")
        try program.replace(PlacesProgram.gazetteer)
        #expect(try program.error(PlacesMethods.reverse, nijmegen) == nil)
    }

    @Test func `a client with many calls does not keep another one waiting`() throws {
        let program = try PlacesProgram()
        let greedy = FileDescriptorBox(try program.connect())
        let call = Array(
            "{\"method\":\"io.sextant.Places.Search\",\"parameters\":{\"text\":\"n\"}}\0".utf8)
        // Nobody reads the answers: what does not fit waits in the client's own socket.
        let many = Array(repeatElement(call, count: 2000).joined())
        _ = many.withUnsafeBytes {
            send(greedy.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        let client = try program.client()
        for _ in 0..<20 {
            #expect(try client.call(PlacesMethods.search, with: FindParameters(text: "nij")).placemarks.count == 1)
        }
    }

    @Test(arguments: [
        (["--bogus"], "--bogus"), (["--data"], "--data"), (["--state", ""], "--state needs a path"),
        (["extra"], "unexpected argument 'extra'"),
    ])
    func `options that are not understood end with status 64 and name the mistake`(
        _ flags: [String], _ reason: String
    ) throws {
        let (end, output) = try Self.run(flags)
        #expect(end == .code(64) && output.contains(reason))
        #expect(output.hasSuffix("sextant-places: see 'sextant-places --help'\n"))
    }

    @Test func `the help lists every option, and the version is one line`() throws {
        let (end, help) = try Self.run(["--help"])
        #expect(end == .code(0))
        for name in ["socket", "data", "state", "version", "help"] { #expect(help.contains("--\(name) ")) }
        let (versionEnd, version) = try Self.run(["--version"])
        #expect(versionEnd == .code(0) && version.split(separator: "\n").count == 1)
    }

    private static func run(_ flags: [String]) throws -> (end: ChildProcess.End, output: String) {
        let scratch = try Scratch()
        let program = try ChildProcess([Programs.path(of: "sextant-places")] + flags, record: scratch("log"))
        return (try program.waitForEnd(), program.output)
    }

    @Test func `a user has at most 64 connections`() throws {
        let program = try PlacesProgram()
        let clients = try (0..<80).map { _ in FileDescriptorBox(try program.connect()) }
        #expect(try program.error(PlacesMethods.search, FindParameters(text: "nij")) != nil)
        withExtendedLifetime(clients) {}
    }

    @Test func `broken messages end only their connection`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        for text in ["x\0", "{}\0", "[]\0", "{\"method\":1}\0", String(repeating: "x", count: 100_000)] {
            let bad = FileDescriptorBox(try program.connect())
            let bytes = Array(text.utf8)
            _ = send(bad.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #expect(try client.call(PlacesMethods.search, with: FindParameters(text: "nij")).placemarks.count == 1)
        }
        #expect(program.process.isRunning)
    }

    @Test func `the service manager starts it for a connection, and it ends without any`() throws {
        let scratch = try Scratch()
        try PlacesProgram.importing(PlacesProgram.gazetteer, scratch)
        let script = try scratch.write(
            String(decoding: PackageResources.activation_py, as: UTF8.self), to: "activation.py")
        let run = try ChildProcess(
            ["python3", script, try Programs.path(of: "sextant-places"), scratch("data"), scratch("socket")],
            record: scratch("log"))
        #expect(try run.waitForEnd(within: .seconds(90)) == .code(0), "\(run.output)")
        #expect(run.output.contains("ended three times"))
    }
}
