import Foundation
internal import SextantServiceAPI
internal import Varlink
internal import VarlinkClient

/// The domain of the errors of a search.
public let CSSearchQueryErrorDomain = "CSSearchQueryErrorDomain"

/// An error of a search.
public struct CSSearchQueryError: _BridgedStoredNSError {
    /// The reason of the failure.
    @nonexhaustive(warn)
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        /// The type of the error with this code.
        public typealias _ErrorType = CSSearchQueryError

        /// Another reason.
        case unknown = -2000
        /// The service cannot be reached, or cannot read its file.
        case indexUnreachable = -2001
        /// The condition cannot be read.
        case invalidQuery = -2002
        /// The search was cancelled.
        case cancelled = -2003
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of ``errorDomain``.
    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// ``CSSearchQueryErrorDomain``.
    public static var _nsErrorDomain: String { CSSearchQueryErrorDomain }
    /// ``CSSearchQueryErrorDomain``.
    public static var errorDomain: String { CSSearchQueryErrorDomain }
    /// The service cannot be reached, or cannot read its file.
    public static var indexUnreachable: Code { .indexUnreachable }
    /// The condition cannot be read.
    public static var invalidQuery: Code { .invalidQuery }
    /// The search was cancelled.
    public static var cancelled: Code { .cancelled }

    init(_ code: Code, because reason: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    init(reporting failure: ClientError) {
        guard case .failed(_, let error) = failure else {
            self.init(.indexUnreachable, because: "\(failure)")
            return
        }
        switch IndexFailure(error) {
        case .invalidQuery(let reason), .invalidText(let reason): self.init(.invalidQuery, because: reason)
        case .indexUnusable(let reason): self.init(.indexUnreachable, because: reason)
        default: self.init(.unknown, because: "\(error)")
        }
    }
}

/// How a search is made.
open class CSSearchQueryContext: NSObject, @unchecked Sendable {
    /// The names of attributes that the items need. All are returned, but an image only if its name
    /// `thumbnailData` is here.
    open var fetchAttributes: [String] = []
    /// Further conditions on the items.
    open var filterQueries: [String] = []
    /// The language of the keyboard, which has no effect on Linux.
    open var keyboardLanguage: String?

    /// Creates a context.
    public override init() { super.init() }
}

/// A search among the items of the program, in all of its indexes, by a condition such as
/// `title == "lat*"cd && rating > 3`.
///
/// Iterate ``results``, or set the handlers and call ``start()``.
open class CSSearchQuery: NSObject, @unchecked Sendable {
    private struct State {
        var isCancelled = false
        var foundItemCount = 0
        var foundItemsHandler: (@Sendable ([CSSearchableItem]) -> Void)?
        var completionHandler: (@Sendable ((any Error)?) -> Void)?
    }

    private let state = Locked(State())
    let search: ItemSearch

    /// Creates a search.
    public init(queryString: String, queryContext: CSSearchQueryContext?) {
        search = ItemSearch(nil, [queryString], queryContext)
    }

    /// Creates a search whose items need these attributes.
    public convenience init(queryString: String, attributes: [String]?) {
        let context = CSSearchQueryContext()
        context.fetchAttributes = attributes ?? []
        self.init(queryString: queryString, queryContext: context)
    }

    init(_ search: ItemSearch) { self.search = search }

    /// Whether ``cancel()`` was called.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// The number of items that were passed to the handler.
    open var foundItemCount: Int { state.withLock { $0.foundItemCount } }

    /// Gets items, possibly several times, on another thread.
    open var foundItemsHandler: (@Sendable ([CSSearchableItem]) -> Void)? {
        get { state.withLock { $0.foundItemsHandler } }
        set { state.withLock { $0.foundItemsHandler = newValue } }
    }

    /// Is called once at the end, with an error if the search failed or was cancelled.
    open var completionHandler: (@Sendable ((any Error)?) -> Void)? {
        get { state.withLock { $0.completionHandler } }
        set { state.withLock { $0.completionHandler = newValue } }
    }

    /// Begins the search.
    open func start() {
        let (search, socket) = (search, IndexService.socket)
        IndexService.enqueue { [self] in
            do throws(CSSearchQueryError) {
                var pages = search.pages(at: socket)
                try checkCancelled()
                while let items = try pages.next() {
                    try checkCancelled()
                    guard !items.isEmpty else { continue }
                    IndexService.deliver { [self] in
                        state.withLock { $0.foundItemCount += items.count }
                        foundItemsHandler?(items)
                    }
                }
                IndexService.deliver { [self] in completionHandler?(nil) }
            } catch {
                IndexService.deliver { [self] in completionHandler?(error) }
            }
        }
    }

    /// Ends the search before its next items, with the error `cancelled`. It stays cancelled.
    open func cancel() { state.withLock { $0.isCancelled = true } }

    fileprivate func checkCancelled() throws(CSSearchQueryError) {
        if isCancelled { throw CSSearchQueryError(.cancelled, because: "the search was cancelled") }
    }

    /// The items, each search with its own. An error is a ``CSSearchQueryError``.
    public var results: Results { Results(query: self) }

    /// The items of a search.
    public struct Results: AsyncSequence, Sendable {
        /// An item that was found.
        public struct Item: Identifiable, Hashable, Comparable, Sendable {
            /// The item.
            public var item: CSSearchableItem
            /// The identifier of the item.
            public var id: String { item.uniqueIdentifier }

            /// Whether both have the same identifier.
            public static func == (a: Item, b: Item) -> Bool { a.id == b.id }
            /// Whether the identifier of the first comes before that of the second.
            public static func < (a: Item, b: Item) -> Bool { a.id < b.id }
            /// Adds the identifier.
            public func hash(into hasher: inout Hasher) { hasher.combine(id) }
        }

        /// The items in their order. A cancelled task gets nil.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var reader: ItemReader

            /// Returns the next item; nil after the last one.
            public mutating func next() async throws -> Item? {
                try await reader.next().map { Item(item: $0) }
            }
        }

        let query: CSSearchQuery

        /// Begins a search.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: ItemReader(query)) }
    }
}

struct ItemSearch: Sendable {
    /// The number of items that one call returns.
    private static let pageSize = 20

    private var parameters: SearchIndexParameters
    /// The number of items that are returned, at most; 0 for any.
    var limit = 0

    init(_ text: String?, _ conditions: [String], _ context: CSSearchQueryContext?) {
        let all = conditions + (context?.filterQueries ?? [])
        let query = all.count > 1 ? all.map { "(\($0))" }.joined(separator: " && ") : all.first
        parameters = SearchIndexParameters(
            text: text, query: query, limit: ItemSearch.pageSize,
            thumbnails: context?.fetchAttributes.contains("thumbnailData") == true ? true : nil)
    }

    func pages(at socket: String) -> Pages {
        Pages(parameters: parameters, remaining: limit > 0 ? limit : Int.max, socket: socket)
    }

    /// The items in the parts in which the service returns them. Some may be empty.
    struct Pages: Sendable {
        fileprivate var parameters: SearchIndexParameters?
        fileprivate var remaining: Int
        fileprivate let socket: String

        mutating func next() throws(CSSearchQueryError) -> [CSSearchableItem]? {
            guard var parameters, remaining > 0 else { return nil }
            do throws(ClientError) {
                let reply = try IndexService.call(IndexMethods.search, parameters, at: socket)
                parameters.after = reply.next
                self.parameters = reply.next == nil ? nil : parameters
                let items = reply.items.prefix(remaining).map { CSSearchableItem($0.item) }
                remaining -= items.count
                return items
            } catch {
                // A text without a word finds nothing.
                if case .failed(_, let refusal) = error, case .invalidText = IndexFailure(refusal) { return nil }
                throw CSSearchQueryError(reporting: error)
            }
        }
    }
}

/// Reads the items of a search one by one.
struct ItemReader {
    private var pages: ItemSearch.Pages
    private var items: ArraySlice<CSSearchableItem> = []
    private let query: CSSearchQuery

    init(_ query: CSSearchQuery) {
        self.query = query
        pages = query.search.pages(at: IndexService.socket)
    }

    mutating func next() async throws -> CSSearchableItem? {
        try query.checkCancelled()
        while items.isEmpty {
            guard !Task.isCancelled else { return nil }
            let present = pages
            let (following, found) = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<(ItemSearch.Pages, [CSSearchableItem]?), any Error>) in
                IndexService.enqueue {
                    var pages = present
                    continuation.resume(with: Result { (pages, try pages.next()) }.map { (pages, $0.1) })
                }
            }
            pages = following
            try query.checkCancelled()
            guard let found else { return nil }
            items = found[...]
        }
        return items.popFirst()
    }
}
