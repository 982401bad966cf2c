import Foundation
internal import SextantAPI

/// The program counts as in use while the object exists, and for a minute after it was released, so
/// that the program can restart. It must be in use when the session begins.
public final class CLBackgroundActivitySession: Sendable {
    /// Why the session is not active.
    public struct Diagnostic: Sendable {
        private let flags: PermissionFlags

        init(_ flags: PermissionFlags) {
            self.flags = flags
        }

        /// The program is denied.
        public var authorizationDenied: Bool { flags.contains(.authorizationDenied) }
        /// Location is switched off for all programs.
        public var authorizationDeniedGlobally: Bool { flags.contains(.authorizationDeniedGlobally) }
        /// The configuration denies the program.
        public var authorizationRestricted: Bool { flags.contains(.authorizationRestricted) }
        /// The program was not in use when the session began.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The configuration requires a session.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
        /// The user was asked and has not answered.
        public var authorizationRequestInProgress: Bool { flags.contains(.authorizationRequestInProgress) }
    }

    /// The present diagnostic and each change. They end when the session ends.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// The type of the elements.
        public typealias Element = Diagnostic

        private let flags: Broadcast<PermissionFlags>

        init(_ flags: Broadcast<PermissionFlags>) {
            self.flags = flags
        }

        /// Returns an iterator, which begins with the present diagnostic.
        public func makeAsyncIterator() -> Iterator {
            Iterator(flags: flags.reader().makeAsyncIterator())
        }

        /// An iterator over diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the elements.
            public typealias Element = Diagnostic

            fileprivate var flags: AsyncThrowingStream<PermissionFlags, any Error>.Iterator

            /// Returns the next diagnostic; nil after the end of the session or of the task.
            ///
            /// - Throws: a ``CLError`` if no daemon answers.
            public mutating func next() async throws -> Diagnostic? {
                try await next(isolation: nil)
            }

            /// Returns the next diagnostic; nil after the end of the session or of the task.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Diagnostic? {
                try await flags.next(isolation: actor).map(Diagnostic.init)
            }
        }
    }

    private let declaration = SessionDeclaration(.whenInUse, isLease: true)

    /// Begins a session. The object exists even if the session is not active; see ``diagnostics``.
    public init() {}

    /// Why the session is not active.
    public var diagnostics: Diagnostics { Diagnostics(declaration.diagnostics) }

    /// Ends the session at once, without the minute. It never begins again. Diagnostics end.
    public func invalidate() {
        declaration.invalidate()
    }
}
