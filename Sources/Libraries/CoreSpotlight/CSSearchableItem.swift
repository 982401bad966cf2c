internal import Chronology
import Foundation
internal import SextantServiceAPI
internal import Varlink

/// The type of the activity with which a system opens an item. Nothing on Linux does.
public let CSSearchableItemActionType = "com.apple.corespotlightitem"
/// The key of the item's identifier in the information of that activity.
public let CSSearchableItemActivityIdentifier = "kCSSearchableItemActivityIdentifier"
/// The type of the activity with which a system continues a search. Nothing on Linux does.
public let CSQueryContinuationActionType = "com.apple.corespotlightquery"
/// The key of the text in the information of that activity.
public let CSSearchQueryString = "kCSSearchQueryString"

/// An entry of the index.
open class CSSearchableItem: NSObject, @unchecked Sendable {
    /// How long an item is found if its program states no date: 30 days, as on iOS.
    static let lifetime: TimeInterval = 30 * 86_400

    /// The identifier, unique within the index of the program, 1 to 256 bytes.
    open var uniqueIdentifier: String
    /// The group with which the item can be deleted. `orders` contains `orders.2026`.
    open var domainIdentifier: String?
    /// From when on the item is not found any more, and is deleted: 30 days from now, unless the
    /// program sets it. `distantFuture` is never, and nil sets it to 30 days from now again.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var expirationDate: Date! {
        get { expiry }
        set { expiry = newValue ?? Date(timeIntervalSinceNow: CSSearchableItem.lifetime) }
    }
    private var expiry: Date
    /// What describes the item.
    open var attributeSet: CSSearchableItemAttributeSet
    /// Whether the item replaces only its attributes. On Linux it replaces the whole item.
    open var isUpdate = false

    /// Creates an item.
    ///
    /// - Parameter uniqueIdentifier: The identifier; nil for a random one.
    public init(uniqueIdentifier: String?, domainIdentifier: String?, attributeSet: CSSearchableItemAttributeSet) {
        self.uniqueIdentifier = uniqueIdentifier ?? UUID().uuidString
        self.domainIdentifier = domainIdentifier
        self.attributeSet = attributeSet
        expiry = Date(timeIntervalSinceNow: CSSearchableItem.lifetime)
    }

    init(_ item: IndexItem) {
        uniqueIdentifier = item.identifier
        domainIdentifier = item.domain
        attributeSet = CSSearchableItemAttributeSet(values: item.attributes)
        attributeSet.thumbnailData = item.thumbnail.flatMap { Data(base64Encoded: $0) }
        expiry = item.expiry.flatMap { Date.value(of: .string($0)) } ?? .distantFuture
    }

    /// The item as the service gets it.
    var message: IndexItem {
        IndexItem(
            identifier: uniqueIdentifier, domain: domainIdentifier,
            expiry: expiry >= .distantFuture ? nil : expiry.time.description, attributes: attributeSet.values,
            thumbnail: attributeSet.thumbnailData?.base64EncodedString())
    }
}
