// Apple's module exports both.
@_exported import Foundation
@_exported import UniformTypeIdentifiers
internal import Varlink

/// What describes an item: its title, its texts, its place and other attributes.
///
/// The index keeps at most 64 attributes with 16,384 bytes as JSON, 64 texts of an array, and an
/// image of 49,152 bytes. Change a set on one thread at a time.
open class CSSearchableItemAttributeSet: NSObject, UntypedAttributes, @unchecked Sendable {
    /// The attributes other than the image, by their names.
    var values: [String: JSONValue] = [:]

    /// Creates the attributes of some content.
    public init(contentType: UTType) {
        super.init()
        self.contentType = contentType.identifier
    }

    /// Creates the attributes of some content, by the identifier of its type.
    public init(itemContentType: String) {
        super.init()
        contentType = itemContentType
    }

    init(values: [String: JSONValue]) {
        super.init()
        self.values = values
    }

    /// An image for lists, in JPEG or PNG, at most 49,152 bytes.
    open var thumbnailData: Data?

    // MARK: Texts
    /// The title, in which words are found first.
    @Attribute("title") open var title: String?
    /// The name for the user, in which words are found first too.
    @Attribute("displayName") open var displayName: String?
    /// A text about the item.
    @Attribute("contentDescription") open var contentDescription: String?
    /// A comment.
    @Attribute("comment") open var comment: String?
    /// The subject of a message.
    @Attribute("subject") open var subject: String?
    /// The text of a document, of which the index keeps 16 KiB with all other attributes.
    @Attribute("textContent") open var textContent: String?
    /// The kind of the item, such as "order".
    @Attribute("kind") open var kind: String?
    /// The path of a file.
    @Attribute("path") open var path: String?
    /// The item that an activity is about.
    @Attribute("relatedUniqueIdentifier") open var relatedUniqueIdentifier: String?
    /// The name of the place.
    @Attribute("namedLocation") open var namedLocation: String?
    /// The city of the place.
    @Attribute("city") open var city: String?
    /// The division of the country.
    @Attribute("stateOrProvince") open var stateOrProvince: String?
    /// The country of the place.
    @Attribute("country") open var country: String?
    /// The address of the place as text.
    @Attribute("fullyFormattedAddress") open var fullyFormattedAddress: String?
    /// The identifier of the type of the content.
    @Attribute("contentType") open var contentType: String?

    // MARK: Arrays of texts
    /// Words by which the item is found.
    @Attribute("keywords") open var keywords: [String]?
    /// Other names.
    @Attribute("alternateNames") open var alternateNames: [String]?
    /// The names of the authors.
    @Attribute("authorNames") open var authorNames: [String]?
    /// The addresses of the authors.
    @Attribute("authorEmailAddresses") open var authorEmailAddresses: [String]?
    /// The names of the recipients.
    @Attribute("recipientNames") open var recipientNames: [String]?
    /// The addresses of the recipients.
    @Attribute("recipientEmailAddresses") open var recipientEmailAddresses: [String]?
    /// Telephone numbers.
    @Attribute("phoneNumbers") open var phoneNumbers: [String]?
    /// E-mail addresses.
    @Attribute("emailAddresses") open var emailAddresses: [String]?

    // MARK: Times
    /// When the content was created.
    @Attribute("contentCreationDate") open var contentCreationDate: Date?
    /// When the content was changed.
    @Attribute("contentModificationDate") open var contentModificationDate: Date?
    /// When an event begins.
    @Attribute("startDate") open var startDate: Date?
    /// When an event ends.
    @Attribute("endDate") open var endDate: Date?
    /// When a task is due.
    @Attribute("dueDate") open var dueDate: Date?
    /// When a task was completed.
    @Attribute("completionDate") open var completionDate: Date?
    /// When the position was determined.
    @Attribute("timestamp") open var timestamp: Date?

    // MARK: Numbers and truth values
    /// The number of stars, 0 to 5.
    @Attribute("rating") open var rating: NSNumber?
    /// The latitude of the place in degrees north, WGS-84. Without a longitude the item is invalid.
    @Attribute("latitude") open var latitude: NSNumber?
    /// The longitude of the place in degrees east.
    @Attribute("longitude") open var longitude: NSNumber?
    /// The altitude of the place in metres above sea level.
    @Attribute("altitude") open var altitude: NSNumber?
    /// Whether one can navigate to the place.
    @Attribute("supportsNavigation") open var supportsNavigation: NSNumber?
    /// Whether one can call a telephone number.
    @Attribute("supportsPhoneCall") open var supportsPhoneCall: NSNumber?
    /// Whether an event lasts the whole day.
    @Attribute("allDay") open var allDay: NSNumber?
    /// The duration of a recording in seconds.
    @Attribute("duration") open var duration: NSNumber?
    /// The number of pages.
    @Attribute("pageCount") open var pageCount: NSNumber?
    /// The size of a file in megabytes.
    @Attribute("fileSize") open var fileSize: NSNumber?

    // MARK: URLs
    /// The URL of the content.
    @Attribute("contentURL") open var contentURL: URL?
    /// The URL of the item.
    @Attribute("url") open var url: URL?
}

/// Attributes with other types than Apple's, as texts about Core Spotlight assign them. Where a
/// type is not stated, a property of ``CSSearchableItemAttributeSet`` has Apple's.
public protocol UntypedAttributes: AnyObject {}

extension UntypedAttributes where Self: CSSearchableItemAttributeSet {
    /// The latitude in degrees north.
    public var latitude: Double? {
        get { values["latitude"]?.double }
        set { values["latitude"] = newValue.map { .double($0) } }
    }

    /// The longitude in degrees east.
    public var longitude: Double? {
        get { values["longitude"]?.double }
        set { values["longitude"] = newValue.map { .double($0) } }
    }

    /// The type of the content.
    public var contentType: UTType? {
        get { values["contentType"]?.string.flatMap { UTType($0) } }
        set { values["contentType"] = newValue.map { .string($0.identifier) } }
    }

    /// The only author; not in Apple's module.
    public var author: String? {
        get { authorNames?.first }
        set { authorNames = newValue.map { [$0] } }
    }

    /// The addresses of the recipients; not in Apple's module.
    public var recipients: [String]? {
        get { recipientEmailAddresses }
        set { recipientEmailAddresses = newValue }
    }
}

extension CSSearchableItemAttributeSet {
    /// A property of a set, by the name of its attribute.
    @propertyWrapper
    public struct Attribute<Value> {
        private let name: String

        init(_ name: String) { self.name = name }

        /// The value; only in a set of attributes.
        @available(*, unavailable, message: "only in a set of attributes")
        public var wrappedValue: Value? {
            get { nil }
            set { _ = newValue }
        }

        /// The value in a set.
        public static subscript(
            _enclosingInstance set: CSSearchableItemAttributeSet,
            wrapped _: ReferenceWritableKeyPath<CSSearchableItemAttributeSet, Value?>,
            storage storage: ReferenceWritableKeyPath<CSSearchableItemAttributeSet, Attribute>
        ) -> Value? {
            get {
                let type = Value.self as? any AttributeValue.Type
                return set.values[set[keyPath: storage].name].flatMap { type?.value(of: $0) as? Value }
            }
            set { set.values[set[keyPath: storage].name] = (newValue as? any AttributeValue)?.json }
        }
    }
}
