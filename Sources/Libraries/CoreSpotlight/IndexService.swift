internal import Dispatch
import Foundation
internal import SextantAPI
internal import SystemCalls
internal import Varlink
internal import VarlinkClient

/// The service of the index as this module calls it.
enum IndexService {
    /// The socket of a test and of the tasks that it starts.
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

    /// Performs calls after those that were made before.
    static func enqueue(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

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
    /// The number of items or names in a call, and of bytes of items, at most.
    private static let maxInCall = 500
    private static let maxBytes = 100_000
    /// The number of items of a program, at most.
    private static let maxItems = 20_000

    private(set) var calls: [ChangeIndexParameters] = []
    /// Whether a batch has more items than a program may have.
    private(set) var isTooLarge = false
    private let index: String?
    private var bytes = 0

    /// Creates changes of an index; nil is the default one.
    init(_ index: String?) { self.index = index }

    /// Adds items, or replaces those with the same identifiers.
    mutating func add(_ items: [IndexItem]) {
        for item in items {
            let size = EncodedObject(item).bytes.count
            if calls.isEmpty || bytes + size > Self.maxBytes || calls[calls.count - 1].items?.count == Self.maxInCall {
                begin()
                calls[calls.count - 1].items = []
            }
            calls[calls.count - 1].items?.append(item)
            bytes += size
        }
    }

    /// Removes items by their identifiers.
    mutating func remove(identifiers: [String]) { remove(identifiers) { $0.identifiers = $1 } }

    /// Removes the items of domains and of those in them.
    mutating func remove(domains: [String]) { remove(domains) { $0.domains = $1 } }

    /// Removes all items and the state.
    mutating func removeAll() {
        calls = []
        begin()
        calls[0].all = true
    }

    /// Sets the state after the other changes. Each of them needs the expected one.
    mutating func end(with state: Data, expecting expected: Data? = nil) {
        if calls.isEmpty { begin() }
        calls[calls.count - 1].state = state.base64EncodedString()
        guard let expected else { return }
        for number in calls.indices { calls[number].expectedState = expected.base64EncodedString() }
    }

    /// Adds the changes of another value for the same index. Beyond the limit of a program, all
    /// changes are dropped and ``isTooLarge`` is set.
    mutating func append(_ other: IndexChanges) {
        for call in other.calls {
            if call.all == true { calls = [] }
            if let items = call.items {
                add(items)
            } else {
                calls.append(call)
                bytes = Self.maxBytes
            }
        }
        let count = calls.reduce(0) { $0 + ($1.items?.count ?? 1) }
        if count > Self.maxItems { isTooLarge = true }
        if isTooLarge { calls = [] }
    }

    private mutating func remove(_ names: [String], _ set: (inout ChangeIndexParameters, [String]) -> Void) {
        for start in stride(from: 0, to: names.count, by: Self.maxInCall) {
            begin()
            set(&calls[calls.count - 1], Array(names[start...].prefix(Self.maxInCall)))
        }
        // Items come after what is removed.
        bytes = Self.maxBytes
    }

    private mutating func begin() {
        calls.append(ChangeIndexParameters(index: index))
        bytes = 0
    }
}
