import DaemonSupport
import Geodesy
import Glibc
import Places
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

/// Places that programs add.
@Suite struct OwnPlaceTests {
    private static func home(_ identifier: String = "home", domain: String? = nil, expiry: String? = nil)
        -> OwnPlaceMessage
    {
        OwnPlaceMessage(
            identifier: identifier, domain: domain, name: "Jane's Home", latitude: 51.8, longitude: 5.8, radius: 200,
            keywords: ["Casa"], expiry: expiry)
    }

    private static func put(_ places: [OwnPlaceMessage], _ client: BlockingClient) throws {
        _ = try client.call(PlacesMethods.put, with: PutParameters(places: places))
    }

    private static func found(_ text: String, _ client: BlockingClient) throws -> [String?] {
        try client.call(PlacesMethods.forward, with: FindParameters(text: text)).placemarks.map(\.name)
    }

    @Test func `an own place is found by its names, and names the positions in it`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        try OwnPlaceTests.put([OwnPlaceTests.home()], client)
        for text in ["jane's home", "CASA"] {
            let reply = try client.call(PlacesMethods.forward, with: FindParameters(text: text))
            let mark = try #require(reply.placemarks.first)
            #expect(mark.name == "Jane's Home" && mark.identifier == "home" && !reply.partial)
            #expect(mark.latitude == 51.8 && mark.horizontalAccuracy == 200)
        }
        #expect(try client.call(PlacesMethods.forward, with: FindParameters(text: "ca")).partial)
        #expect(try OwnPlaceTests.found("jane's home, NL", client) == [])
        #expect(
            try client.call(PlacesMethods.search, with: FindParameters(text: "h")).placemarks.first?.name
                == "Jane's Home")
        let inside = try client.call(PlacesMethods.reverse, with: ReverseParameters(latitude: 51.8017, longitude: 5.8))
        #expect(inside.placemarks.first?.areasOfInterest == ["Jane's Home"])
        #expect(inside.placemarks.first?.nearby?.name == "Nijmegen")
        let outside = try client.call(PlacesMethods.reverse, with: ReverseParameters(latitude: 51.8019, longitude: 5.8))
        #expect(outside.placemarks.first?.areasOfInterest == nil)
    }

    @Test func `the calls of a client that closes the connection at once are served`() throws {
        let program = try PlacesProgram()
        let number = try program.connect()
        let places = (0..<80).map {
            OwnPlaceMessage(identifier: "\($0)", name: "Cabin \($0)", latitude: 1, longitude: 1)
        }
        let bytes = try places.flatMap { place in
            let parameters = PutParameters(places: [place])
            return try PlacesMethods.put.call(with: parameters, mode: .oneway).encoded()
        }
        #expect(send(number, bytes, bytes.count, 0) == bytes.count)
        close(number)
        let client = try program.client()
        try waitUntil("the last place") {
            let reply = try client.call(PlacesMethods.forward, with: FindParameters(text: "cabin 79"))
            return reply.placemarks.first?.identifier == "79"
        }
    }

    @Test func `an exact own name comes before a town, a beginning after it`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        let named = ["Arnhem", "Suva Office"].map {
            OwnPlaceMessage(identifier: $0, name: $0, latitude: 1, longitude: 1)
        }
        try OwnPlaceTests.put(named, client)
        let arnhem = try client.call(PlacesMethods.forward, with: FindParameters(text: "arnhem")).placemarks
        #expect(arnhem.map(\.identifier) == ["Arnhem", nil])
        let suva = try client.call(PlacesMethods.forward, with: FindParameters(text: "suva"))
        #expect(suva.placemarks.map(\.identifier) == [nil, "Suva Office"] && !suva.partial)
        let typed = try client.call(PlacesMethods.search, with: FindParameters(text: "suva")).placemarks
        #expect(typed.map(\.identifier) == ["Suva Office", nil])
    }

    @Test func `own places work without data, other names do not`() throws {
        let program = try PlacesProgram(nil)
        let client = try program.client()
        try OwnPlaceTests.put([OwnPlaceTests.home()], client)
        #expect(try OwnPlaceTests.found("casa", client) == ["Jane's Home"])
        let inside = try client.call(PlacesMethods.reverse, with: ReverseParameters(latitude: 51.8, longitude: 5.8))
        #expect(inside.placemarks.map(\.name) == ["Jane's Home"])
        #expect(
            try program.error(PlacesMethods.reverse, ReverseParameters(latitude: 51, longitude: 5))
                == "\(PlacesInterface.name).NoPlaces")
    }

    @Test func `a place with the same identifier is replaced, and removed by identifier, domain or all`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        let places = [
            OwnPlaceTests.home(), OwnPlaceTests.home("a", domain: "work"), OwnPlaceTests.home("b", domain: "work"),
        ]
        try OwnPlaceTests.put(places, client)
        var moved = OwnPlaceTests.home()
        moved.latitude = 10
        moved.expiry = "9999-12-31T23:59:59.000Z"
        try OwnPlaceTests.put([moved], client)
        func listed(_ parameters: OwnPlacesParameters = OwnPlacesParameters()) throws -> [OwnPlaceMessage] {
            try client.call(PlacesMethods.ownPlaces, with: parameters).places
        }
        #expect(try listed() == [places[1], places[2], moved])
        #expect(try listed(OwnPlacesParameters(domain: "work")) == [places[1], places[2]])
        #expect(try listed(OwnPlacesParameters(after: "a")) == [places[2], moved])
        let one = try client.call(PlacesMethods.remove, with: RemovePlacesParameters(identifiers: ["home", "nothing"]))
        #expect(one.removed == 1)
        #expect(try client.call(PlacesMethods.removeDomain, with: DomainParameters(domain: "work")).removed == 2)
        #expect(try listed() == [])
        try OwnPlaceTests.put(places, client)
        #expect(try client.call(PlacesMethods.removeAll).removed == 3)
        #expect(try OwnPlaceTests.found("casa", client) == [])
    }

    @Test func `places survive a kill, and expire`() throws {
        let program = try PlacesProgram()
        try OwnPlaceTests.put([OwnPlaceTests.home()], try program.client())
        try OwnPlaceTests.put([OwnPlaceTests.home("old", expiry: "2020-01-01T00:00:00Z")], try program.client())
        #expect(
            try program.client().call(PlacesMethods.ownPlaces, with: OwnPlacesParameters()).places.map(\.identifier)
                == ["home"])
        try program.restart(SIGKILL)
        #expect(
            try program.client().call(PlacesMethods.ownPlaces, with: OwnPlacesParameters()).places == [
                OwnPlaceTests.home()
            ])
    }

    @Test func `a description and the time of creation are kept`() throws {
        let program = try PlacesProgram()
        var place = OwnPlaceTests.home()
        place.description = "Ring twice.\nThe dog is called Ω."
        place.created = "2024-05-01T08:30:00.000Z"
        try OwnPlaceTests.put([place], try program.client())
        try program.restart(SIGKILL)
        #expect(try program.client().call(PlacesMethods.ownPlaces, with: OwnPlacesParameters()).places == [place])
    }

    @Test func `invalid places are refused with their index, and none of the call is added`() throws {
        let program = try PlacesProgram()
        var places: [OwnPlaceMessage] = []
        func add(_ change: (inout OwnPlaceMessage) -> Void) {
            var place = OwnPlaceTests.home()
            change(&place)
            places.append(place)
        }
        add { $0.identifier = "" }
        add { $0.identifier = String(repeating: "x", count: 129) }
        add { $0.domain = String(repeating: "x", count: 129) }
        add { $0.name = "…" }
        add { $0.name = "a\u{1b}[2J" }
        add { $0.name = String(repeating: "x", count: 257) }
        add { $0.keywords = [""] }
        add { $0.keywords = ["a\nb"] }
        add { $0.keywords = Array(repeating: "x", count: 9) }
        add { $0.latitude = 91 }
        add { $0.radius = 0 }
        add { $0.radius = 100_001 }
        add { $0.expiry = "tomorrow" }
        add { $0.created = "May 1, 2024" }
        add { $0.description = String(repeating: "x", count: 1025) }
        for place in places {
            let parameters = PutParameters(places: [OwnPlaceTests.home(), place])
            #expect(try program.refusal(of: parameters) == "InvalidPlace 1", "\(place)")
        }
        let many = (0...PlacesInterface.maxOwnPlaces).map { OwnPlaceTests.home("\($0)") }
        #expect(try program.refusal(of: PutParameters(places: many)) == "InvalidPlace 500")
        #expect(try program.client().call(PlacesMethods.ownPlaces, with: OwnPlacesParameters()).places == [])
    }

    @Test func `a program has at most 2,000 places`() throws {
        let program = try PlacesProgram()
        let client = try program.client()
        for start in stride(from: 0, to: 2000, by: 500) {
            try OwnPlaceTests.put((start..<start + 500).map { OwnPlaceTests.home("\($0)") }, client)
        }
        let more = PutParameters(places: [OwnPlaceTests.home("0"), OwnPlaceTests.home("more")])
        #expect(try program.refusal(of: more) == "TooManyPlaces 2000")
        #expect(try program.refusal(of: PutParameters(places: [OwnPlaceTests.home("0")])) == nil)
        #expect(try client.call(PlacesMethods.ownPlaces, with: OwnPlacesParameters()).places.count == 100)
    }

    @Test(
        .enabled(
            if: getuid() == 0 && access(PlacesProgram.interpreter, X_OK) == 0, "no python3 that user 65534 may run"))
    func `another user gets none of them`() throws {
        let program = try PlacesProgram()
        try OwnPlaceTests.put([OwnPlaceTests.home()], try program.client())
        let call = #"{"method":"io.sextant.Places.Forward","parameters":{"text":"casa"}}"#
        let other = try program.answer(to: call, asUser: 65_534)
        #expect(other.contains(#""placemarks":[]"#), "\(other)")
        let own = try program.answer(to: call, asUser: 0)
        #expect(own.contains("Jane's Home"), "\(own)")
    }
}
