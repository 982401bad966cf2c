import Chronology
import SextantAPI
import SextantServiceAPI
import Varlink

extension IndexItem {
    /// Creates the message of a stored item.
    package init(_ item: IndexedItem) {
        self.init(
            identifier: item.identifier, domain: item.domain.isEmpty ? nil : item.domain,
            expiry: item.expiry?.description, attributes: item.attributes,
            thumbnail: item.thumbnail.isEmpty ? nil : Base64.encode(item.thumbnail))
    }

    /// The item.
    ///
    /// - Parameter index: The position in the call, for the error.
    /// - Throws: ``IndexFailure/invalidItem(index:reason:)``.
    package func item(at index: Int) throws(IndexFailure) -> IndexedItem {
        let end = expiry.flatMap { UTCTime(rfc3339: $0) }
        guard expiry == nil || end != nil else {
            throw .invalidItem(index: index, reason: "expiry must be a time such as 2027-01-01T00:00:00Z")
        }
        guard let image = Base64.decode(thumbnail ?? "") else {
            throw .invalidItem(index: index, reason: "the thumbnail must be in base 64")
        }
        do throws(IndexedItem.Invalid) {
            return try IndexedItem(
                identifier: identifier, domain: domain ?? "", expiry: end, attributes: attributes, thumbnail: image)
        } catch {
            throw .invalidItem(index: index, reason: error.description)
        }
    }
}

extension FoundItem {
    /// Creates the message of an item that was found.
    package init(_ found: IndexSearch.Found) {
        self.init(
            item: IndexItem(found.item), index: found.space == IndexStore.defaultIndex ? nil : found.space,
            program: found.program, distance: found.distance)
    }
}

extension IndexInterface {
    package static var text: String {
        String(decoding: PackageResources.io_sextant_Index_varlink, as: UTF8.self)
    }
}
