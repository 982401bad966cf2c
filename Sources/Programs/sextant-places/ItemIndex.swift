import Chronology
import Geodesy
import Permission
import Places
import SQLite
import ServiceRuntime
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink

/// Answers the calls of `io.sextant.Index`.
final class ItemIndex {
    /// The length of an index's name in bytes, at most.
    private static let maxIndexName = 128

    private let store: IndexStore
    private let log: ProgramLog
    private var lastFailure: String?

    /// Creates the index in a state directory, whose file is opened at the first call.
    init(state: String, log: ProgramLog) {
        store = IndexStore(path: "\(state)/index.db")
        self.log = log
    }

    func answer(_ call: Call, from client: PlacesSession) throws {
        guard let program = client.program else { throw IndexFailure.unknownProgram }
        defer { if let damaged = store.takeMovedAside() { log.write("\(damaged)", priority: .error) } }
        switch call.member {
        case "Change":
            let parameters = try call.parameters(of: IndexMethods.change)
            let removed = try change(parameters, of: program)
            try client.connection.reply(to: IndexMethods.change, ChangeIndexReply(removed: removed))
        case "GetState":
            let index = try space(try call.parameters(of: IndexMethods.getState).index)
            let state = try attempt { () throws(StoreError) in
                try store.state(of: program.description, in: index, at: HostClock.utc)
            }
            try client.connection.reply(to: IndexMethods.getState, IndexStateReply(state: state.map(Base64.encode)))
        case "Search":
            let parameters = try call.parameters(of: IndexMethods.search)
            let search = try IndexSearch(parameters, in: try parameters.index.map(space), at: HostClock.utc)
            // User 0 reads the file anyway.
            let isForAll = parameters.allPrograms == true && program.user == 0
            let found = try attempt { () throws(StoreError) in
                try store.search(search, of: isForAll ? nil : program.description, at: HostClock.utc)
            }
            let items = found.items.map { FoundItem($0) }
            try client.connection.reply(
                to: IndexMethods.search, SearchIndexReply(items: items, next: found.next?.description))
        default: throw ServiceError.methodNotImplemented(method: call.method)
        }
    }

    /// Whether ``tidy()`` has something to do.
    var isUntidy: Bool { store.isUntidy }

    /// Does a part of what removals have left.
    func tidy() {
        guard store.isUntidy else { return }
        _ = try? attempt { () throws(StoreError) in try store.tidy(at: HostClock.utc) }
    }

    private func change(_ parameters: ChangeIndexParameters, of program: ProgramID) throws -> Int {
        let index = try space(parameters.index)
        var change = IndexChange()
        change.removesAll = parameters.all ?? false
        change.domains = try ItemIndex.limited(parameters.domains, "domains")
        change.identifiers = try ItemIndex.limited(parameters.identifiers, "identifiers")
        for (number, message) in try ItemIndex.limited(parameters.items, "items").enumerated() {
            change.items.append(try message.item(at: number))
        }
        change.state = try ItemIndex.state(parameters.state, "state")
        change.expectedState = try ItemIndex.state(parameters.expectedState, "expectedState")
        do throws(IndexStore.Refusal) {
            return try store.apply(
                change, to: index, of: program.description, user: program.user, at: HostClock.utc)
        } catch {
            switch error {
            case .tooManyItems(let limit): throw IndexFailure.tooManyItems(limit: limit)
            case .tooMuchData(let limit): throw IndexFailure.tooMuchData(limit: limit)
            case .tooManyStates(let limit): throw IndexFailure.tooManyStates(limit: limit)
            case .stateMismatch: throw IndexFailure.stateMismatch
            case .failed(let reason): throw failure(reason)
            }
        }
    }

    private static func limited<Value>(_ values: [Value]?, _ name: String) throws(ServiceError) -> [Value] {
        let values = values ?? []
        guard values.count <= IndexLimits.inCall else { throw .invalidParameter(parameter: name) }
        return values
    }

    private static func state(_ text: String?, _ name: String) throws(ServiceError) -> [UInt8]? {
        guard let text else { return nil }
        guard let bytes = Base64.decode(text), bytes.count <= IndexLimits.state else {
            throw .invalidParameter(parameter: name)
        }
        return bytes
    }

    private func space(_ index: String?) throws(ServiceError) -> String {
        guard let index else { return IndexStore.defaultIndex }
        guard (1...ItemIndex.maxIndexName).contains(index.utf8.count) else {
            throw .invalidParameter(parameter: "index")
        }
        return index
    }

    private func attempt<Value>(_ body: () throws(StoreError) -> Value) throws(IndexFailure) -> Value {
        do throws(StoreError) { return try body() } catch { throw failure(error) }
    }

    /// The error for the client. Each failure is logged once.
    private func failure(_ error: StoreError) -> IndexFailure {
        let reason = "\(error)"
        if reason != lastFailure { log.write(reason, priority: .error) }
        lastFailure = reason
        return .indexUnusable(reason: reason)
    }
}

extension IndexSearch {
    /// The number of items in a reply, at most.
    private static let maxLimit = 50

    /// The search that the parameters of a call state.
    fileprivate init(_ parameters: SearchIndexParameters, in space: String?, at now: UTCTime) throws {
        self.init()
        self.space = space
        if let text = parameters.text {
            words = PlaceQuery.words(of: text.prefix(PlaceQuery.maxLength))
            guard text.utf8.count <= PlaceQuery.maxLength, (1...PlaceQuery.maxWords).contains(words.count) else {
                throw IndexFailure.invalidText(reason: "the text must have 1 to 8 words, and 256 bytes at most")
            }
        }
        do throws(IndexQuery.Invalid) {
            if let text = parameters.query { query = try IndexQuery(text, at: now) }
        } catch {
            throw IndexFailure.invalidQuery(reason: error.description)
        }
        if let point = parameters.near {
            guard let near = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
                throw ServiceError.invalidParameter(parameter: "near")
            }
            self.near = near
        }
        if let radius = parameters.radius {
            guard radius > 0, near != nil else { throw ServiceError.invalidParameter(parameter: "radius") }
            self.radius = radius
        }
        if let limit = parameters.limit {
            guard (1...IndexSearch.maxLimit).contains(limit) else {
                throw ServiceError.invalidParameter(parameter: "limit")
            }
            self.limit = limit
        }
        if let text = parameters.after {
            guard let cursor = Cursor(text) else { throw ServiceError.invalidParameter(parameter: "after") }
            after = cursor
        }
        hasThumbnails = parameters.thumbnails ?? false
    }
}
