import DaemonSupport
import Glibc
import TestSupport
import Testing

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
    }
}
