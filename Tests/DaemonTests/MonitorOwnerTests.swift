import Systemd
import Testing

@testable import sextantd

@Suite struct MonitorOwnerTests {
    private func owner(unit: String? = nil, userUnit: String? = nil, _ executable: String? = nil) -> String {
        MonitorOwner(PeerCredentials(user: 1000, group: 1000, process: 1, unit: unit, userUnit: userUnit), executable: executable)
            .description
    }

    @Test func aServiceIsTheProgramWhateverItRuns() {
        #expect(owner(unit: "navigator.service", "/usr/bin/python3") == "1000:navigator.service")
        #expect(owner(unit: "user@1000.service", userUnit: "map.service", "/usr/bin/map") == "1000:user:map.service")
    }

    @Test func aLoginsScopeIsNot() {
        #expect(owner(unit: "session-3.scope", "/usr/bin/sextant") == "1000:/usr/bin/sextant")
        #expect(owner(unit: "user@1000.service", userUnit: "app-term-12.scope", "/usr/bin/sextant") == "1000:/usr/bin/sextant")
        #expect(owner("/usr/bin/sextant") == "1000:/usr/bin/sextant")
        #expect(owner() == "1000")
    }

    @Test func whatIsWrittenIsReadAgain() {
        for text in ["0:a.service", "1000:/usr/bin/x", "1000"] { #expect(MonitorOwner(text)?.description == text) }
        #expect(MonitorOwner("1000:/usr/bin/x")?.user == 1000)
        for text in ["", "a", ":x", "-1:x", "99999999999"] { #expect(MonitorOwner(text) == nil, "\(text)") }
    }
}
