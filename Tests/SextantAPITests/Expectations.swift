import TestSupport
import Testing
import Varlink

/// Returns the members of a value encoded as JSON.
func members(_ value: some Encodable) throws -> [String: JSONValue] {
    try #require(try JSONValue(encoding: value).object)
}

func members(_ message: some Message) throws -> [String: JSONValue] { message.members }

/// Returns a message that was written and read again.
func roundTrip<Value: Message>(_ value: Value) throws -> Value { try Value(value.members, strict: true) }

/// Checks that a message matches its interface type and reads as itself.
func expectValid<Value: Message>(_ value: Value, in interface: InterfaceDescription, type: String) throws {
    try Validator(interface).check(.object(value.members), type: type)
    #expect(try roundTrip(value) == value)
}

/// Checks that a message has exactly the fields of the interface type.
func expectAllFields<Value: Message>(of interface: InterfaceDescription, type: String, in value: Value)
    throws
{
    guard case .structure(let fields)? = interface.type(type) else {
        Issue.record("\(type) is no struct of \(interface.name)")
        return
    }
    #expect(value.members.keys.sorted() == fields.map(\.name).sorted(), "\(type)")
    try expectValid(value, in: interface, type: type)
}
