import Chronology
import DaemonSupport
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import sextantd

@Suite struct AnnouncedSuspensionTests {
    @Test func `a suspension whose end is not announced ends after 30 s in which the host runs`() {
        var suspension = AnnouncedSuspension(at: .zero, uptime: .seconds(100))
        #expect(suspension.deadline == .zero + .seconds(3))
        suspension.isDelayed = false
        #expect(suspension.deadline == .zero + .seconds(33))
        // The host was suspended for an hour, and has run for 5 s.
        let later = Instant.zero + .seconds(3605)
        let early = suspension.hasFailed(at: later, uptime: .seconds(105))
        #expect(!early && suspension.deadline == later + .seconds(28))
        let hasFailed = suspension.hasFailed(at: suspension.deadline, uptime: .seconds(133))
        #expect(hasFailed)
    }
}

@Suite struct UnannouncedEndTests {
    @Test func `receivers wake if the host has run for 33 s since an announcement`() throws {
        let (scratch, recorder) = (try Scratch(), LogRecorder())
        var settings = Settings()
        settings.state = scratch.path
        let context = try ServiceContext(settings, log: recorder.log)
        let services = DaemonServices(context)
        let service = SuspendService(context, receivers: services.receivers)
        var now = context.loop.now
        service.uptime = { .seconds(100) }
        service.suspend(at: now)
        service.endTurn(at: now)
        for (uptime, ends) in [(105.0, 0), (132, 0), (133, 1)] {
            now = try #require(service.deadline)
            service.uptime = { .seconds(uptime) }
            service.endTurn(at: now)
            #expect(recorder.count("the suspension was not announced") == ends)
        }
        #expect(service.deadline == nil)
    }
}

extension WholeDaemon {
    /// The suspension of the host, with a simulated logind.
    @Suite(.enabled(if: MessageBus.isPossible, "python3-dbusmock is not installed"))
    struct Suspension {
        private static let logind = "org.freedesktop.login1"
        private static let manager = "/org/freedesktop/login1"

        private func locks(_ bus: MessageBus) throws -> String {
            try bus.busctl("call", Self.logind, Self.manager, "\(Self.logind).Manager", "ListInhibitors")
        }

        private func prepare(_ bus: MessageBus, _ begins: Bool) throws {
            try bus.busctl(
                "call", Self.logind, Self.manager, "org.freedesktop.DBus.Mock", "EmitSignal", "sssav",
                "\(Self.logind).Manager", "PrepareForSleep", "b", "1", "b", begins ? "true" : "false")
        }

        @Test func `the suspension is delayed until the receivers know, and ports are opened again after it`() throws {
            let scratch = try Scratch()
            let bus = try MessageBus(scratch)
            let logind = try bus.simulate("logind", as: Self.logind, at: Self.manager)
            let port = try VirtualPort(scratch("gps"))
            let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
            try TestDaemon.run(devices: [port.link], environment: environment, scratch: scratch) { daemon in
                let lock = #""sleep" "sextantd" "putting receivers to sleep" "delay""#
                try waitUntil("the lock") { try locks(bus).contains(lock) }
                try daemon.waitForReceiver("detectingBaudRate")
                for round in 1...2 {
                    var drive = Drive()
                    try port.send(drive.next(3))
                    try daemon.waitForReceiver("hasFix", "asleep")
                    try prepare(bus, true)
                    try waitUntil("the lock is released") { try !locks(bus).contains(lock) }
                    try prepare(bus, false)
                    try waitUntil("the next lock") { try locks(bus).contains(lock) }
                    #expect(daemon.logged("the host was suspended until now") == round)
                    try daemon.waitForReceiver("detectingBaudRate", "silent", "asleep")
                }
            }
            logind.destroy()
        }

        @Test func `receivers do not sleep for good if logind or the bus ends, and the lock is taken again`() throws {
            let scratch = try Scratch()
            let bus = try MessageBus(scratch)
            try TestDaemon.run(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], scratch: scratch) { daemon in
                // The daemon may start first.
                var logind = try bus.simulate("logind", as: Self.logind, at: Self.manager)
                for round in 1...2 {
                    try waitUntil("the lock") { try locks(bus).contains("sextantd") }
                    try prepare(bus, true)
                    try waitUntil("the announcement") { daemon.logged("is about to be suspended") == round }
                    logind.destroy()
                    if round == 2 { try bus.restart() }
                    try waitUntil("the end") { daemon.logged("the suspension was not announced") == round }
                    logind = try bus.simulate("logind", as: Self.logind, at: Self.manager)
                }
                try waitUntil("the lock on the next bus") { try locks(bus).contains("sextantd") }
                #expect(daemon.logged("the message bus has ended") == 1)
                logind.destroy()
            }
        }

        @Test func `a lock that is refused is logged once, and announcements count all the same`() throws {
            let scratch = try Scratch()
            let bus = try MessageBus(scratch)
            let logind = try bus.simulate("logind", as: Self.logind, at: Self.manager)
            try bus.busctl(
                "call", Self.logind, Self.manager, "org.freedesktop.DBus.Mock", "AddMethod", "sssss",
                "\(Self.logind).Manager", "Inhibit", "ssss", "h", "raise dbus.exceptions.DBusException('no')")
            try TestDaemon.run(environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], scratch: scratch) { daemon in
                try waitUntil("the refusal") { daemon.logged("may stay awake while the host is suspended: no") == 1 }
                for round in 1...2 {
                    try prepare(bus, true)
                    try prepare(bus, false)
                    try waitUntil("the end") { daemon.logged("the host was suspended until now") == round }
                }
                #expect(daemon.logged("may stay awake") == 1)
            }
            logind.destroy()
        }
    }
}
