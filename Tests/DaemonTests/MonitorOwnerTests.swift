import Systemd
import Testing

@testable import sextantd

@Suite struct MonitorOwnerTests {
    private func owner(unit: String? = nil, userUnit: String? = nil) -> String {
        MonitorOwner(of: PeerCredentials(user: 1000, group: 1000, process: 1, unit: unit, userUnit: userUnit)).description
    }

    @Test func aServiceIsTheProgramWhateverItRuns() {
        #expect(owner(unit: "navigator.service") == "1000:navigator.service")
        #expect(owner(unit: "user@1000.service", userUnit: "map.service") == "1000:user:map.service")
    }

    @Test func aLoginsScopeIsNot() {
        #expect(owner(unit: "session-3.scope") == "1000")
        #expect(owner(unit: "user@1000.service", userUnit: "app-term-12.scope") == "1000")
        #expect(owner() == "1000")
    }

    @Test func whatIsWrittenIsReadAgain() {
        for text in ["0:a.service", "1000:user:x.service", "1000"] { #expect(MonitorOwner(text)?.description == text) }
        #expect(MonitorOwner("1000:user:x.service")?.user == 1000)
        for text in ["", "a", ":x", "-1:x", "99999999999"] { #expect(MonitorOwner(text) == nil, "\(text)") }
    }
}
