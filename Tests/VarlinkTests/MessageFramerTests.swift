import Testing

@testable import Varlink

@Suite struct MessageFramerTests {
    private func messages(_ chunks: [[UInt8]], limit: Int = 100) -> [String] {
        var framer = MessageFramer(limit: limit)
        var found: [String] = []
        for chunk in chunks {
            framer.append(chunk)
            do {
                while let message = try framer.next() { found.append(text(message)) }
            } catch {
                return found + ["too long"]
            }
        }
        return found
    }

    @Test func `messages end at NUL`() {
        #expect(messages([bytes("{}\0{\"a\":1}\0{")]) == ["{}", "{\"a\":1}"])
    }

    @Test func `whitespace before a message is skipped`() {
        #expect(messages([bytes("\r\n \t{}\n\0\n\n{}\0\n")]) == ["{}\n", "{}"])
    }

    @Test func `an empty message is a message`() {
        #expect(messages([bytes("\0\0")]) == ["", ""])
    }

    @Test(arguments: 0..<200) func `splitting the input does not change the messages`(seed: Int) {
        var random = Seeded(UInt64(seed))
        var stream: [UInt8] = []
        for _ in 0..<30 {
            let length = Int.random(in: 0..<(seed % 3 == 0 ? 110 : 99), using: &random)
            stream += bytes(String(repeating: "\n", count: length % 3) + String(repeating: "x", count: length) + "\0")
        }
        let whole = messages([stream])
        #expect(messages(random.chunks(of: stream, upTo: 1)) == whole)
        #expect(messages(random.chunks(of: stream, upTo: 40)) == whole)
    }

    @Test func `the length limit is exact`() {
        #expect(messages([bytes(String(repeating: "x", count: 100) + "\0")]).count == 1)
        #expect(messages([bytes(String(repeating: "x", count: 101))]) == ["too long"])
        #expect(messages([bytes(String(repeating: "x", count: 101) + "\0")]) == ["too long"])
    }

    @Test func `messages before an overlong one are delivered`() {
        #expect(messages([bytes("{}\0" + String(repeating: "x", count: 300))]) == ["{}", "too long"])
    }

    @Test func `an overlong message is a permanent error`() throws {
        var framer = MessageFramer(limit: 4)
        framer.append(bytes("abcdefg"))
        #expect(throws: MessageFramer.MessageTooLong(limit: 4)) { try framer.next() }
        framer.append(bytes("\0{}\0"))
        #expect(throws: MessageFramer.MessageTooLong(limit: 4)) { try framer.next() }
    }

    @Test func `whitespace is not buffered`() {
        var framer = MessageFramer()
        for _ in 0..<1000 { framer.append([UInt8](repeating: 0x0A, count: 4096)) }
        #expect(framer.byteCount == 0)
    }

    @Test func `a long message in single bytes is read in linear time`() throws {
        var framer = MessageFramer(limit: 1 << 20)
        for _ in 0..<(1 << 18) {
            framer.append([0x61])
            #expect(try framer.next() == nil)
        }
        framer.append([0])
        #expect(try framer.next()?.count == 1 << 18)
    }

    @Test func `the remaining bytes can be taken raw`() throws {
        var framer = MessageFramer()
        framer.append(bytes("{}\0raw\0 bytes"))
        _ = try framer.next()
        #expect(text(framer.removeAll()) == "raw\0 bytes")
        #expect(framer.byteCount == 0)
    }
}
