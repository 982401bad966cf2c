import Foundation
internal import SextantServiceAPI
internal import VarlinkClient

/// The index of the program: what it wants to be found again.
///
/// Only this program finds its items, and user 0 with `sextant find`. A completion handler is
/// called on another thread, after the items are on disk. Calls take effect in the order in which
/// they are made.
open class CSSearchableIndex: NSObject, @unchecked Sendable {
    private static let shared = CSSearchableIndex(wireName: nil)

    private let wireName: String?
    /// The changes of the batch that has begun; nil outside of a batch.
    private let batch = Locked<IndexChanges?>(nil)

    /// The index of a program that needs no other.
    open class func `default`() -> CSSearchableIndex { shared }

    /// Whether there is an index on this system. A call may fail nevertheless.
    open class func isIndexingAvailable() -> Bool { true }

    /// Creates an object for the index with a name of 1 to 128 bytes. Its items remain if the
    /// object does not.
    public convenience init(name: String) { self.init(wireName: name) }

    /// Creates an object for the index with a name. On Linux the protection class has no effect.
    public convenience init(name: String, protectionClass: FileProtectionType?) { self.init(wireName: name) }

    init(wireName: String?) { self.wireName = wireName }

    // MARK: Changes

    /// Adds items, or replaces those with the same identifiers.
    ///
    /// Between ``beginBatch()`` and the end of the batch the handler is called at once, and the
    /// items are indexed at the end.
    open func indexSearchableItems(
        _ items: [CSSearchableItem], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let messages = items.map(\.message)
        change(completionHandler) { $0.add(messages) }
    }

    /// Adds items, or replaces those with the same identifiers.
    ///
    /// - Throws: ``CSIndexError``.
    open func indexSearchableItems(_ items: [CSSearchableItem]) async throws {
        try await waiting { self.indexSearchableItems(items, completionHandler: $0) }
    }

    /// Deletes items by their identifiers.
    open func deleteSearchableItems(
        withIdentifiers identifiers: [String], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        change(completionHandler) { $0.remove(identifiers: identifiers) }
    }

    /// Deletes items by their identifiers.
    ///
    /// - Throws: ``CSIndexError``.
    open func deleteSearchableItems(withIdentifiers identifiers: [String]) async throws {
        try await waiting { self.deleteSearchableItems(withIdentifiers: identifiers, completionHandler: $0) }
    }

    /// Deletes the items of domains, and of domains whose names continue theirs after a full stop.
    open func deleteSearchableItems(
        withDomainIdentifiers domainIdentifiers: [String],
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        change(completionHandler) { $0.remove(domains: domainIdentifiers) }
    }

    /// Deletes the items of domains, and of domains whose names continue theirs after a full stop.
    ///
    /// - Throws: ``CSIndexError``.
    open func deleteSearchableItems(withDomainIdentifiers domainIdentifiers: [String]) async throws {
        try await waiting {
            self.deleteSearchableItems(withDomainIdentifiers: domainIdentifiers, completionHandler: $0)
        }
    }

    /// Deletes all items of this index, and its client state.
    open func deleteAllSearchableItems(completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        change(completionHandler) { $0.removeAll() }
    }

    /// Deletes all items of this index, and its client state.
    ///
    /// - Throws: ``CSIndexError``.
    open func deleteAllSearchableItems() async throws {
        try await waiting { self.deleteAllSearchableItems(completionHandler: $0) }
    }

    // MARK: Batches

    /// Begins a batch: changes that take effect at its end. Does nothing within a batch.
    open func beginBatch() {
        batch.withLock { batch in
            if batch == nil { batch = IndexChanges(wireName) }
        }
    }

    /// Ends the batch and keeps the state with which the program finds out after a crash how far it
    /// came: at most 250 bytes. When the handler gets no error, all of it is on disk.
    ///
    /// The state is stored in one step with the last changes of the batch, and only after all
    /// others. A batch of up to 500 items with 100,000 bytes is one step.
    open func endBatch(
        withClientState clientState: Data, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        end(clientState, nil, completionHandler)
    }

    /// Ends the batch, as ``endBatch(withClientState:completionHandler:)``.
    ///
    /// - Throws: ``CSIndexError``.
    open func endBatch(withClientState clientState: Data) async throws {
        try await waiting { self.endBatch(withClientState: clientState, completionHandler: $0) }
    }

    /// Ends the batch if the client state is still the expected one, which is empty for none.
    /// Otherwise nothing is changed and the error is `mismatchedClientState`. If another object
    /// changes the state while a batch of several steps ends, the earlier steps remain.
    open func endBatch(
        withExpectedClientState expectedClientState: Data?, newClientState: Data,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        end(newClientState, expectedClientState ?? Data(), completionHandler)
    }

    /// Ends the batch if the client state is still the expected one.
    ///
    /// - Throws: ``CSIndexError``.
    open func endBatch(withExpectedClientState expectedClientState: Data?, newClientState: Data) async throws {
        try await waiting {
            self.endBatch(
                withExpectedClientState: expectedClientState, newClientState: newClientState, completionHandler: $0)
        }
    }

    /// Passes the client state of the last batch to the handler; nil if there is none.
    open func fetchLastClientState(completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        let (socket, index) = (IndexService.socket, wireName)
        IndexService.enqueue {
            do throws(ClientError) {
                let parameters = GetIndexStateParameters(index: index)
                let state = try IndexService.call(IndexMethods.getState, parameters, at: socket).state
                IndexService.deliver { completionHandler(state.flatMap { Data(base64Encoded: $0) }, nil) }
            } catch {
                IndexService.deliver { completionHandler(nil, CSIndexError(reporting: error)) }
            }
        }
    }

    /// Returns the client state of the last batch; empty if there is none.
    ///
    /// - Throws: ``CSIndexError``.
    open func fetchLastClientState() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            fetchLastClientState { state, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(state ?? Data()))
            }
        }
    }

    // MARK: Calls

    private func end(_ state: Data, _ expected: Data?, _ handler: (@Sendable ((any Error)?) -> Void)?) {
        guard var changes = batch.withLock({ $0.take() }) else {
            handler?(CSIndexError(.unknownError, because: "no batch has begun: call beginBatch() first"))
            return
        }
        changes.end(with: state, expecting: expected)
        send(changes, handler)
    }

    /// Makes a change, or adds it to the batch.
    private func change(
        _ handler: (@Sendable ((any Error)?) -> Void)?, _ body: @Sendable (inout IndexChanges) -> Void
    ) {
        var changes = IndexChanges(wireName)
        body(&changes)
        let isInBatch = batch.withLock { [changes] batch in
            batch?.append(changes)
            return batch != nil
        }
        if isInBatch { handler?(nil) } else { send(changes, handler) }
    }

    private func send(_ changes: IndexChanges, _ handler: (@Sendable ((any Error)?) -> Void)?) {
        let socket = IndexService.socket
        do throws(CSIndexError) {
            if let failure = changes.failure { throw failure }
            try IndexService.enqueue(bytes: changes.bytes) {
                do throws(CSIndexError) {
                    try IndexService.change(changes.calls, at: socket)
                    IndexService.deliver { handler?(nil) }
                } catch {
                    IndexService.deliver { handler?(error) }
                }
            }
        } catch {
            IndexService.deliver { handler?(error) }
        }
    }

    private func waiting(_ begin: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            begin { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
        }
    }
}
