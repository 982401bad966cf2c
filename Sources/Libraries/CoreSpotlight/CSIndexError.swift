import Foundation
internal import SextantServiceAPI
internal import Varlink
internal import VarlinkClient

/// The domain of the errors of an index.
public let CSIndexErrorDomain = "CSIndexErrorDomain"

/// An error of an index.
public struct CSIndexError: _BridgedStoredNSError {
    /// The reason of the failure.
    @nonexhaustive(warn)
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        /// The type of the error with this code.
        public typealias _ErrorType = CSIndexError

        /// Another reason.
        case unknownError = -1
        /// The service cannot be reached, or cannot read or write its file.
        case indexUnavailableError = -1000
        /// An item is beyond a limit.
        case invalidItemError = -1001
        /// The client state has more than 250 bytes.
        case invalidClientStateError = -1002
        /// The connection to the service was lost.
        case remoteConnectionError = -1003
        /// The program, or its user, has too many items.
        case quotaExceeded = -1004
        /// The service has no index.
        case indexingUnsupported = -1005
        /// The client state is not the expected one.
        case mismatchedClientState = -1006
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of ``errorDomain``.
    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// ``CSIndexErrorDomain``.
    public static var _nsErrorDomain: String { CSIndexErrorDomain }
    /// ``CSIndexErrorDomain``.
    public static var errorDomain: String { CSIndexErrorDomain }

    /// Creates an error with the text for `localizedDescription`.
    init(_ code: Code, because reason: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    init(reporting failure: ClientError, of change: ChangeIndexParameters? = nil) {
        guard case .failed(_, let error) = failure else {
            let isUnavailable = if case .connecting = failure { true } else { false }
            self.init(isUnavailable ? .indexUnavailableError : .remoteConnectionError, because: "\(failure)")
            return
        }
        switch IndexFailure(error) {
        case .invalidItem(let index, let reason):
            let items = change?.items ?? []
            let name = items.indices.contains(index) ? items[index].identifier : "\(index)"
            self.init(.invalidItemError, because: "the item \(name) is not indexed: \(reason)")
        case .tooManyItems, .tooMuchData, .tooManyStates: self.init(.quotaExceeded, because: "\(error)")
        case .stateMismatch: self.init(.mismatchedClientState, because: "\(error)")
        case .indexUnusable(let reason): self.init(.indexUnavailableError, because: reason)
        case .invalidQuery, .invalidText, .unknownProgram: self.init(.unknownError, because: "\(error)")
        case nil where error.parameters["parameter"]?.string?.lowercased().hasSuffix("state") == true:
            self.init(.invalidClientStateError, because: "a client state has at most \(IndexLimits.state) bytes")
        case nil where error.name.hasSuffix("NotFound"):
            self.init(.indexingUnsupported, because: "this version of sextant-places has no index: update it")
        case nil: self.init(.unknownError, because: "\(error)")
        }
    }
}

extension CSIndexError {
    /// Another reason.
    public static var unknownError: Code { .unknownError }
    /// The service cannot be reached, or cannot read or write its file.
    public static var indexUnavailableError: Code { .indexUnavailableError }
    /// An item is beyond a limit.
    public static var invalidItemError: Code { .invalidItemError }
    /// The client state has more than 250 bytes.
    public static var invalidClientStateError: Code { .invalidClientStateError }
    /// The connection to the service was lost.
    public static var remoteConnectionError: Code { .remoteConnectionError }
    /// The program, or its user, has too many items.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// The service has no index.
    public static var indexingUnsupported: Code { .indexingUnsupported }
    /// The client state is not the expected one.
    public static var mismatchedClientState: Code { .mismatchedClientState }
}
