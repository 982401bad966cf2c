internal import Dispatch
import Foundation
internal import SextantServiceAPI
internal import SystemCalls
internal import Varlink
internal import VarlinkClient

/// The service of the index as this module calls it.
enum IndexService {
    @TaskLocal static var socketOfTest: String?

    /// Where the service is: beside the daemon.
    static var socket: String { socketOfTest ?? ServiceSocket.places(beside: ServiceSocket.named) }

    /// How long a call waits for its answer. It includes the start of the service.
    private static let timeout = Duration.seconds(10)
    /// How often a call is made if the service ends meanwhile, and the seconds between two
    /// attempts.
    private static let attempts = 3
    private static let pause: TimeInterval = 0.1

    /// All calls of the process, in the order in which they were made: what was indexed is found.
    private static let queue = DispatchQueue(label: "io.sextant.CoreSpotlight")

    /// The handlers of programs, one after the other: they delay no call.
    private static let handlers = DispatchQueue(label: "io.sextant.CoreSpotlight.handlers")
    /// The number of bytes of changes that wait for the queue, and how many may wait.
    private static let waiting = Locked(0)
    static let maxWaiting = 64 << 20

    /// Performs calls after those that were made before.
    static func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Performs calls with a number of bytes after those that were made before.
    ///
    /// - Throws: `quotaExceeded` if too many wait.
    static func enqueue(bytes: Int, _ body: @escaping @Sendable () -> Void) throws(CSIndexError) {
        let fits = waiting.withLock { waiting in
            guard waiting + bytes <= maxWaiting else { return false }
            waiting += bytes
            return true
        }
        guard fits else {
            throw CSIndexError(
                .quotaExceeded, because: "changes of more than \(maxWaiting >> 20) MiB wait: wait for the handlers")
        }
        enqueue {
            body()
            waiting.withLock { $0 -= bytes }
        }
    }

    /// Calls a handler of the program on another thread.
    static func deliver(_ handler: @escaping @Sendable () -> Void) { handlers.async(execute: handler) }

    /// Calls a method and blocks the queue until its reply. A call that changes nothing the second
    /// time is made again if the service ends before its answer.
    static func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ parameters: Parameters, at socket: String, isRepeatable: Bool = true
    ) throws(ClientError) -> Reply {
        var remaining = isRepeatable ? attempts : 1
        while true {
            do throws(ClientError) {
                let client = try BlockingClient.connect(path: socket, timeout: timeout)
                return try client.call(method, with: parameters, timeout: timeout)
            } catch {
                remaining -= 1
                guard remaining > 0, error.isEndOfService else { throw error }
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }

    /// Makes the changes of an index, one after the other. The first failure ends them.
    static func change(_ calls: [ChangeIndexParameters], at socket: String) throws(CSIndexError) {
        for parameters in calls {
            do throws(ClientError) {
                let isRepeatable = parameters.expectedState == nil
                _ = try call(IndexMethods.change, parameters, at: socket, isRepeatable: isRepeatable)
            } catch {
                throw CSIndexError(reporting: error, of: parameters)
            }
        }
    }
}

extension ClientError {
    /// Whether the service may answer the same call after its start.
    fileprivate var isEndOfService: Bool {
        switch self {
        case .connecting(_, let code): code == ECONNREFUSED || code == ENOENT
        case .transport, .disconnected: true
        case .protocolFailure(_, .disconnected): true
        default: false
        }
    }
}

/// Changes of an index in their order, in as few calls as possible.
struct IndexChanges: Sendable {
    /// The number of bytes of items or names in a call, at most.
    private static let maxBytes = 100_000

    private(set) var calls: [ChangeIndexParameters] = []
    /// The number of bytes of all calls.
    private(set) var bytes = 0
    /// Why they are not made: an item is too large for a message, or a batch for a program.
    private(set) var failure: CSIndexError?
    private let index: String?
    /// The number of bytes of the last call.
    private var lastBytes = 0

    /// Creates changes of an index; nil is the default one.
    init(_ index: String?) { self.index = index }

    /// Adds items, or replaces those with the same identifiers.
    mutating func add(_ items: [IndexItem]) {
        for item in items {
            let size = EncodedObject(item).bytes.count
            guard size <= Self.maxBytes else {
                let reason = "it has \(size) bytes, at most \(Self.maxBytes) are possible"
                fail(.invalidItemError, "the item \(item.identifier) is not indexed: \(reason)")
                return
            }
            // Items come after what the same call removes.
            if calls.last?.items == nil || isFull(calls.last?.items?.count, size) {
                begin()
                calls[calls.count - 1].items = []
            }
            calls[calls.count - 1].items?.append(item)
            count(size)
        }
    }

    mutating func remove(identifiers: [String]) { remove(identifiers, \.identifiers) }

    mutating func remove(domains: [String]) { remove(domains, \.domains) }

    /// Removes all items and the state.
    mutating func removeAll() {
        (calls, bytes) = ([], 0)
        begin()
        calls[0].all = true
    }

    /// Sets the state after the other changes. Each of them needs the expected one, which is empty
    /// after a call that removes all.
    mutating func end(with state: Data, expecting expected: Data? = nil) {
        if calls.isEmpty { begin() }
        calls[calls.count - 1].state = state.base64EncodedString()
        guard let expected else { return }
        let isEmptied = calls[0].all == true
        for number in calls.indices {
            calls[number].expectedState = number > 0 && isEmptied ? "" : expected.base64EncodedString()
        }
    }

    /// Adds the changes of another value for the same index. After a failure there are no changes.
    mutating func append(_ other: IndexChanges) {
        failure = failure ?? other.failure
        for call in other.calls {
            if call.all == true { removeAll() }
            add(call.items ?? [])
            remove(identifiers: call.identifiers ?? [])
            remove(domains: call.domains ?? [])
        }
        if calls.reduce(0, { $0 + ($1.items?.count ?? 1) }) > IndexLimits.items || bytes > IndexService.maxWaiting {
            fail(.quotaExceeded, "the batch has more items than a program may have")
        }
        if failure != nil { (calls, bytes) = ([], 0) }
    }

    private mutating func remove(_ names: [String], _ member: WritableKeyPath<ChangeIndexParameters, [String]?>) {
        for name in names where !name.isEmpty {
            let size = JSONValue.string(name).bytes.count + 1
            // No item has a name that is so long.
            guard size <= Self.maxBytes else { continue }
            if calls.last?[keyPath: member] == nil || isFull(calls.last?[keyPath: member]?.count, size) {
                begin()
                calls[calls.count - 1][keyPath: member] = []
            }
            calls[calls.count - 1][keyPath: member]?.append(name)
            count(size)
        }
    }

    private func isFull(_ count: Int?, _ size: Int) -> Bool {
        count == IndexLimits.inCall || lastBytes + size > Self.maxBytes
    }

    private mutating func begin() {
        calls.append(ChangeIndexParameters(index: index))
        lastBytes = 0
    }

    private mutating func count(_ size: Int) {
        bytes += size
        lastBytes += size
    }

    private mutating func fail(_ code: CSIndexError.Code, _ reason: String) {
        failure = failure ?? CSIndexError(code, because: reason)
        (calls, bytes) = ([], 0)
    }
}
