import Testing
import Varlink
import Wire

/// The members of what a value looks like as JSON.
func members(_ value: some Encodable) throws -> [String: JSONValue] {
    try #require(try JSONValue(encoding: value).object)
}

/// A value written and read again.
func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try Reply(parameters: members(value)).decode(Value.self)
}

/// The value is what the interface declares, and reads back as it was.
func expectValid<Value: Codable & Equatable>(_ value: Value, _ interface: InterfaceDescription, type: String) throws {
    try Validator(interface).check(try JSONValue(encoding: value), type: type)
    #expect(try roundTrip(value) == value)
}

/// The value has all fields of the type and no others.
func expectAllFields<Value: Codable & Equatable>(of interface: InterfaceDescription, type: String, in value: Value) throws {
    guard case .structure(let fields)? = interface.type(type) else {
        Issue.record("\(type) is no struct of \(interface.name)")
        return
    }
    #expect(try members(value).keys.sorted() == fields.map(\.name).sorted(), "\(type)")
    try expectValid(value, interface, type: type)
}
