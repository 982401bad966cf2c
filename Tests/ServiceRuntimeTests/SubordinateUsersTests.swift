import Glibc
import ServiceRuntime
import SystemCalls
import Testing

/// The kernel's limit of an ID is 2^32 - 2; user names are resolved by the caller.
@Suite struct SubordinateUsersTests {
    private struct Table {
        let users: SubordinateUsers

        func owner(of id: UInt32) -> UInt32 { users.owner(of: id) { ["ann": 1000, "bob": 1001, "root": 0][$0] } }
    }

    private func table(_ text: String) -> Table { Table(users: SubordinateUsers(text: text)) }

    @Test func `each ID of a range belongs to its owner`() {
        let users = table("ann:100000:65536\nbob:165536:65536\n")
        #expect([100_000, 165_535].map { users.owner(of: $0) } == [1000, 1000])
        #expect([165_536, 231_071].map { users.owner(of: $0) } == [1001, 1001])
        #expect([0, 1000, 99_999, 231_072].map { users.owner(of: $0) } == [0, 1000, 99_999, 231_072])
    }

    @Test func `an owner can be a number, and have several ranges`() {
        let users = table("1000:100000:10\nann:300000:1")
        #expect(users.owner(of: 100_009) == 1000 && users.owner(of: 300_000) == 1000)
        #expect(users.owner(of: 300_001) == 300_001)
    }

    @Test func `containers of the administrator get no rights of the administrator`() {
        #expect(table("root:100000:65536").owner(of: 100_000) == 100_000)
    }

    @Test(arguments: [
        "", "\n\n", "# comment", "ann", "ann:1", "ann:x:1", "ann:1:x", "ann:100000:0", "ann:-1:5", "eve:100000:65536",
        "ann:100000:65536:1", "ann:4294967295:2", "ann:99999999999:1",
    ])
    func `lines of another form state no range`(line: String) {
        let users = table(line + "\nbob:200000:1")
        #expect(users.owner(of: 100_000) == 100_000 && users.owner(of: 200_000) == 1001)
    }

    @Test func `a changed file is read again, and an absent one has no ranges`() throws {
        let path = "/tmp/sextant-subuid-\(getpid())"
        defer { unlink(path) }
        var problems = 0
        let file = SubordinateUserFile(path: path) { _ in problems += 1 }
        #expect(file.owner(of: 700_000) == 700_000)
        try write("1000:700000:10\n", to: path)
        #expect(file.owner(of: 700_000) == 1000 && file.owner(of: 700_010) == 700_010)
        try write("1000:700000:100\n", to: path)
        #expect(file.owner(of: 700_010) == 1000)
        unlink(path)
        #expect(file.owner(of: 700_000) == 700_000 && problems == 0)
    }

    @Test func `a file that cannot be read is reported once`() {
        var problems: [Int32] = []
        // A directory can be opened, and not read. No test changes this one.
        let file = SubordinateUserFile(path: "/usr") { problems.append($0.code) }
        #expect(file.owner(of: 700_000) == 700_000 && file.owner(of: 700_000) == 700_000)
        #expect(problems == [EISDIR])
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }
}
