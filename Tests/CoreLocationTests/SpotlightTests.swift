import CoreSpotlight
import DaemonSupport
import SextantServiceAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import CoreSpotlight

extension Behaviour {
    /// The index as programs use it, with the real service.
    @Suite struct SpotlightTests {
        private nonisolated(nonsending) static func start(_ scratch: Scratch) async throws -> ChildProcess {
            let path = scratch("places")
            let service = try ChildProcess(
                [
                    try Programs.path(of: "sextant-places"), "--socket", path, "--state", scratch("state"), "--data",
                    scratch("none"),
                ], record: scratch("log"))
            try await eventually("the socket") { access(path, F_OK) == 0 }
            return service
        }

        private nonisolated(nonsending) func run(
            _ body: nonisolated(nonsending) (Scratch, ChildProcess) async throws -> Void
        ) async throws {
            let scratch = try Scratch()
            let service = try await Self.start(scratch)
            try await IndexService.$socketOfTest.withValue(scratch("places")) { try await body(scratch, service) }
        }

        private static func item(_ identifier: String, _ title: String, domain: String? = nil) -> CSSearchableItem {
            let attributes = CSSearchableItemAttributeSet(contentType: .item)
            attributes.title = title
            return CSSearchableItem(uniqueIdentifier: identifier, domainIdentifier: domain, attributeSet: attributes)
        }

        private static func found(_ query: CSSearchQuery) async throws -> [String] {
            var identifiers: [String] = []
            for try await result in query.results { identifiers.append(result.id) }
            return identifiers
        }

        private static func found(_ text: String) async throws -> [String] {
            try await found(CSUserQuery(userQueryString: text, userQueryContext: nil))
        }

        /// Expects what a search for words finds.
        private static func expect(_ text: String, finds identifiers: [String]) async throws {
            let found = try await found(text)
            #expect(found == identifiers, "\(text)")
        }

        @Test func `an item comes back with all attributes after a kill`() async throws {
            try await run { scratch, service in
                let item = Self.item("1", "Medium Latte", domain: "orders")
                let set = item.attributeSet
                set.keywords = ["coffee"]
                (set.latitude, set.longitude) = (51.84, NSNumber(value: 5.85))
                set.rating = 4
                (set.contentCreationDate, set.url) = (
                    Date(timeIntervalSince1970: 1.5), URL(string: "https://a.example")
                )
                set.thumbnailData = Data([1, 2, 3])
                item.expirationDate = Date(timeIntervalSince1970: 4_000_000_000)
                try await CSSearchableIndex.default().indexSearchableItems([item])
                service.send(SIGKILL)
                _ = try service.waitForEnd()
                unlink(scratch("places"))
                let next = try await Self.start(scratch)
                let context = CSUserQueryContext()
                context.fetchAttributes = ["thumbnailData"]
                context.maxSuggestionCount = 1
                var (items, suggestions) = ([CSSearchableItem](), [String]())
                for try await response in CSUserQuery(userQueryString: "lat cof", userQueryContext: context).responses {
                    switch response {
                    case .item(let found): items.append(found.item)
                    case .suggestion(let text): suggestions.append(text.id)
                    @unknown default: break
                    }
                }
                #expect(suggestions == ["Medium Latte"])
                let found = try #require(items.first)
                #expect(items.count == 1 && found.uniqueIdentifier == "1" && found.domainIdentifier == "orders")
                #expect(found.attributeSet.values == set.values && found.attributeSet.thumbnailData == Data([1, 2, 3]))
                #expect(found.attributeSet.rating == 4 && found.attributeSet.latitude?.doubleValue == 51.84)
                #expect(found.attributeSet.contentCreationDate == Date(timeIntervalSince1970: 1.5))
                #expect(found.expirationDate == item.expirationDate)
                #expect(next.isRunning)
            }
        }

        @Test func `calls take effect in their order, with handlers and without`() async throws {
            try await run { _, _ in
                let index = CSSearchableIndex.default()
                let items = (0..<45).map { Self.item("\($0)", "Latte", domain: "a.\($0 % 2)") }
                index.indexSearchableItems(items, completionHandler: nil)
                index.deleteSearchableItems(withIdentifiers: ["0", "1"], completionHandler: nil)
                let all = try await Self.found("latte")
                #expect(all.count == 43)
                let limited = CSUserQueryContext()
                limited.maxResultCount = 21
                let some = try await Self.found(CSUserQuery(userQueryString: "l", userQueryContext: limited))
                #expect(some.count == 21)
                index.deleteSearchableItems(withDomainIdentifiers: ["a.1"]) { #expect($0 == nil) }
                let context = CSSearchQueryContext()
                context.filterQueries = ["uniqueIdentifier == '2' || uniqueIdentifier == '3'"]
                let query = CSSearchQuery(queryString: "title == \"lat*\"c", queryContext: context)
                let filtered = try await Self.found(query)
                #expect(filtered == ["2"])
                let titles = await withCheckedContinuation { continuation in
                    query.foundItemsHandler = { items in continuation.resume(returning: items.map(\.attributeSet.title))
                    }
                    query.start()
                }
                #expect(titles == ["Latte"])
                index.deleteSearchableItems(withDomainIdentifiers: ["a"], completionHandler: nil)
                try await Self.expect("latte", finds: [])
            }
        }

        @Test func `a batch and its state are one`() async throws {
            try await run { scratch, service in
                let index = CSSearchableIndex(name: "notes")
                #expect(try await index.fetchLastClientState() == Data())
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("1", "Latte"), Self.item("2", "Mocha")])
                try await index.deleteSearchableItems(withIdentifiers: ["2"])
                try await Self.expect("latte", finds: [])
                try await index.endBatch(withClientState: Data("1".utf8))
                try await Self.expect("latte", finds: ["1"])
                try await Self.expect("mocha", finds: [])
                #expect(try await CSSearchableIndex(name: "notes").fetchLastClientState() == Data("1".utf8))
                #expect(try await CSSearchableIndex.default().fetchLastClientState() == Data())
                index.beginBatch()
                try await index.deleteAllSearchableItems()
                let error = await #expect(throws: CSIndexError.self) {
                    try await index.endBatch(withExpectedClientState: nil, newClientState: Data("2".utf8))
                }
                #expect(error?.code == .mismatchedClientState)
                try await Self.expect("latte", finds: ["1"])
                let none = await #expect(throws: CSIndexError.self) {
                    try await index.endBatch(withClientState: Data())
                }
                #expect(none?.localizedDescription.contains("beginBatch") == true)
            }
        }

        @Test func `errors have codes and name the item`() async throws {
            try await run { _, service in
                let index = CSSearchableIndex.default()
                let item = Self.item("large", String(repeating: "x", count: 20_000))
                let error = await #expect(throws: CSIndexError.self) {
                    try await index.indexSearchableItems([Self.item("1", "Latte"), item])
                }
                #expect(error?.code == .invalidItemError && error?.localizedDescription.contains("large") == true)
                index.beginBatch()
                let state = await #expect(throws: CSIndexError.self) {
                    try await index.endBatch(withClientState: Data(repeating: 1, count: 251))
                }
                #expect(state?.code == .invalidClientStateError)
                let query = await #expect(throws: CSSearchQueryError.self) {
                    try await Self.found(CSSearchQuery(queryString: "title ==", attributes: nil))
                }
                #expect(query?.code == .invalidQuery)
                service.destroy()
                let gone = await #expect(throws: CSIndexError.self) { try await index.indexSearchableItems([item]) }
                #expect(gone?.code == .indexUnavailableError)
            }
        }

        @Test func `a batch that removes all and expects a state is one, also in several calls`() async throws {
            try await run { _, _ in
                let index = CSSearchableIndex(name: "notes")
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("old", "Latte")])
                try await index.endBatch(withClientState: Data("1".utf8))
                index.beginBatch()
                try await index.deleteAllSearchableItems()
                try await index.indexSearchableItems((0..<600).map { Self.item("\($0)", "Mocha") })
                try await index.deleteSearchableItems(withDomainIdentifiers: [""])
                try await index.endBatch(
                    withExpectedClientState: Data("1".utf8), newClientState: Data("2".utf8))
                try await Self.expect("latte", finds: [])
                let found = try await Self.found("mocha")
                #expect(found.count == 600)
                #expect(try await index.fetchLastClientState() == Data("2".utf8))
            }
        }

        @Test func `an item that fits in no message is named, and its batch is not indexed`() async throws {
            try await run { _, _ in
                let index = CSSearchableIndex(name: "notes")
                let large = Self.item("huge", "Latte")
                large.attributeSet.thumbnailData = Data(repeating: 1, count: 200_000)
                let error = await #expect(throws: CSIndexError.self) { try await index.indexSearchableItems([large]) }
                #expect(error?.code == .invalidItemError && error?.localizedDescription.contains("huge") == true)
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("1", "Latte"), large])
                let batch = await #expect(throws: CSIndexError.self) {
                    try await index.endBatch(withClientState: Data())
                }
                #expect(batch?.code == .invalidItemError)
                try await Self.expect("latte", finds: [])
                // Names that no item has, more than a message holds.
                let names = (0..<500).map { "\($0)" + String(repeating: "\u{1}", count: 256) }
                try await index.deleteSearchableItems(withIdentifiers: names)
            }
        }

        @Test func `a search that is cancelled ends with an error, in all forms`() async throws {
            try await run { _, _ in
                try await CSSearchableIndex.default().indexSearchableItems(
                    (0..<50).map { Self.item("\($0)", "Latte") })
                let query = CSUserQuery(userQueryString: "latte", userQueryContext: nil)
                var count = 0
                let error = await #expect(throws: CSSearchQueryError.self) {
                    for try await _ in query.results {
                        count += 1
                        query.cancel()
                    }
                }
                #expect(count == 1 && error?.code == .cancelled && query.isCancelled)
                let responses = await #expect(throws: CSSearchQueryError.self) {
                    for try await _ in query.responses {}
                }
                #expect(responses?.code == .cancelled)
                let completion = await withCheckedContinuation { continuation in
                    query.completionHandler = { continuation.resume(returning: $0) }
                    query.start()
                }
                #expect((completion as? CSSearchQueryError)?.code == .cancelled)
            }
        }

        @Test func `a text without words finds nothing, and the first eight words count`() async throws {
            try await run { _, _ in
                try await CSSearchableIndex.default().indexSearchableItems([Self.item("1", "a b c d e f g h")])
                for text in ["", " ", "…", "\u{301}", String(repeating: "x", count: 300)] {
                    try await Self.expect(text, finds: [])
                }
                try await Self.expect("a, b! c d e f g h i j", finds: ["1"])
                let none = try await Self.found(CSUserQuery(userQueryString: nil, userQueryContext: nil))
                #expect(none == [])
            }
        }

        @Test func `failures of a call have codes`() {
            func code(_ failure: ClientError) -> CSIndexError.Code { CSIndexError(reporting: failure).code }
            func refused(_ name: String) -> ClientError { .failed(method: "m", error: VarlinkError(name: name)) }
            #expect(code(.connecting(path: "p", errno: ENOENT)) == .indexUnavailableError)
            #expect(code(.disconnected(method: "m")) == .remoteConnectionError)
            #expect(code(.timedOut(method: "m")) == .remoteConnectionError)
            #expect(code(refused("org.varlink.service.InterfaceNotFound")) == .indexingUnsupported)
            #expect(code(refused("io.sextant.Index.UnknownProgram")) == .unknownError)
        }

        @Test func `a change is made again if the service ends before its answer`() async throws {
            let scratch = try Scratch()
            let service = try FakeService(at: scratch("places"))
            try await IndexService.$socketOfTest.withValue(service.path) {
                async let done: Void = CSSearchableIndex.default().indexSearchableItems([Self.item("1", "Latte")])
                for _ in 0..<2 { _ = try await service.accept().call() }
                let connection = try await service.accept()
                let call = try await connection.call()
                #expect(call.parameters["items"]?.array?.count == 1)
                try await connection.send(Reply(parameters: ["removed": 0]))
                try await done
            }
        }

        @Test func `a change that expects a state is not made again`() async throws {
            let scratch = try Scratch()
            let service = try FakeService(at: scratch("places"))
            try await IndexService.$socketOfTest.withValue(service.path) {
                let index = CSSearchableIndex(name: "notes")
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("1", "Latte")])
                async let done: Void = index.endBatch(
                    withExpectedClientState: Data([1]), newClientState: Data([2]))
                _ = try await service.accept().call()
                do {
                    try await done
                    Issue.record("the batch has no error")
                } catch {
                    #expect((error as? CSIndexError)?.code == .remoteConnectionError)
                }
                #expect(!service.hasConnection)
            }
        }

        @Test func `nil restores the expiration after 30 days`() {
            let item = Self.item("1", "Latte")
            item.expirationDate = .distantFuture
            #expect(item.message.expiry == nil)
            item.expirationDate = nil
            #expect(abs(item.expirationDate.timeIntervalSinceNow - 30 * 86_400) < 60)
            #expect(item.message.expiry != nil)
        }

        @Test func `numbers keep all their digits, and truth values are numbers`() {
            let set = CSSearchableItemAttributeSet(contentType: .item)
            for number in [NSNumber(value: Int64.max), NSNumber(value: Int64.min), NSNumber(value: 1.5)] {
                set.rating = number
                #expect(set.rating == number)
            }
            set.values["allDay"] = .bool(true)
            #expect(set.allDay?.boolValue == true)
        }

        @Test func `a batch of more items than a program may have fails as a whole`() async throws {
            try await run { _, _ in
                let index = CSSearchableIndex.default()
                index.beginBatch()
                index.indexSearchableItems((0..<20_001).map { Self.item("\($0)", "Latte") }) { #expect($0 == nil) }
                let error = await #expect(throws: CSIndexError.self) {
                    try await index.endBatch(withClientState: Data())
                }
                #expect(error?.code == .quotaExceeded)
                try await Self.expect("latte", finds: [])
            }
        }

        @Test func `changes that wait have 64 MiB at most`() async throws {
            let gate = DispatchSemaphore(value: 0)
            IndexService.enqueue { gate.wait() }
            try IndexService.enqueue(bytes: IndexService.maxWaiting - 1) {}
            let error = #expect(throws: CSIndexError.self) { try IndexService.enqueue(bytes: 2) {} }
            #expect(error?.code == .quotaExceeded && error?.localizedDescription.contains("64 MiB") == true)
            try IndexService.enqueue(bytes: 1) {}
            gate.signal()
            await withCheckedContinuation { continuation in IndexService.enqueue { continuation.resume() } }
            try IndexService.enqueue(bytes: IndexService.maxWaiting) {}
        }

        @Test func `an activity is in the index from the moment it is current`() async throws {
            try await run { _, _ in
                let activity = NSUserActivity(activityType: "org.example.view")
                (activity.title, activity.persistentIdentifier) = ("Order 17", "17")
                activity.keywords = ["latte"]
                activity.becomeCurrent()
                #expect(activity.isCurrent)
                try await Self.expect("latte", finds: [])
                activity.isEligibleForSearch = true
                activity.becomeCurrent()
                try await Self.expect("order lat", finds: ["17"])
                let other = NSUserActivity(activityType: "org.example.view")
                (other.title, other.isEligibleForSearch) = ("Order 18", true)
                other.becomeCurrent()
                #expect(other.isCurrent && !activity.isCurrent)
                other.invalidate()
                other.becomeCurrent()
                #expect(!other.isCurrent)
                let both = try await Self.found("order")
                #expect(both.count == 2)
                await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["17"])
                try await Self.expect("order", finds: ["org.example.view Order 18"])
                await NSUserActivity.deleteAllSavedUserActivities()
                try await Self.expect("order", finds: [])
            }
        }
    }
}
