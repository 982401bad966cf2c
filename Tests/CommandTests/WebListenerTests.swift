import Testing

@testable import sextant

@Suite struct WebListenerTests {
    private static func reach(_ addresses: String..., state: String = "0A") -> WebListener {
        let lines = addresses.enumerated().map {
            "   \($0): \($1) 00000000:0000 \(state) 00000000:00000000 00:00000000 0"
        }
        return WebListener.reach(
            ofPort: 8947, in: Array((["  sl  local_address"] + lines).joined(separator: "\n").utf8))
    }

    @Test func `the table of sockets tells who reaches a port`() {
        #expect(WebListenerTests.reach() == .none && WebListenerTests.reach("0100007F:0050") == .none)
        #expect(WebListenerTests.reach("0100007F:22F3") == .machine)
        #expect(WebListenerTests.reach("00000000000000000000000001000000:22F3") == .machine)
        #expect(WebListenerTests.reach("0100007F:22F3", "00000000:22F3") == .network)
        #expect(WebListenerTests.reach("00000000:22F3", state: "01") == .none)
        #expect(WebListenerTests.reach("broken", "0100007F:x") == .none)
    }
}
