import Foundation
internal import SextantAPI
internal import Synchronization

/// What a program needs to know while the object exists.
///
/// Several sessions add up, and ending one keeps the others. Keep the object in a variable: without
/// one, the session ends at once.
public final class CLServiceSession: Sendable {
    /// What a session needs.
    @nonexhaustive(warn)
    public enum AuthorizationRequirement: Int, Sendable, Equatable, Hashable {
        /// Nothing; satisfies a configuration that requires a session.
        case none = 0
        /// The location while the program is in use.
        case whenInUse = 1
        /// The location at any time. Such a session must begin while the program is in use.
        case always = 2
    }

    /// Why a session does not get what it needs.
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
        /// The program is not in use, or was not when a session that needs always began.
        public var insufficientlyInUse: Bool { flags.contains(.insufficientlyInUse) }
        /// The configuration requires a session.
        public var serviceSessionRequired: Bool { flags.contains(.serviceSessionRequired) }
        /// The purpose gives no full accuracy.
        public var fullAccuracyDenied: Bool { flags.contains(.fullAccuracyDenied) }
        /// The program may know the location only while it is in use.
        public var alwaysAuthorizationDenied: Bool { flags.contains(.alwaysAuthorizationDenied) }
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

    private let declaration: SessionDeclaration
    private let begin = ContinuousClock.now

    /// The time after which the end of a session is no mistake. Tests change it.
    @TaskLocal static var shortestUse = Duration.milliseconds(100)
    private let isInvalidated = Atomic(false)

    /// Begins a session.
    public convenience init(authorization requirement: AuthorizationRequirement) {
        self.init(requirement, purpose: nil)
    }

    /// Begins a session that needs full accuracy for a purpose. A purpose that gives none is named
    /// in a warning.
    public convenience init(authorization requirement: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(requirement, purpose: fullAccuracyPurposeKey)
    }

    private init(_ requirement: AuthorizationRequirement, purpose: String?) {
        declaration = SessionDeclaration(requirement.message, purpose: purpose)
        if let purpose { Self.warn(about: purpose, of: declaration) }
    }

    /// Warns once if the purpose of a session gives no full accuracy.
    private static func warn(about purpose: String, of declaration: SessionDeclaration) {
        let reader = declaration.diagnostics.reader()
        Task {
            for try await flags in reader where !flags.contains(.authorizationRequestInProgress) {
                guard flags.contains(.fullAccuracyDenied) else { return }
                return DeveloperWarning.write(
                    "the purpose “\(purpose)” gives no full accuracy: add it to “purposes” of the program in "
                        + "[[permissions.grant]] of the configuration")
            }
        }
    }

    /// Why the session does not get what it needs.
    public var diagnostics: Diagnostics { Diagnostics(declaration.diagnostics) }

    /// Ends the session at once. It never begins again. Diagnostics end.
    public func invalidate() {
        isInvalidated.store(true, ordering: .relaxed)
        declaration.invalidate()
    }

    deinit {
        guard !isInvalidated.load(ordering: .relaxed), ContinuousClock.now - begin < Self.shortestUse else { return }
        DeveloperWarning.write(
            "a CLServiceSession ended as soon as it began: keep it in a variable for as long as it is needed")
    }
}

extension CLServiceSession.AuthorizationRequirement {
    /// The requirement of the daemon.
    var message: SessionRequirement {
        switch self {
        case .none: .none
        case .whenInUse: .whenInUse
        case .always: .always
        }
    }
}
