import Glibc
import TestSupport
import Testing

@testable import Fleet

@Suite("Files with destinations")
struct DestinationFileTests {
    private func list(_ text: String) throws -> [Destination] { try DestinationList(Array(text.utf8)).destinations }

    @Test func `each line is a destination`() throws {
        let text = "# servers\r\n\r\n  mqtt://a \r\nowntracks+https://b/token\t\n#traccar+http://c\n\n"
        #expect(try list(text) == [try Destination("mqtt://a"), try Destination("owntracks+https://b/token")])
    }

    @Test(arguments: ["", "\n\n", "# mqtt://a", " \t\r\n"])
    func `a file without destinations is refused`(text: String) {
        #expect(throws: DestinationList.Invalid.empty) { try list(text) }
    }

    @Test(arguments: ["mqtt://a\nhttp://b/secret", "\nmqtt://a:0/secret", "mqtt://a\nmqtt://b/secret\u{1}"])
    func `an error names the line, not its text`(text: String) {
        #expect {
            try list(text)
        } throws: { error in
            error as? DestinationList.Invalid == .line(2, .form) && !"\(error)".contains("secret")
        }
    }

    @Test func `a query and headers are sent, and belong to no name`() throws {
        let text = """
            owntracks+https://b/api/points?api_key=secret
              X-Api-Key: secret
            Authorization: Bearer a:b
            traccar+http://c?id=secret
            owntracks+http://d?
            """
        let servers = try list(text)
        #expect(servers[0].httpURL(adding: "u=a&d=b") == "https://b:443/api/points?api_key=secret&u=a&d=b")
        #expect(servers[0].headers == ["X-Api-Key: secret", "Authorization: Bearer a:b"])
        #expect(servers[1].httpURL() == "http://c:5055/?id=secret" && servers[1].headers.isEmpty)
        #expect(servers[2].httpURL(adding: "u=a") == "http://d:80/pub?u=a")
        for server in servers {
            #expect(!server.name.contains("secret") && !server.fileName.contains("secret"))
            #expect(!server.formerFileName.contains("secret"))
        }
        let renewed = try list("owntracks+https://b/api/points?api_key=other")[0]
        #expect(renewed.fileName == servers[0].fileName, "a new key continues with what waits")
    }

    @Test(arguments: [
        ("X-Api-Key: secret\n", 1, Destination.Invalid.Reason.header),
        ("mqtt://b\nX-Api-Key: secret\n", 2, .header), ("traccar+http://b\nContent-Type: secret\n", 2, .header),
        ("traccar+http://b\nX-Api-Key: sec\u{7}ret\n", 2, .header), ("mqtt://b?secret\n", 1, .path),
        ("traccar+http://b#secret\n", 1, .query), ("traccar+http://b\nX Api: secret\n", 2, .form),
    ])
    func `headers and queries that cannot be sent are refused`(
        text: String, line: Int, reason: Destination.Invalid.Reason
    ) {
        #expect {
            try list(text)
        } throws: { error in
            error as? DestinationList.Invalid == .line(line, reason) && !"\(error)".contains("secret")
        }
    }

    @Test func `long files and other bytes are refused`() throws {
        let long = Array(repeating: UInt8(ascii: "#"), count: DestinationList.maxLength + 1)
        #expect(throws: DestinationList.Invalid.tooLong) { try DestinationList(long) }
        #expect(throws: DestinationList.Invalid.line(1, .form)) { try DestinationList([0xFF, 0, 0x80]) }
    }

    @Test(arguments: [
        "mqtt:/a/secret", "http://a/secret", "mqtt://a:0/secret", "mqtt://secret@a/x", "mqtt://secret:x@a",
        "traccar+http:///secret", "mqtt://a:x?secret", "mqtt://a/ secret", "mqtt://a?secret", "mqtt://a#secret",
        "mqtt://a/secret",
    ])
    func `an error of a destination has neither its path nor its user`(text: String) {
        #expect {
            try Destination(text)
        } throws: { error in
            !"\(error)".contains("secret") && "\(error)".contains("mqtts://HOST:PORT")
        }
    }

    @Test func `only files of one user are read`() throws {
        let scratch = try Scratch()
        let path = scratch("destination")
        let file = DestinationFile(path: path)
        #expect(throws: FleetError.self) { try file.destinations() }
        try scratch.write("owntracks+http://a/token\n", to: "destination")
        for mode: mode_t in [0o600, 0o400, 0o640] {
            chmod(path, mode)
            #expect(try file.destinations() == [try Destination("owntracks+http://a/token")])
        }
        for mode: mode_t in [0o604, 0o602, 0o644, 0o666] {
            chmod(path, mode)
            #expect(throws: FleetError.self) { try file.destinations() }
        }
        #expect(throws: FleetError.self) { try DestinationFile(path: "/dev/zero").destinations() }
    }
}
