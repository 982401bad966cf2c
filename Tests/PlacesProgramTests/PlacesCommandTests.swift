import DaemonSupport
import Glibc
import Places
import TestSupport
import Testing

@Suite struct PlacesCommandTests {
    /// Runs the command line with a folder of places.
    private static func run(_ words: [String], _ scratch: Scratch) throws -> (end: ChildProcess.End, output: String) {
        let record = scratch("output-\(UInt32.random(in: 0...(.max)))")
        let process = try ChildProcess(
            [try Programs.path(of: "sextant")] + words,
            environment: ["SEXTANT_PLACES": scratch("data"), "LANG": "C.UTF-8"], record: record)
        return (try process.waitForEnd(within: .seconds(120)), process.output)
    }

    @Test func `import, list, check, where, find and remove work together`() throws {
        let scratch = try Scratch()
        let file = try scratch.write(PlacesProgram.gazetteer + "bad\n", to: "cities.txt")
        let imported = try Self.run(["places", "import", file], scratch)
        #expect(imported.end == .code(0))
        #expect(imported.output.contains("imported 3 places; 1 line was invalid"), "\(imported.output)")
        #expect(imported.output.contains("cities.txt:4: invalid"))
        let listed = try Self.run(["places"], scratch).output
        #expect(listed.contains("places: 3") && listed.contains("CC BY 4.0"), "\(listed)")
        #expect(try Self.run(["places", "check", "--json"], scratch).output.contains("\"intact\":true"))
        let position = try Self.run(["where", "51.8425,5.8528"], scratch)
        #expect(position.output == "Nijmegen, Netherlands · Europe/Amsterdam\n")
        let json = try Self.run(["where", "--json", "51.8425,5.8528"], scratch)
        #expect(json.output.contains("\"isoCountryCode\":\"NL\"") && json.output.contains("\"placemarks\":["))
        #expect(try Self.run(["find", "Nijmegen, Netherlands"], scratch).output.hasPrefix("51.8425,5.8528 · Nijmegen"))
        #expect(try Self.run(["find", "xyzzy"], scratch).end == .code(2))
        #expect(try Self.run(["where", "0,0"], scratch).end == .code(2))
        #expect(try Self.run(["places", "remove"], scratch).end == .code(0))
        let none = try Self.run(["find", "Nijmegen"], scratch)
        #expect(none.end == .code(66))
        #expect(none.output.contains("sextant places import"))
    }

    @Test func `the order of coordinates is explained`() throws {
        let scratch = try Scratch()
        for text in ["200,5", "5", "a,b", "5,200", "nan,0"] {
            let result = try Self.run(["where", text], scratch)
            #expect(result.end == .code(64))
            #expect(result.output.contains("latitude first"), "\(result.output)")
        }
        #expect(try Self.run(["where", "100,5"], scratch).output.contains("swapped"))
    }

    @Test func `a killed import leaves the old data in service`() throws {
        let scratch = try Scratch()
        try PlacesProgram.importing(PlacesProgram.gazetteer, scratch)
        let many = (1...20_000).map { PlacesProgram.line($0, "Place \($0)", 10, Double($0) / 1000, "NL", $0) }
        let file = try scratch.write(many.joined(), to: "many.txt")
        let new = scratch("data/places.db.new")
        var killed = 0
        for round in 0..<6 {
            let process = try ChildProcess(
                [try Programs.path(of: "sextant"), "places", "import", file],
                environment: ["SEXTANT_PLACES": scratch("data")], record: scratch("log"))
            // Each round kills it when it has written more.
            try waitUntil("the new file", within: .seconds(120)) {
                var status = stat()
                return !process.isRunning || stat(new, &status) == 0 && status.st_size >= off_t(round) * 100_000
            }
            process.send(SIGKILL)
            if try process.waitForEnd(within: .seconds(60)) == .signal(SIGKILL) { killed += 1 }
            let places = PlacesFolder(named: scratch("data"))
            try PlacesFile(places).check()
            let rows = try PlacesFile(places).sources().map(\.rows)
            #expect(rows == [3] || rows == [20_000])
        }
        #expect(killed > 0)
        #expect(try Self.run(["places", "import", file], scratch).end == .code(0))
        #expect(Scratch.names(in: scratch("data")) == ["places.db"])
    }

    @Test func `a full disk is an error, and the old data stays`() throws {
        let scratch = try Scratch()
        try PlacesProgram.importing(PlacesProgram.gazetteer, scratch)
        let many = (1...20_000).map { PlacesProgram.line($0, "Place \($0)", 10, Double($0) / 1000, "NL", $0) }
        let file = try scratch.write(many.joined(), to: "many.txt")
        let command = "ulimit -f 200; trap '' XFSZ; exec \"$0\" places import \"$1\""
        let process = try ChildProcess(
            ["bash", "-c", command, try Programs.path(of: "sextant"), file],
            environment: ["SEXTANT_PLACES": scratch("data")], record: scratch("log"))
        #expect(try process.waitForEnd(within: .seconds(120)) == .code(66), "\(process.output)")
        try PlacesFile(PlacesFolder(named: scratch("data"))).check()
        #expect(Scratch.names(in: scratch("data")) == ["places.db"])
    }
}
