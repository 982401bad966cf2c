import DaemonSupport
import Glibc
import Places
import SextantAPI
import SextantServiceAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// The index over the socket.
@Suite struct ItemIndexTests {
    private static func item(_ identifier: String, _ attributes: [String: JSONValue] = [:]) -> IndexItem {
        IndexItem(
            identifier: identifier,
            attributes: attributes.merging(["title": .string("Latte \(identifier)")]) { own, _ in own })
    }

    private static func put(_ items: [IndexItem], state: String? = nil, _ program: PlacesProgram) throws {
        let parameters = ChangeIndexParameters(items: items, state: state)
        #expect(try program.client().call(IndexMethods.change, with: parameters).removed == 0)
    }

    private static func found(_ program: PlacesProgram) throws -> [String] {
        let reply = try program.client().call(IndexMethods.search, with: SearchIndexParameters(text: "lat"))
        return reply.items.map(\.item.identifier)
    }

    @Test func `items and the state survive a kill after the reply`() throws {
        let program = try PlacesProgram(nil)
        var item = Self.item("1", ["latitude": 51.84, "longitude": 5.85, "keywords": ["oat"], "rating": 4])
        (item.domain, item.thumbnail) = ("orders", "AQID")
        item.expiry = "2099-01-01T00:00:00.000Z"
        try Self.put([item], state: "MQ==", program)
        try program.restart(SIGKILL)
        let parameters = SearchIndexParameters(
            text: "oat", near: Point(latitude: 51.84, longitude: 5.86), thumbnails: true)
        let reply = try program.client().call(IndexMethods.search, with: parameters)
        #expect(reply.items.first?.item == item && reply.items.first?.index == nil)
        #expect(reply.items.first?.distance.map { (600...800).contains($0) } == true)
        #expect(try program.client().call(IndexMethods.getState, with: GetIndexStateParameters()).state == "MQ==")
    }

    @Test func `calls beyond a limit are refused with a reason`() throws {
        let program = try PlacesProgram(nil)
        let long = String(repeating: "x", count: 257)
        let changes: [ChangeIndexParameters] = [
            .init(index: ""), .init(index: String(repeating: "x", count: 129)), .init(state: "?"),
            .init(state: String(repeating: "AAAA", count: 84)),
            .init(identifiers: Array(repeating: "x", count: 501)),
            .init(items: Array(repeating: Self.item("x"), count: 501)),
            .init(items: [Self.item(long)]),
            .init(items: [IndexItem(identifier: "a", expiry: "soon", attributes: [:])]),
            .init(items: [IndexItem(identifier: "a", attributes: [:], thumbnail: "x")]),
        ]
        for parameters in changes {
            let name = try program.error(IndexMethods.change, parameters)
            #expect(
                name?.hasSuffix(".InvalidParameter") == true || name?.hasSuffix(".InvalidItem") == true, "\(parameters)"
            )
        }
        let searches: [SearchIndexParameters] = [
            .init(text: ""), .init(text: "…"), .init(text: long), .init(text: "a b c d e f g h i"), .init(query: "x"),
            .init(near: Point(latitude: 91, longitude: 1)), .init(radius: 1), .init(limit: 0), .init(limit: 51),
            .init(after: "x"),
        ]
        for parameters in searches {
            let name = try program.error(IndexMethods.search, parameters)
            #expect(name?.contains(".Invalid") == true, "\(parameters)")
        }
        #expect(try Self.found(program) == [])
    }

    @Test func `an index that cannot be written is reported`() throws {
        let program = try PlacesProgram(nil)
        _ = try program.scratch.write("no folder", to: "state")
        let parameters = ChangeIndexParameters(items: [Self.item("1")])
        #expect(try program.error(IndexMethods.change, parameters)?.hasSuffix(".IndexUnusable") == true)
        #expect(try Self.found(program) == [])
    }

    @Test(
        .enabled(
            if: getuid() == 0 && access(PlacesProgram.interpreter, X_OK) == 0, "no python3 that user 65534 may run"))
    func `no method gives or changes the items of another program`() throws {
        let program = try PlacesProgram(nil)
        try Self.put([Self.item("secret")], state: "MQ==", program)
        let calls = [
            #"{"method":"io.sextant.Index.Search"}"#,
            #"{"method":"io.sextant.Index.Search","parameters":{"text":"latte","allPrograms":true}}"#,
            #"{"method":"io.sextant.Index.Search","parameters":{"query":"title == \"Lat*\"","allPrograms":true}}"#,
            #"{"method":"io.sextant.Index.Search","parameters":{"near":{"latitude":1,"longitude":1},"limit":50}}"#,
            #"{"method":"io.sextant.Index.Search","parameters":{"after":"w9","text":"secret OR owner"}}"#,
            #"{"method":"io.sextant.Index.GetState","parameters":{}}"#,
            #"{"method":"io.sextant.Index.Change","parameters":{"all":true,"identifiers":["secret"],"domains":[""]}}"#,
            #"{"method":"io.sextant.Places.Search","parameters":{"text":"latte"}}"#,
            #"{"method":"io.sextant.Places.OwnPlaces","parameters":{}}"#,
        ]
        for call in calls {
            let answer = try program.answer(to: call, asUser: 65_534)
            #expect(!answer.contains("secret") && !answer.contains("MQ=="), "\(call): \(answer)")
        }
        #expect(try Self.found(program) == ["secret"])
        let item = #"{"identifier":"own","attributes":{"title":"Latte own"}}"#
        let add = #"{"method":"io.sextant.Index.Change","parameters":{"items":[\#(item)]}}"#
        #expect(try program.answer(to: add, asUser: 65_534).contains(#""removed":0"#))
        #expect(try Self.found(program) == ["secret"])
        // Only user 0 sees all, and only if it says so.
        let all = SearchIndexParameters(text: "latte", allPrograms: true)
        let reply = try program.client().call(IndexMethods.search, with: all)
        #expect(reply.items.map(\.item.identifier) == ["own", "secret"])
        #expect(reply.items.first?.program == "65534")
        try Self.find(program, isAdministrator: true, finds: ["own", "65534", "secret"])
        try Self.find(program, isAdministrator: false, finds: ["own", "65534"])
    }

    @Test func `find prints the items, and says that the places cannot be read`() throws {
        let program = try PlacesProgram(nil)
        try Self.put([Self.item("1")], program)
        symlink(program.socket, program.scratch("io.sextant.Places"))
        _ = try program.scratch.write("no database", to: "places.db")
        let search = try ChildProcess(
            [try Programs.path(of: "sextant"), "find", "latte", "--socket", program.scratch("daemon")],
            environment: ["SEXTANT_PLACES": program.scratch.path, "LANG": "C.UTF-8"], record: program.scratch("find"))
        #expect(try search.waitForEnd(within: .seconds(60)) == .code(0), "\(search.output)")
        #expect(search.output.contains("places are not searched: ") && search.output.contains("Latte 1"))
    }

    /// Runs `sextant find` as user 0 or as user 65534, and checks what it finds.
    private static func find(_ program: PlacesProgram, isAdministrator: Bool, finds words: [String]) throws {
        let user = isAdministrator ? [] : ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        symlink(program.socket, program.scratch("io.sextant.Places"))
        // The user may execute no file in the folder of the build.
        let command = program.scratch("sextant")
        if access(command, F_OK) != 0 {
            let copy = try ChildProcess(
                ["cp", try Programs.path(of: "sextant"), command], record: program.scratch("copy"))
            #expect(try copy.waitForEnd() == .code(0))
        }
        let search = try ChildProcess(
            user + [command, "find", "latte", "--socket", program.scratch("daemon")],
            environment: ["SEXTANT_PLACES": program.scratch("none"), "LANG": "C.UTF-8"],
            record: program.scratch("find-\(isAdministrator)"))
        #expect(try search.waitForEnd(within: .seconds(60)) == .code(0), "\(search.output)")
        for word in ["own", "65534", "secret"] {
            #expect(search.output.contains(word) == words.contains(word), "\(word): \(search.output)")
        }
    }
}
