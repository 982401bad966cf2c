import CoreSpotlight
import UniformTypeIdentifiers

/// Forms of code for Core Spotlight that programs for iOS have in common. They are compiled and not
/// run.
struct Visit {
    var id = UUID()
    var shop = ""
    var date = Date()
    var stars = 4
    var picture: Data?
    var place = (latitude: 51.84, longitude: 5.85)
}

final class VisitIndexer {
    private let named = CSSearchableIndex(name: "visits")
    private(set) var activity: NSUserActivity?

    func item(_ visit: Visit) -> CSSearchableItem {
        let attributes = CSSearchableItemAttributeSet(contentType: .item)
        attributes.title = visit.shop
        attributes.displayName = visit.shop
        attributes.contentDescription = "Visited on \(visit.date.formatted())"
        attributes.keywords = ["shop", visit.shop.lowercased()]
        attributes.thumbnailData = visit.picture
        attributes.contentCreationDate = visit.date
        attributes.contentModificationDate = Date()
        attributes.rating = NSNumber(value: visit.stars)
        // Texts about Core Spotlight assign numbers; Apple's type is NSNumber.
        attributes.latitude = visit.place.latitude
        attributes.longitude = NSNumber(value: visit.place.longitude)
        attributes.namedLocation = "Nijmegen"
        attributes.comment = "to be visited again"
        attributes.pageCount = 10
        attributes.fileSize = 1024
        attributes.path = "/tmp/visit.pdf"
        attributes.contentType = UTType.pdf
        attributes.author = "Ana"
        attributes.authorNames = ["Ana"]
        attributes.recipients = ["bob@example.org"]
        attributes.recipientNames = ["Bob"]
        attributes.subject = "Lunch"
        let number: NSNumber? = attributes.latitude
        let type: String? = attributes.contentType
        print(number?.doubleValue ?? 0, type ?? "")
        let item = CSSearchableItem(
            uniqueIdentifier: visit.id.uuidString, domainIdentifier: "visits", attributeSet: attributes)
        item.expirationDate = Date().addingTimeInterval(60 * 60 * 24 * 365)
        return item
    }

    func index(_ visits: [Visit]) {
        guard CSSearchableIndex.isIndexingAvailable() else { return }
        CSSearchableIndex.default().indexSearchableItems(visits.map(item)) { error in
            if let error = error as? CSIndexError, error.code == .quotaExceeded {
                print(error.localizedDescription)
            } else {
                print("indexed \(visits.count) visits")
            }
        }
        CSSearchableIndex.default().indexSearchableItems(visits.map(item))
    }

    func forget(_ identifiers: [String]) {
        CSSearchableIndex.default().deleteSearchableItems(withIdentifiers: identifiers)
        CSSearchableIndex.default().deleteSearchableItems(withDomainIdentifiers: ["visits"]) { error in }
        CSSearchableIndex.default().deleteAllSearchableItems { error in print(error ?? "deleted") }
        NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: identifiers)
        NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: identifiers) {}
        NSUserActivity.deleteAllSavedUserActivities {}
    }

    func batch(_ visits: [Visit], _ state: Data) async throws {
        named.beginBatch()
        try await named.indexSearchableItems(visits.map(item))
        try await named.deleteSearchableItems(withIdentifiers: ["old"])
        try await named.deleteSearchableItems(withDomainIdentifiers: ["old"])
        try await named.endBatch(withExpectedClientState: nil, newClientState: state)
        named.fetchLastClientState { state, error in print(state?.base64EncodedString() ?? "none", error ?? "") }
        let last: Data = try await named.fetchLastClientState()
        print(last.count)
        try await named.deleteAllSearchableItems()
        await NSUserActivity.deleteAllSavedUserActivities()
        await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["a"])
    }

    func show(_ visit: Visit) {
        let activity = NSUserActivity(activityType: "org.example.viewVisit")
        activity.title = visit.shop
        activity.isEligibleForSearch = true
        activity.isEligibleForPrediction = true
        activity.isEligibleForHandoff = false
        activity.isEligibleForPublicIndexing = false
        activity.persistentIdentifier = visit.id.uuidString
        activity.targetContentIdentifier = visit.id.uuidString
        activity.appEntityIdentifier = visit.id.uuidString
        activity.userInfo = ["visit": visit.id.uuidString]
        activity.keywords = ["shop"]
        activity.contentAttributeSet = item(visit).attributeSet
        activity.becomeCurrent()
        activity.resignCurrent()
        activity.invalidate()
        self.activity = activity
    }

    func identifier(_ activity: NSUserActivity) -> String? {
        guard activity.activityType == CSSearchableItemActionType else { return activity.persistentIdentifier }
        return activity.userInfo?[CSSearchableItemActivityIdentifier] as? String
    }
}

func search(_ text: String) async throws -> [String] {
    let context = CSUserQueryContext()
    context.fetchAttributes = ["title", "thumbnailData"]
    context.maxResultCount = 10
    context.maxSuggestionCount = 3
    context.filterQueries = ["rating > 2"]
    var found: [CSUserQuery.Item] = []
    var suggestions: [CSUserQuery.Suggestion] = []
    for try await response in CSUserQuery(userQueryString: text, userQueryContext: context).responses {
        switch response {
        case .item(let item): found.append(item)
        case .suggestion(let suggestion): suggestions.append(suggestion)
        @unknown default: break
        }
    }
    let query = CSSearchQuery(queryString: "title == \"*\(text)*\"cd", attributes: ["title"])
    query.foundItemsHandler = { items in print(items.count) }
    query.completionHandler = { error in
        if let error = error as? CSSearchQueryError, error.code == .cancelled { print("cancelled") }
    }
    query.start()
    query.cancel()
    for try await result in CSSearchQuery(queryString: "rating > 3", queryContext: nil).results {
        found.append(result)
    }
    return found.map(\.item.uniqueIdentifier) + suggestions.map(\.id)
}
