import Chronology
import DaemonSupport
import SextantAPI
import Synchronization
import Testing
import Varlink

@testable import CoreLocation
@testable import VarlinkClient

extension Behaviour {
    @Suite struct SessionCallTests {
        @Test func `a session whose first call had no descriptor calls again later`() async throws {
            let script = try Script()
            try await withModule(at: script.service.path) {
                let transport = DaemonConnection.transport
                let count = Mutex(0)
                let calls = SessionDeclaration.Calls(after: .milliseconds(5)) {
                    let call = transport.stream("io.sextant.Session.Declare", delivery: .all, persists: true)
                    let isFirst = count.withLock { count in
                        count += 1
                        return count == 1
                    }
                    if isFirst { call.queue.finish(.noResources(reason: "too many open files")) }
                    return call
                }
                let diagnostics = Broadcast<PermissionFlags>()
                let task = SessionDeclaration.read(calls, into: diagnostics) { $0 }
                defer { task.cancel() }
                // The connection of the first call, and that of the second.
                _ = try await script.accept("Declare")
                let (connection, _) = try await script.accept("Declare")
                try await connection.send(["diagnostics": ["insufficientlyInUse": true]])
                var reader = diagnostics.reader().makeAsyncIterator()
                #expect(try await reader.next() == .insufficientlyInUse)
                #expect(count.withLock { $0 } == 2)
            }
        }
    }
}
