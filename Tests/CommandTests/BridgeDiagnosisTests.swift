import CLinux
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import sextant

/// `sextant doctor bridges`.
@Suite struct BridgeDiagnosisTests {
    private static let healthy = BridgeObservations(
        port: .bridge, geoclue: .complete, chrony: .complete, chronyPath: "/run/chrony.sextant.sock")

    private static func wrong(_ change: (inout BridgeObservations) -> Void) -> Check? {
        var observations = healthy
        change(&observations)
        return BridgeDiagnosis(observations: observations).checks.first { $0.state == .wrong }
    }

    @Test func `bridges that work or are not enabled are no problem`() {
        #expect(BridgeDiagnosisTests.wrong { _ in } == nil)
        let disabled = BridgeDiagnosisTests.wrong {
            $0.port = .free
            $0.geoclue = .disabled
            $0.chrony = .disabled
        }
        #expect(disabled == nil)
    }

    @Test func `each fault has a command`() {
        let port = BridgeDiagnosisTests.wrong { $0.port = .other(release: "3.22") }
        #expect(port?.check == .gpsd && port?.command?.contains("disable --now gpsd.socket gpsd.service") == true)
        #expect(BridgeDiagnosisTests.wrong { $0.port = .unknown }?.command?.contains("2947") == true)
        #expect(BridgeDiagnosisTests.wrong { $0.geoclue = .notConfigured }?.check == .geoclue)
        #expect(BridgeDiagnosisTests.wrong { $0.geoclue = .withoutAgent }?.finding.contains("agent") == true)
        for state in [BridgeObservations.Chrony.missing, .denied, .unread, .offset] {
            let check = BridgeDiagnosisTests.wrong { $0.chrony = state }
            #expect(check?.check == .chrony && check?.command?.contains("restart chrony") == true)
        }
    }

    /// A listener that answers nobody.
    private final class Server {
        let port: UInt16
        private let listener: FileDescriptor

        init() throws {
            var address = linux_internet_address("127.0.0.1", 0)
            listener = FileDescriptor(owning: try systemCall("listening") { linux_tcp_listener(&address) })
            var bound = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let number = listener.number
            try withUnsafeMutableBytes(of: &bound) { bytes in
                let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                _ = try systemCall("finding the port") { getsockname(number, pointer, &length) }
            }
            port = UInt16(bigEndian: bound.sin_port)
        }
    }

    @Test func `a port without a program is free, and one that sends nothing is not gpsd's`() throws {
        let scratch = try Scratch()
        let free = try Server().port
        #expect(BridgeProbe(root: scratch.path, port: free).observe().port == .free)
        let server = try Server()
        #expect(BridgeProbe(root: scratch.path, port: server.port).observe().port == .unknown)
    }

    @Test func `a gpsd that starts is named before it answers`() throws {
        let scratch = try Scratch()
        for folder in ["proc", "proc/7"] { mkdir(scratch(folder), 0o755) }
        _ = try scratch.write("gpsd\n", to: "proc/7/comm")
        let server = try Server()
        #expect(BridgeProbe(root: scratch.path, port: server.port).observe().port == .other(release: nil))
        let observations = BridgeObservations(
            port: .other(release: nil), geoclue: .disabled, chrony: .disabled, chronyPath: "/run/c")
        let wrong = try #require(BridgeDiagnosis(observations: observations).checks.first { $0.state == .wrong })
        #expect(
            wrong.finding.contains("gpsd serves port 2947") && wrong.command?.contains("disable --now gpsd") == true)
    }

    @Test func `files of the system show whether GeoClue and chrony can work`() throws {
        let scratch = try Scratch()
        var probe = BridgeProbe(root: scratch.path, port: try Server().port)
        #expect(probe.observe().geoclue == .disabled && probe.observe().chrony == .disabled)
        for folder in ["run", "etc", "etc/geoclue", "etc/geoclue/conf.d", "proc", "proc/7"] {
            mkdir(scratch(folder), 0o755)
        }
        _ = try scratch.write("", to: "run/sextant-geoclue.sock")
        #expect(probe.observe().geoclue == .notConfigured)
        _ = try scratch.write(
            "[network-nmea]\nnmea-socket = /run/sextant-geoclue.sock\n", to: "etc/geoclue/conf.d/50-sextant.conf")
        _ = try scratch.write("bash\n", to: "proc/7/comm")
        #expect(probe.observe().geoclue == .withoutAgent)
        _ = try scratch.write("gnome-shell\n", to: "proc/7/comm")
        #expect(probe.observe().geoclue == .complete)
        probe.chronyPath = "/run/c"
        let path = scratch("run/c")
        do {
            let socket = FileDescriptor(
                owning: try systemCall("creating a socket") { linux_unix_datagram_socket() })
            let number = socket.number
            try systemCall("binding") { linux_unix_bind(number, path, path.utf8.count) }
            chmod(path, 0o777)
            #expect(probe.observe().chrony == .complete)
            for folder in ["etc/chrony", "etc/chrony/conf.d"] { mkdir(scratch(folder), 0o755) }
            let file = "etc/chrony/conf.d/sextant.conf"
            _ = try scratch.write("refclock SOCK /run/c refid GNSS offset 0.1\n", to: file)
            #expect(probe.observe().chrony == .offset)
            _ = try scratch.write("# offset\nrefclock SOCK /run/c refid GNSS delay 0.4\n", to: file)
            #expect(probe.observe().chrony == .complete)
        }
        #expect(probe.observe().chrony == .unread)
    }
}
