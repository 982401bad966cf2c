/// A connection of a client of a bridge.
package struct ClientID: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    private let number: UInt64

    /// Creates the identifier with a number.
    package init(integerLiteral number: UInt64) { self.number = number }

    /// Creates the identifier with the number of another one.
    package init(number: Int) { self.number = UInt64(clamping: number) }

    /// The number, for queues; connections do not reach its limit.
    package var asInt: Int { Int(clamping: number) }

    /// The number in decimal form.
    package var description: String { "\(number)" }

    /// The identifier of the next connection.
    package var next: ClientID { ClientID(integerLiteral: number == .max ? 0 : number + 1) }

    /// Returns whether the first connection is older than the second.
    package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
}
