package import Varlink

/// Whether two messages that are not `Equatable` have the same members.
@_disfavoredOverload
package func == <Value: Message>(a: Value?, b: Value?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return zip(Mirror(reflecting: a).children, Mirror(reflecting: b).children).allSatisfy { a, b in
        (a.value as? any Equatable)?.isEqual(b.value) ?? false
    }
}

extension Equatable {
    fileprivate func isEqual(_ other: Any) -> Bool { self == other as? Self }
}
