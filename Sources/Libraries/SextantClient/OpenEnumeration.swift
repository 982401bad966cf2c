/// A string on the socket with a set of known values. A value that a later daemon adds is kept as
/// it is, so it never makes a message unreadable.
///
/// Compare with the static members, and treat every other value as a case of its own:
///
///     switch location.quality {
///     case .rtkFixed, .rtkFloat: ...
///     default: ...
///     }
public protocol OpenEnumeration: RawRepresentable, Codable, Hashable, Sendable, CaseIterable, CustomStringConvertible
where RawValue == String {}

extension OpenEnumeration {
    /// The value on the socket.
    public var description: String { rawValue }
}
