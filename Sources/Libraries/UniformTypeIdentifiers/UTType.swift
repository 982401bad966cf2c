/// The type of some content, by its identifier in Apple's form, such as `public.item`.
///
/// On Linux a type is its identifier alone: there is no registry of types, of their relations and
/// of the names of their files.
public struct UTType: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier.
    public let identifier: String

    private init(known identifier: String) { self.identifier = identifier }

    /// Creates a type; nil if the identifier has characters other than letters, digits, `-` and
    /// `.`.
    public init?(_ identifier: String) {
        let isValid = identifier.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || character == "-" || character == ".")
        }
        guard isValid, !identifier.isEmpty else { return nil }
        self.identifier = identifier
    }

    /// Creates a type of the program.
    public init(exportedAs identifier: String) { self.identifier = identifier }

    /// Creates a type of another program.
    public init(importedAs identifier: String) { self.identifier = identifier }

    /// The identifier.
    public var description: String { identifier }
}

extension UTType {
    /// Anything.
    public static let item = UTType(known: "public.item")
    /// A document, image, film or other content.
    public static let content = UTType(known: "public.content")
    /// Bytes.
    public static let data = UTType(known: "public.data")
    /// Text of any kind.
    public static let text = UTType(known: "public.text")
    /// Text without marks.
    public static let plainText = UTType(known: "public.plain-text")
    /// HTML.
    public static let html = UTType(known: "public.html")
    /// JSON.
    public static let json = UTType(known: "public.json")
    /// PDF.
    public static let pdf = UTType(known: "com.adobe.pdf")
    /// An image.
    public static let image = UTType(known: "public.image")
    /// JPEG.
    public static let jpeg = UTType(known: "public.jpeg")
    /// PNG.
    public static let png = UTType(known: "public.png")
    /// Sound.
    public static let audio = UTType(known: "public.audio")
    /// A film with or without sound.
    public static let movie = UTType(known: "public.movie")
    /// A contact.
    public static let contact = UTType(known: "public.contact")
    /// A message.
    public static let message = UTType(known: "public.message")
    /// An e-mail.
    public static let emailMessage = UTType(known: "public.email-message")
    /// A URL.
    public static let url = UTType(known: "public.url")
    /// A folder.
    public static let folder = UTType(known: "public.folder")
}
