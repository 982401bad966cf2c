import Chronology
import Glibc
import Logging
import ServiceRuntime
import TestSupport
import Testing

@testable import sextantd

/// Tests of the search for receivers without udev, as in a container.
@Suite struct DiscoveryTests {
    @Test(.disabled(if: access("/run/udev/control", F_OK) == 0, "udev runs here"))
    func `without udev receivers are searched for at once and every five seconds`() throws {
        let scratch = try Scratch()
        var settings = Settings()
        settings.state = scratch.path
        settings.discover = true
        let context = try ServiceContext(settings, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let services = DaemonServices(context)
        let manager = PortManager(
            loop: context.loop, log: context.log, stateDirectory: scratch.path, receivers: services.receivers)
        var now = context.loop.now
        manager.apply(settings, at: now)
        #expect(manager.deadline == now)
        for _ in 0..<3 {
            manager.tick(at: now)
            let (deadline, next) = (try #require(manager.deadline), now + .seconds(5))
            // A port that was found has deadlines of its own.
            #expect(manager.ports.isEmpty ? deadline == next : deadline > now && deadline <= next)
            now = now + .seconds(5)
        }
        settings.discover = false
        manager.apply(settings, at: now)
        #expect(manager.deadline == nil)
        withExtendedLifetime(services) {}
    }
}
