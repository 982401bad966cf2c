import Foundation
internal import VarlinkClient

/// The latest value of something that changes, and its readers.
final class Broadcast<Value: Sendable>: Sendable {
    /// The values of one reader. A reader that does not read keeps the newest 64.
    typealias Reader = AsyncThrowingStream<Value, any Error>

    private struct State {
        var latest: Value?
        var end: Result<Void, any Error>?
        var readers: [Int: Reader.Continuation] = [:]
        var lastReader = 0
    }

    private let state = Locked(State())
    /// Is held while values are passed to readers, so that all get them in the same order. The end
    /// of a reader does not take it.
    private let order = Locked(())

    var latest: Value? { state.withLock { $0.latest } }

    func send(_ value: Value) {
        order.withLock { _ in
            let readers = state.withLock { state in
                guard state.end == nil else { return [Reader.Continuation]() }
                state.latest = value
                return Array(state.readers.values)
            }
            for reader in readers { reader.yield(value) }
        }
    }

    /// Ends the values of the present readers with an error. Later ones begin with the next value.
    func fail(_ error: any Error) {
        let readers = state.withLock { state in
            state.latest = nil
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish(throwing: error) }
    }

    /// Ends the values of all readers, present and later ones.
    func finish(throwing error: (any Error)? = nil) {
        let readers = state.withLock { state in
            guard state.end == nil else { return [Reader.Continuation]() }
            state.end = error.map { .failure($0) } ?? .success(())
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish(throwing: error) }
    }

    /// Returns a reader, which begins with the latest value.
    func reader() -> Reader {
        Reader(bufferingPolicy: .bufferingNewest(64)) { continuation in
            order.withLock { _ in
                let present = state.withLock { state in
                    state.lastReader += 1
                    if state.end == nil { state.readers[state.lastReader] = continuation }
                    return state
                }
                switch present.end {
                case nil:
                    if let latest = present.latest { continuation.yield(latest) }
                    continuation.onTermination = { [weak self] _ in self?.remove(present.lastReader) }
                case .success?: continuation.finish()
                case .failure(let error)?: continuation.finish(throwing: error)
                }
            }
        }
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.readers.removeValue(forKey: number) }
    }
}
