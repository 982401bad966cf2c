import Foundation

/// How a search for a text is made.
open class CSUserQueryContext: CSSearchQueryContext, @unchecked Sendable {
    /// Whether items come in the order of their relevance: always on Linux, where those with the
    /// words in the title come first.
    open var enableRankedResults = false
    /// The number of items, at most; 0 for all.
    open var maxResultCount = 0
    /// The number of suggestions, at most.
    open var maxSuggestionCount = 0
    /// The number of items that may come first, which has no effect on Linux.
    open var maxRankedResultCount = 0
    /// Whether related words count, which they never do on Linux.
    open var disableSemanticSearch = false
}

/// A suggested text: the title of an item that was found.
open class CSSuggestion: NSObject, @unchecked Sendable {
    /// The text.
    public let localizedAttributedSuggestion: NSAttributedString

    init(_ text: String) { localizedAttributedSuggestion = NSAttributedString(string: text) }
}

/// A search for the words that a user types, among the items of the program. Each word is the
/// beginning of a word of the item.
open class CSUserQuery: CSSearchQuery, @unchecked Sendable {
    /// An item that was found.
    public typealias Item = CSSearchQuery.Results.Item

    /// A text that the user may mean.
    public struct Suggestion: Identifiable, Hashable, Comparable, Sendable {
        /// The text.
        public var suggestion: CSSuggestion
        /// The text.
        public var id: String { suggestion.localizedAttributedSuggestion.string }

        /// Whether both are the same text.
        public static func == (a: Suggestion, b: Suggestion) -> Bool { a.id == b.id }
        /// The order of the texts.
        public static func < (a: Suggestion, b: Suggestion) -> Bool { a.id < b.id }
        /// Adds the text.
        public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private let maxSuggestions: Int

    /// The number of words and the length of a text in bytes, at most.
    private static let (maxWords, maxLength) = (8, 256)

    /// Creates a search for the first eight words of a text. Without a word it finds nothing.
    public init(userQueryString: String?, userQueryContext: CSUserQueryContext?) {
        maxSuggestions = max(0, userQueryContext?.maxSuggestionCount ?? 0)
        var words = (userQueryString ?? "").split { !$0.isLetter && !$0.isNumber }.prefix(Self.maxWords)
        while words.joined(separator: " ").utf8.count > Self.maxLength { words.removeLast() }
        var search = ItemSearch(words.joined(separator: " "), [], userQueryContext)
        search.limit = max(0, userQueryContext?.maxResultCount ?? 0)
        super.init(search)
    }

    /// Prepares searches: nothing on Linux, where the service starts in a moment.
    open class func prepare() {}

    /// The items, and the titles of items as suggestions.
    public var responses: Responses { Responses(query: self, maxSuggestions: maxSuggestions) }

    /// The items and suggestions of a search.
    public struct Responses: AsyncSequence, Sendable {
        /// An item or a suggestion.
        @nonexhaustive(warn)
        public enum Response: Identifiable, Hashable, Sendable {
            /// An item.
            case item(Item)
            /// A suggestion.
            case suggestion(Suggestion)

            /// The identifier of the item, or the text.
            public var id: String {
                switch self {
                case .item(let item): item.id
                case .suggestion(let suggestion): suggestion.id
                }
            }
        }

        /// The items in their order. The suggestion of a title comes before its first item.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var items: ItemReader
            fileprivate let maxSuggestions: Int
            private var waiting: Item?
            private var titles: Set<String> = []

            fileprivate init(_ items: ItemReader, _ maxSuggestions: Int) {
                self.items = items
                self.maxSuggestions = maxSuggestions
            }

            /// Returns the next item or suggestion; nil after the last one.
            public mutating func next() async throws -> Response? {
                if let item = waiting.take() { return .item(item) }
                guard let item = try await items.next() else { return nil }
                let title = item.attributeSet.title ?? ""
                guard titles.count < maxSuggestions, !title.isEmpty, titles.insert(title).inserted else {
                    return .item(Item(item: item))
                }
                waiting = Item(item: item)
                return .suggestion(Suggestion(suggestion: CSSuggestion(title)))
            }
        }

        let query: CSSearchQuery
        let maxSuggestions: Int

        /// Begins a search.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ItemReader(query), maxSuggestions) }
    }
}
