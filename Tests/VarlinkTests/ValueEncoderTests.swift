import FoundationEssentials
import Testing

@testable import Varlink

/// Our encoder writes what `JSONEncoder` writes for the types that messages use.
@Suite struct ValueEncoderTests {
    private struct Inner: Codable {
        var name: String?
        var flags: [Bool]
    }

    private struct Message: Codable {
        var zeta = 1
        var alpha = "a/b \"quoted\" \u{e9}"
        var ratio = 0.1
        var whole = 3.0
        var large = 1e300
        var missing: Int?
        var inner = Inner(name: nil, flags: [true, false])
        var list: [Inner] = [Inner(name: "x", flags: [])]
        var byName = ["b": 2, "a": 1]
        var optionals: [Int?] = [1, nil]
        var unsigned = UInt8.max
    }

    private func reference(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `a message is written as JSONEncoder writes it`() throws {
        let text = String(decoding: try JSONValue(encoding: Message()).bytes, as: UTF8.self)
        #expect(try text == reference(Message()))
    }

    @Test func `an empty struct is an empty object`() throws {
        struct Empty: Encodable {}
        #expect(try JSONValue(encoding: Empty()) == [:])
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that is not finite is refused with its place`(number: Double) throws {
        let failure = #expect(throws: EncodingFailure.self) { try JSONValue(encoding: ["speed": [number]]) }
        #expect(failure?.description.contains("speed") == true)
    }

    @Test func `a JSON value is kept as it is`() throws {
        let value: JSONValue = ["a": [1, nil, "x"], "b": .double(0.5)]
        #expect(try JSONValue(encoding: ["outer": value]) == ["outer": value])
    }

    @Test func `two keyed containers of one value are one object`() throws {
        struct Merged: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var first = encoder.container(keyedBy: Keys.self)
                try first.encode(1, forKey: .a)
                var second = encoder.container(keyedBy: Keys.self)
                try second.encode(2, forKey: .b)
            }
        }
        #expect(try JSONValue(encoding: Merged()) == ["a": 1, "b": 2])
    }
}
