import Chronology
import Glibc
import TestSupport
import Testing

@testable import Fleet

@Suite struct NetworkTests {
    private static let header =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func ipv4(_ name: String, metric: Int = 0, flags: String = "0003", to: String = "00000000") -> String
    {
        let mask = to == "00000000" ? "00000000" : "00FFFFFF"
        return "\(name)\t\(to)\t010200C0\t\(flags)\t0\t0\t\(metric)\t\(mask)\t0\t0\t0   \n"
    }

    private static func ipv6(_ name: String, metric: String = "00000400", flags: String = "00450003") -> String {
        let zeros = String(repeating: "0", count: 32)
        return
            "\(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 \(metric) 00000001 00000000 \(flags)  \(name)\n"
    }

    @Test func `the default route is that with the lowest metric`() {
        let table =
            NetworkTests.header + NetworkTests.ipv4("wlan0", metric: 600) + NetworkTests.ipv4("wwan0", metric: 700)
            + NetworkTests.ipv4("eth0", to: "000200C0") + NetworkTests.ipv4("eth1", flags: "0200")
        #expect(DefaultRoute(ipv4: table, ipv6: NetworkTests.ipv6("eth2"))?.interface == "wlan0")
    }

    /// As on mobile networks without IPv4; the kernel rejects what has no route by one on `lo`.
    @Test func `IPv6 has a default route too`() {
        let table =
            NetworkTests.ipv6("lo", metric: "ffffffff", flags: "00200200")
            + NetworkTests.ipv6("eth0", metric: "00000500")
            + NetworkTests.ipv6("wwan0")
        #expect(DefaultRoute(ipv4: NetworkTests.header, ipv6: table)?.interface == "wwan0")
    }

    @Test(arguments: ["", "x", "\t\t\t\t\t\t\t", "a 0 0 zz 0 0 0 0", NetworkTests.ipv4("eth0", flags: "0200")])
    func `other files have none`(text: String) {
        #expect(DefaultRoute(ipv4: NetworkTests.header + text, ipv6: text) == nil)
    }

    @Test(arguments: [
        ("DEVTYPE=wlan\nINTERFACE=wlan0\nIFINDEX=3\n", NetworkKind.wifi), ("INTERFACE=wwan0\nDEVTYPE=wwan\n", .mobile),
        ("DEVTYPE=ppp\n", .mobile), ("INTERFACE=eth0\nIFINDEX=2\n", nil), ("DEVTYPE=bridge\n", nil), ("", nil),
    ])
    func `the type of the interface decides`(uevent: String, kind: NetworkKind?) {
        #expect(NetworkKind(uevent: uevent) == kind)
    }

    @Test func `the network of the device is read, at most once a minute`() throws {
        mkdir(scratch("wlan0"), 0o755)
        try scratch.write("DEVTYPE=wlan\n", to: "wlan0/uevent")
        try scratch.write(NetworkTests.header + NetworkTests.ipv4("wlan0"), to: "route")
        let reader = NetworkReader(routes: scratch.path, interfaces: scratch.path)
        #expect(reader.kind(at: .zero) == .wifi)
        try scratch.write(NetworkTests.header, to: "route")
        #expect(reader.kind(at: .zero + .seconds(59)) == .wifi)
        #expect(reader.kind(at: .zero + .seconds(60)) == nil)
    }
}
