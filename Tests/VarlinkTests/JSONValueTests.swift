import FoundationEssentials
import Testing

@testable import Varlink

@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: bytes(text)) }

    private func reason(_ bytes: [UInt8]) -> JSONError.Reason? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("1.5", 1.5), ("1.0", .double(1)), ("1e3", .double(1000)), ("2E-2", .double(0.02)), ("1e+2", .double(100)),
            ("-0.5", .double(-0.5)),
            ("\"\"", ""), ("\"a\\u00e9\\n\\\"\\/\\b\\f\\r\\t\\\\\"", "aé\n\"/\u{8}\u{c}\r\t\\"),
            ("\"\\ud83d\\ude00\"", "😀"),
            ("\"\\uD83D\\uDE00é\"", "😀é"),
            ("[]", []), ("[ 1 , [2] ]", [1, [2]]), ("{}", [:]), ("{ \"a\" : { \"b\" : [ ] } }", ["a": ["b": []]]),
        ] as [(String, JSONValue)]) func `every kind of value is parsed`(sample: (String, JSONValue)) throws
    {
        #expect(try parse(sample.0) == sample.1)
    }

    @Test(
        arguments: [
            ("", JSONError.Reason.unexpectedEnd), ("[", .unexpectedEnd), ("[1", .unexpectedEnd),
            ("{\"a\"", .unexpectedEnd), ("\"abc", .unexpectedEnd),
            ("-", .unexpectedEnd),
            ("tru", .unexpectedEnd), ("1.", .unexpectedEnd), ("\"\\u12", .unexpectedEnd), ("nulL", .unexpectedByte),
            ("+1", .unexpectedByte),
            (".5", .unexpectedByte), ("NaN", .unexpectedByte), ("[1,]", .unexpectedByte),
            ("{\"a\":1,}", .unexpectedByte),
            ("{a:1}", .unexpectedByte),
            ("[1 2]", .unexpectedByte), ("{\"a\" 1}", .unexpectedByte), ("\u{FEFF}{}", .unexpectedByte),
            ("01", .malformedNumber),
            ("-01", .malformedNumber),
            ("00", .malformedNumber), ("1.e2", .malformedNumber), ("1ex", .malformedNumber), ("{} {}", .trailingBytes),
            ("1x", .trailingBytes),
            ("1e999", .numberOutOfRange), ("-1e999", .numberOutOfRange), ("\"\\q\"", .malformedEscape),
            ("\"\\ud800\"", .malformedEscape),
            ("\"\\ude00\"", .malformedEscape), ("\"\\ud800\\u0041\"", .malformedEscape),
            ("\"\\u00g0\"", .malformedEscape),
            ("\"a\nb\"", .controlCharacter),
            ("\"\\\\\n\"", .controlCharacter), ("{\"a\":1,\"a\":2}", .duplicateMember),
            ("{\"a\":1,\"\\u0061\":2}", .duplicateMember),
        ] as [(String, JSONError.Reason)]) func `invalid JSON is rejected with the reason`(
            sample: (String, JSONError.Reason)
        )
    {
        #expect(reason(bytes(sample.0)) == sample.1)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0x5C, 0x6E, 0xFF, 0x22],
        ] as [[UInt8]]) func `invalid UTF-8 is rejected`(sample: [UInt8])
    {
        #expect(reason(sample) == .notUTF8)
    }

    @Test func `UTF-16 is rejected`() {
        #expect(reason([0x7B, 0, 0x7D, 0]) == .unexpectedByte)
    }

    @Test(arguments: ["[", "{\"a\":", "[[[{\"x\":[", "[1,"]) func `deep nesting is an error`(unit: String) {
        #expect(reason(bytes(String(repeating: unit, count: 65_536 / unit.utf8.count))) == .nestedTooDeep)
    }

    @Test func `the depth limit is exact`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            bytes(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        _ = try JSONValue(parsing: nested(64))
        #expect(reason(nested(65)) == .nestedTooDeep)
        #expect(throws: JSONError(reason: .nestedTooDeep, offset: 2)) {
            try JSONValue(parsing: nested(3), depthLimit: 2)
        }
    }

    @Test func `very long numbers are an error`() {
        #expect(reason(bytes(String(repeating: "9", count: 60_000))) == .numberOutOfRange)
        #expect(reason(bytes("0." + String(repeating: "1", count: 60_000))) == .numberOutOfRange)
    }

    @Test func `whole numbers keep every digit`() throws {
        #expect(try parse("9007199254740993").int == 9_007_199_254_740_993)
        #expect(try parse("1.0").int == 1)
        #expect(try parse("1.5").int == nil)
        #expect(try parse("1e300").int == nil)
    }

    @Test func `the canonical form sorts keys and escapes control characters`() {
        let value: JSONValue = [
            "b": [1, -2, 1.5, nil, true], "a": "x/\"\\\n\u{1}\u{1F}é", "c": .double(.nan), "d": .double(1e300),
        ]
        #expect(text(value.bytes) == #"{"a":"x/\"\\\n\u0001\u001fé","b":[1,-2,1.5,null,true],"c":null,"d":1e+300}"#)
    }

    @Test(arguments: 0..<300) func `encoded values are parsed back`(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        let value = random.json(depth: 5)
        #expect(try JSONValue(parsing: value.bytes) == value)
    }

    @Test(arguments: 0..<60) func `the parser agrees with JSONDecoder`(seed: Int) throws {
        var random = Seeded(UInt64(seed) + 1000)
        let value: JSONValue = ["x": random.json(depth: 3)]
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.bytes)) == value)
        #expect(try JSONValue(encoding: value) == value)
    }

    @Test(arguments: 0..<400) func `damaged text never traps`(seed: Int) {
        var random = Seeded(UInt64(seed))
        var damaged = random.json(depth: 4).bytes
        for _ in 0..<3 where !damaged.isEmpty {
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = reason(damaged)
        _ = reason(Array(damaged.prefix(damaged.count / 2)))
    }

    @Test(arguments: [Double.nan, .infinity]) func `an encoder rejects a number that is not finite`(number: Double) {
        #expect(throws: EncodingFailure.self) { try JSONValue(encoding: ["x": number]) }
    }
}
