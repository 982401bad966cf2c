internal import Chronology
import Foundation
internal import Varlink

/// A type that attributes have.
protocol AttributeValue {
    /// The value of an attribute; nil if it has another type.
    static func value(of json: JSONValue) -> Self?
    var json: JSONValue { get }
}

extension String: AttributeValue {
    static func value(of json: JSONValue) -> String? { json.string }
    var json: JSONValue { .string(self) }
}

extension [String]: AttributeValue {
    static func value(of json: JSONValue) -> [String]? { json.array?.compactMap(\.string) }
    var json: JSONValue { .array(map { .string($0) }) }
}

extension NSNumber: AttributeValue {
    static func value(of json: JSONValue) -> Self? {
        let number: NSNumber? =
            switch json {
            case .int(let value): NSNumber(value: value)
            case .bool(let value): NSNumber(value: value)
            default: json.double.map { NSNumber(value: $0) }
            }
        return number as? Self
    }

    var json: JSONValue { NSNumber(value: int64Value) == self ? .int(int64Value) : .double(doubleValue) }
}

extension URL: AttributeValue {
    static func value(of json: JSONValue) -> URL? { json.string.flatMap { URL(string: $0) } }
    var json: JSONValue { .string(absoluteString) }
}

extension Date: AttributeValue {
    static func value(of json: JSONValue) -> Date? {
        json.string.flatMap { UTCTime(rfc3339: $0) }.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
    }

    var json: JSONValue { .string(time.description) }

    /// The time. One that does not fit is the earliest or the latest that does.
    var time: UTCTime {
        let limit = 253_402_300_799_999.0
        return UTCTime(milliseconds: Int64(max(-limit, min(limit, (timeIntervalSince1970 * 1000).rounded()))))
    }
}
