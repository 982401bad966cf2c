import Chronology
import Locator
import Positioning
import SextantAPI
import TestSupport
import Testing
import Varlink

/// Tests of the replies that are written and read without the general encoder and decoder: both
/// forms mean the same, and any other text is left to the general decoder.
@Suite("Frequent replies")
struct DirectReadingTests {
    private static func message(_ text: EncodedObject) -> [UInt8] {
        Array(ReplyFrame.assemble(shared: text, continues: true).dropLast())
    }

    private static func general<Parameters, Output>(
        _ message: [UInt8], of method: Method<Parameters, Output>
    ) throws -> Output {
        try Reply(parsing: message).parameters(of: method)
    }

    /// Expects that a reply is the same by both decoders, and that no damage changes what the
    /// direct one reads.
    private func expectSame<Parameters, Output: Message>(
        _ reply: Output, as message: [UInt8], of method: Method<Parameters, Output>
    ) throws {
        #expect(try DirectReadingTests.general(message, of: method) == reply)
        #expect(method.directOutput(of: message) == reply)
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2000 {
            var damaged = message
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged.remove(at: index)
                case 1: damaged.insert(damaged[Int.random(in: 0..<damaged.count, using: &random)], at: index)
                case 2: damaged[index] = UInt8.random(in: 0...255, using: &random)
                default: damaged = Array(damaged.prefix(max(1, index)))
                }
            }
            guard let read = method.directOutput(of: damaged) else { continue }
            #expect(try DirectReadingTests.general(damaged, of: method) == read)
        }
    }

    @Test(arguments: [true, false])
    func `receivers are the same`(full: Bool) throws {
        let receiver = try #require(Samples.receiver(full: full))
        let unconfirmed = UnconfirmedPort(
            UnconfirmedPortReport(ReceiverID(7), name: "ttyS0", port: "/dev/ttyS0", status: .denied("no permission")))
        let reply = Receivers(receivers: [receiver, receiver], unconfirmedPorts: full ? [unconfirmed] : nil)
        try expectSame(reply, as: DirectReadingTests.message(reply.encoded), of: ReceiverMethods.watch)
    }

    @Test func `no receiver is the same`() throws {
        let reply = Receivers(receivers: [])
        try expectSame(reply, as: DirectReadingTests.message(reply.encoded), of: ReceiverMethods.watch)
    }

    @Test func `locations are the same`() throws {
        for (index, update) in [Samples.available, Samples.unavailable].enumerated() {
            var message = SubscribeReply(update)
            if index == 1 { message.permission = Samples.everyFlag }
            let text = ReplyFrame.assemble(
                leading: [("sequence", 7), ("dropped", 2)], shared: message.shared, continues: true)
            try expectSame(
                message.counted(sequence: 7, dropped: 2), as: Array(text.dropLast()),
                of: LocationMethods.subscribe)
        }
    }

    @Test func `headings are the same`() throws {
        var heading = HeadingSample(218.83, isMagnetic: false, source: .inertial, accuracy: 0.556)
        heading.join(2.5, from: .model)
        heading.time = UTCTime(milliseconds: 1_795_000_000_250)
        heading.isSimulated = true
        let replies = [
            HeadingUpdate(HeadingChange(heading, receiver: "gps")),
            HeadingUpdate(denied: Samples.everyFlag, detail: "denied"),
        ]
        for reply in replies {
            try expectSame(reply, as: DirectReadingTests.message(reply.encoded), of: LocationMethods.watchHeading)
        }
    }

    @Test func `a text with escapes or other letters is read too`() throws {
        for text in ["Zürich", "\"quoted\"", "a\\b", "tab\tend"] {
            var receiver = try #require(Samples.receiver(full: true))
            (receiver.product, receiver.says) = (text, [text, ""])
            let reply = Receivers(receivers: [receiver])
            let message = DirectReadingTests.message(reply.encoded)
            #expect(try DirectReadingTests.general(message, of: ReceiverMethods.watch) == reply)
            let direct = ReceiverMethods.watch.directOutput(of: message)
            #expect(direct == (text == "Zürich" ? reply : nil))
        }
    }
}
