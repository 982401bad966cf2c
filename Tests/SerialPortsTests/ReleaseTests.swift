import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SerialPorts

/// Tests that what the kernel and the C libraries give is given back.
@Suite struct ReleaseTests {
    /// A process of its own has no other tests that use memory.
    @Test func `repeated calls keep no descriptor, and no memory but the allocator`() async {
        await #expect(processExitsWith: .success) {
            let calls: [(name: String, count: Int, body: () -> Void)] = [
                ("names in a directory", 100, { _ = try? Directory.names(in: "/") }),
                ("a line of a file", 100, { _ = SystemFile.firstLine(of: "/proc/self/comm") }),
                ("the ID of a user", 100, { _ = LocalUser.id(named: "nobody") }),
                ("all devices", 60, { _ = DeviceEnumerator.present(initializedOnly: false) }),
                ("one device", 20000, { _ = DeviceEnumerator.describe("/dev/null") }),
                ("a monitor", 20000, { _ = try? UdevMonitor(initializedOnly: false) }),
            ]
            let scratch = try Scratch()
            _ = try ReleaseTests.usedMemory(scratch)
            for call in calls {
                for _ in 0..<20 { call.body() }
                let (memory, files) = (try ReleaseTests.usedMemory(scratch), ReleaseTests.openFiles())
                for _ in 0..<call.count { call.body() }
                #expect(memory > 0)
                #expect(ReleaseTests.openFiles() == files, "\(call.name)")
                // The allocator keeps up to 240 kB of small blocks, which count as used.
                let more = try ReleaseTests.usedMemory(scratch) - memory
                #expect(more < 300_000, "\(call.name): \(more) bytes")
            }
        }
    }

    private static func openFiles() -> Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }

    /// The bytes of the heap that are in use. The interface of C that returns them is not imported.
    private static func usedMemory(_ scratch: Scratch) throws -> Int {
        typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        let report = unsafeBitCast(try #require(dlsym(nil, "malloc_info")), to: Report.self)
        let file = try #require(fopen(scratch("memory"), "w"))
        _ = report(0, file)
        fclose(file)
        let totals = Scratch.text(of: scratch("memory")).components("</heap>").last ?? ""
        func size(_ name: String) -> Int {
            Int(
                totals.components("type=\"\(name)\"").dropFirst().first?.components("size=\"").dropFirst().first?.prefix
                { $0 != "\"" } ?? "") ?? 0
        }
        return size("current") - size("fast") - size("rest")
    }
}

extension StringProtocol {
    fileprivate func components(_ separator: String) -> [Substring] {
        Substring(self).split(separator: separator, omittingEmptySubsequences: false)
    }
}
