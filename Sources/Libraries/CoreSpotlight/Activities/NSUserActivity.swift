import Foundation
internal import VarlinkClient

/// The identifier of an activity in the index.
public typealias NSUserActivityPersistentIdentifier = String

/// What the user does in the program now, such as looking at an order.
///
/// On Linux an activity is data: one that is eligible for search is in the index from
/// ``becomeCurrent()`` on. Nothing hands it to another device, and nothing continues it.
open class NSUserActivity: NSObject {
    /// The name of the index with the activities of a program.
    static let index = "NSUserActivity"

    /// The kind of activity, such as `org.example.viewOrder`.
    public let activityType: String
    /// The title, by which it is found.
    open var title: String?
    /// What the program needs to continue; it stays in this object.
    open var userInfo: [AnyHashable: Any]?
    /// The keys of ``userInfo`` that are needed.
    open var requiredUserInfoKeys: Set<String>?
    /// Words by which it is found.
    open var keywords: Set<String> = []
    /// What describes it in the index, besides its title and keywords.
    open var contentAttributeSet: CSSearchableItemAttributeSet?
    /// The identifier with which it is deleted, unique within the program. Without one it is the
    /// type and the title.
    open var persistentIdentifier: NSUserActivityPersistentIdentifier?
    /// The content that it shows.
    open var targetContentIdentifier: String?
    /// The entity of App Intents that it shows, which nothing on Linux reads.
    open var appEntityIdentifier: String?
    /// The page in the web that it shows.
    open var webpageURL: URL?
    /// The page in the web that led to it.
    open var referrerURL: URL?
    /// From when on it is not found any more; nil for 30 days after it became current.
    open var expirationDate: Date?
    /// Whether ``userInfo`` must be updated.
    open var needsSave = false
    /// Whether it is in the index.
    open var isEligibleForSearch = false
    /// Whether it may go on on another device, which it never does on Linux.
    open var isEligibleForHandoff = true
    /// Whether everybody may know it, which nobody does on Linux.
    open var isEligibleForPublicIndexing = false
    /// Whether it may be suggested, which it never is on Linux.
    open var isEligibleForPrediction = false

    private let isValid = Locked(true)
    /// The current activity of the process.
    private static let current = Locked<ObjectIdentifier?>(nil)

    /// Creates an activity that is not current.
    public init(activityType: String) { self.activityType = activityType }

    deinit { resignCurrent() }

    /// Adds to ``userInfo``.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { _, new in new }
    }

    /// Makes this the current activity of the process. If it is eligible for search, it is indexed
    /// as it is now. It stays in the index until it expires or is deleted.
    open func becomeCurrent() {
        guard isValid.withLock({ $0 }) else { return }
        let identity = ObjectIdentifier(self)
        Self.current.withLock { $0 = identity }
        guard isEligibleForSearch else { return }
        let type = activityType
        CSSearchableIndex(name: Self.index).indexSearchableItems([item]) { error in
            guard let error else { return }
            let text = "CoreSpotlight: the activity \(type) is not indexed: \(error.localizedDescription)\n"
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    /// Makes this no longer the current activity.
    open func resignCurrent() {
        let identity = ObjectIdentifier(self)
        Self.current.withLock { current in
            if current == identity { current = nil }
        }
    }

    /// Ends the activity: it cannot become current again.
    open func invalidate() {
        isValid.withLock { $0 = false }
        resignCurrent()
    }

    var isCurrent: Bool { Self.current.withLock { $0 } == ObjectIdentifier(self) }

    private var item: CSSearchableItem {
        let attributes = CSSearchableItemAttributeSet(values: contentAttributeSet?.values ?? [:])
        attributes.thumbnailData = contentAttributeSet?.thumbnailData
        attributes.title = attributes.title ?? title
        attributes.url = attributes.url ?? webpageURL
        if !keywords.isEmpty { attributes.keywords = (attributes.keywords ?? []) + keywords.sorted() }
        let item = CSSearchableItem(
            uniqueIdentifier: persistentIdentifier ?? "\(activityType) \(title ?? "")", domainIdentifier: activityType,
            attributeSet: attributes)
        if let expirationDate { item.expirationDate = expirationDate }
        return item
    }

    // MARK: Deletion

    /// Deletes activities from the index by their ``persistentIdentifier``. The handler is called
    /// at the end.
    open class func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier],
        completionHandler handler: @escaping @Sendable () -> Void = {}
    ) {
        CSSearchableIndex(name: index).deleteSearchableItems(withIdentifiers: persistentIdentifiers) { _ in handler() }
    }

    /// Deletes activities from the index by their ``persistentIdentifier``.
    open class func deleteSavedUserActivities(
        withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier]
    ) async {
        try? await CSSearchableIndex(name: index).deleteSearchableItems(withIdentifiers: persistentIdentifiers)
    }

    /// Deletes all activities of the program from the index. The handler is called at the end.
    open class func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void) {
        CSSearchableIndex(name: index).deleteAllSearchableItems { _ in handler() }
    }

    /// Deletes all activities of the program from the index.
    open class func deleteAllSavedUserActivities() async {
        try? await CSSearchableIndex(name: index).deleteAllSearchableItems()
    }
}
