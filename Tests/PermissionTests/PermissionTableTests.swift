import Chronology
import Permission
import Testing

@Suite struct PermissionTableTests {
    private let map = PermissionStage.map

    @Test func `a decision reaches an open stream and a later one too`() {
        let stage = PermissionStage()
        #expect(stage.beginRequest(of: map).allowsFullLocation)
        stage.decide(PermissionStage.decision(.denied), about: map)
        #expect(stage.changes().map(\.flags) == [.authorizationDenied])
        stage.decide(PermissionStage.decision(.always, accuracy: .reduced), about: map)
        #expect(stage.changes().map(\.flags) == [.accuracyLimited])
        stage.decide(nil, about: map)
        #expect(stage.changes().map(\.allowsFullLocation) == [true])
    }

    @Test func `the switch stops all programs and names who used it`() {
        let stage = PermissionStage()
        _ = stage.beginRequest(of: map)
        _ = stage.table.follow(PermissionStage.navigator)
        stage.table.set(LocationSwitch(isOn: false, user: 1000, date: PermissionStage.date))
        #expect(stage.changes().count == 2)
        let verdict = stage.table.verdict(of: map)
        #expect(verdict.flags == [.authorizationDenied, .authorizationDeniedGlobally])
        #expect(verdict.basis == .locationSwitch(user: 1000))
        stage.table.set(LocationSwitch(isOn: true, user: 1000, date: PermissionStage.date))
        #expect(stage.changes().count == 2)
    }

    @Test func `decisions that cannot be read stop all programs, and are not called switched off`() {
        let stage = PermissionStage()
        _ = stage.beginRequest(of: map)
        stage.table.restore(
            [:], locationSwitch: LocationSwitch(isOn: false, failure: "the disk failed; replace it"), at: .zero)
        #expect(stage.changes().map(\.flags) == [.authorizationDenied])
        let verdict = stage.table.verdict(of: map)
        #expect(!verdict.allowsLocation && verdict.authorization == .denied)
        #expect(verdict.detail(for: map)?.contains("cannot be read: the disk failed; replace it") == true)
        #expect(verdict.detail(for: map)?.contains("switched off") == false)
        stage.table.restore([:], locationSwitch: LocationSwitch(), at: .zero)
        #expect(stage.changes().map(\.allowsFullLocation) == [true])
    }

    @Test func `whenInUse follows the presence of the user`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([])
        #expect(stage.beginRequest(of: map).flags == .insufficientlyInUse)
        stage.table.setActiveUsers([1000])
        #expect(stage.changes().map(\.flags) == [[]])
        stage.table.setActiveUsers([1001])
        #expect(stage.changes().map(\.flags) == [.insufficientlyInUse])
        stage.table.setActiveUsers([1001])
        #expect(stage.drain().isEmpty)
    }

    @Test func `without logind the configuration decides whether programs are in use`() {
        #expect(PermissionStage(.whenInUse).table.verdict(of: map).allowsLocation)
        let stage = PermissionStage(.whenInUse) { $0.isInUseWithoutLogind = false }
        #expect(stage.table.verdict(of: map).flags == .insufficientlyInUse)
    }

    @Test func `an administrator may declare a service in use`() {
        let stage = PermissionStage(.whenInUse) { policy in
            policy.grants = [
                PermissionStage.rule {
                    $0.unit = "navigator.service"; $0.isInUse = true
                }
            ]
        }
        stage.table.setActiveUsers([])
        #expect(stage.table.verdict(of: PermissionStage.navigator).allowsLocation)
        #expect(!stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `a rule takes a program out of use although its user is logged in, and a lease overrules it`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([1000])
        #expect(stage.beginRequest(of: map).allowsLocation)
        func apply(isInUse: Bool?) {
            var policy = stage.table.rules
            policy.grants = [
                PermissionStage.rule {
                    $0.application = "org.example.Map"; $0.isInUse = isInUse
                }
            ]
            stage.table.apply(policy)
        }
        apply(isInUse: false)
        #expect(stage.changes().map(\.flags) == [.insufficientlyInUse])
        #expect(stage.table.verdict(of: map).detail(for: map)?.contains("in_use = false") == true)
        #expect(stage.table.verdict(of: PermissionStage.shell).allowsLocation && !stage.keepActive(1, of: map))
        apply(isInUse: nil)
        #expect(stage.keepActive(2, of: map))
        apply(isInUse: false)
        #expect(stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `a program is reduced by default, and its user decides otherwise`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule {
                    $0.user = 1000; $0.defaultAccuracy = .reduced
                }
            ]
        }
        #expect(stage.beginRequest(of: map).flags == .accuracyLimited)
        #expect(stage.table.verdict(of: map).decidedBy.hasPrefix("the rule in "))
        #expect(stage.table.verdict(of: PermissionStage.navigator).allowsFullLocation)
        #expect(stage.decide(PermissionStage.decision(.always), about: map) == nil)
        #expect(stage.changes().map(\.allowsFullLocation) == [true])
    }

    @Test func `a lease keeps a program in use after its user has gone`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([1000])
        _ = stage.beginRequest(of: map)
        #expect(stage.keepActive(1, of: map, date: PermissionStage.date))
        #expect(stage.drain() == [.leaseChanged(map)])
        stage.table.setActiveUsers([])
        #expect(stage.table.verdict(of: map).allowsLocation)
        stage.table.releaseLease(1, at: stage.now)
        stage.wait(59)
        #expect(stage.table.verdict(of: map).allowsLocation)
        stage.wait(1)
        #expect(stage.changes().map(\.flags) == [.insufficientlyInUse])
        #expect(stage.table.deadline == nil && stage.table.leaseHolders.isEmpty)
    }

    @Test func `a program that restarts continues its lease, and another cannot begin one`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([1000])
        #expect(stage.keepActive(1, of: map, date: PermissionStage.date))
        stage.table.setActiveUsers([])
        stage.table.releaseLease(1, at: stage.now)
        stage.wait(30)
        _ = stage.drain()
        #expect(stage.keepActive(2, of: map, date: UTCTime(milliseconds: 0)))
        #expect(stage.drain().isEmpty, "a further lease changes nothing that is stored")
        #expect(stage.table.leaseHolders.first?.since == PermissionStage.date)
        stage.wait(3600)
        #expect(stage.table.verdict(of: map).allowsLocation)
        #expect(!stage.keepActive(3, of: PermissionStage.shell, date: PermissionStage.date))
    }

    @Test func `leases of the previous run have a grace period`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([])
        stage.table.restore(
            [:], locationSwitch: LocationSwitch(), leases: [(program: map, since: PermissionStage.date)],
            at: stage.now)
        #expect(stage.table.verdict(of: map).allowsLocation)
        stage.wait(60)
        #expect(!stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `revoking a decision ends the lease of the program`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([1000])
        #expect(stage.keepActive(1, of: map, date: PermissionStage.date))
        stage.table.setActiveUsers([])
        stage.decide(PermissionStage.decision(.denied), about: map)
        stage.decide(PermissionStage.decision(.whenInUse), about: map)
        #expect(stage.table.verdict(of: map).flags == .insufficientlyInUse)
        stage.table.releaseLease(1, at: stage.now)
        #expect(stage.table.deadline == nil)
    }
}

@Suite struct SessionTests {
    private let map = PermissionStage.map

    @Test func `a policy may require a declared session`() {
        let stage = PermissionStage { $0.requiresSession = true }
        #expect(stage.beginRequest(of: map).flags == .serviceSessionRequired)
        #expect(stage.declare(.none, purpose: nil, for: 1, of: map) == [])
        #expect(stage.changes().map(\.flags) == [[]])
        stage.table.endSession(1, at: stage.now)
        #expect(stage.changes().map(\.flags) == [.serviceSessionRequired])
    }

    @Test func `an implicit session states a need, and is not the one that a policy requires`() {
        let stage = PermissionStage(.ask) { $0.requiresSession = true }
        stage.table.addAgent(9, user: 1000)
        _ = stage.table.declare(
            .whenInUse, purpose: nil, usageDescription: "Shows your road.", isImplicit: true, for: 1, of: map)
        #expect(stage.table.request(1, askedOf: 1000)?.usageDescription == "Shows your road.")
        stage.decide(PermissionStage.decision(.always), about: map)
        #expect(stage.beginRequest(of: map).flags == .serviceSessionRequired)
        _ = stage.declare(.none, purpose: nil, for: 2, of: map)
        #expect(stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `a session that requires always continues for 60 s, although the program is not in use`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([1000])
        _ = stage.declare(.always, purpose: nil, for: 1, of: map)
        stage.table.setActiveUsers([])
        func isEffective(_ client: PermissionClientID) -> Bool? {
            _ = stage.declare(.always, purpose: nil, for: client, of: map)
            return stage.table.openSessions.last?.isEffective
        }
        stage.table.endSession(1, at: stage.now)
        stage.wait(59)
        #expect(isEffective(2) == true)
        stage.table.endSession(2, at: stage.now)
        stage.wait(60)
        #expect(isEffective(3) == false && stage.table.deadline == nil)
        // One without effect has no grace period.
        stage.table.endSession(3, at: stage.now)
        #expect(isEffective(4) == false && stage.table.deadline == nil)
    }

    @Test func `a program ends its grace periods itself, and a denial does`() {
        let stage = PermissionStage(.whenInUse)
        for isDenied in [false, true] {
            stage.table.setActiveUsers([1000])
            _ = stage.declare(.always, purpose: nil, for: 1, of: map)
            #expect(stage.keepActive(2, of: map) && stage.keepActive(3, of: map))
            stage.table.setActiveUsers([])
            stage.table.endSession(1, at: stage.now)
            stage.table.releaseLease(2, at: stage.now)
            stage.table.endGrace(of: map)
            #expect(stage.table.verdict(of: map).allowsLocation, "another connection holds a lease")
            stage.table.releaseLease(3, at: stage.now)
            _ = stage.drain()
            if isDenied {
                stage.decide(PermissionStage.decision(.denied), about: map)
                stage.decide(nil, about: map)
            } else {
                stage.table.endGrace(of: map)
            }
            #expect(stage.drain().contains(.leaseChanged(map)) && stage.table.deadline == nil)
            #expect(stage.table.verdict(of: map).flags == .insufficientlyInUse && !stage.keepActive(4, of: map))
            #expect(stage.declare(.always, purpose: nil, for: 5, of: map).contains(.insufficientlyInUse))
            #expect(stage.table.openSessions.last?.isEffective == false)
            stage.table.endSession(5, at: stage.now)
        }
    }

    @Test func `a rule requires a declared session of one program`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule {
                    $0.application = "org.example.Map"; $0.requiresSession = true
                }
            ]
        }
        #expect(stage.beginRequest(of: map).flags == .serviceSessionRequired)
        #expect(stage.beginRequest(of: PermissionStage.shell).allowsLocation)
        #expect(stage.declare(.none, purpose: nil, for: 1, of: map) == [])
        #expect(stage.changes().map(\.flags) == [[]])
    }

    @Test func `a purpose gives full accuracy for as long as its session lives`() {
        let stage = PermissionStage { policy in
            policy.accuracy = .reduced
            policy.grants = [
                PermissionStage.rule {
                    $0.user = 1000; $0.purposes = ["navigation"]
                }
            ]
        }
        #expect(stage.beginRequest(of: map).flags == .accuracyLimited)
        #expect(stage.declare(.whenInUse, purpose: "advertising", for: 1, of: map) == .fullAccuracyDenied)
        #expect(stage.changes().isEmpty)
        #expect(stage.declare(.whenInUse, purpose: "navigation", for: 2, of: map) == [])
        #expect(stage.changes().map(\.accuracy) == [.full])
        stage.table.endSession(2, at: stage.now)
        #expect(stage.changes().map(\.accuracy) == [.reduced])
    }

    @Test func `ending one session keeps the goal of another`() {
        let stage = PermissionStage { $0.requiresSession = true }
        _ = stage.declare(.whenInUse, purpose: nil, for: 1, of: map)
        _ = stage.declare(.none, purpose: nil, for: 2, of: map)
        _ = stage.beginRequest(of: map)
        stage.table.endSession(2, at: stage.now)
        #expect(stage.changes().isEmpty && stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `a session that requires always reports when only whenInUse is allowed`() {
        let stage = PermissionStage(.whenInUse)
        #expect(stage.declare(.always, purpose: nil, for: 1, of: map) == .alwaysAuthorizationDenied)
        stage.decide(PermissionStage.decision(.always), about: map)
        #expect(stage.drain().contains(.diagnosticsChanged(1, [])))
    }

    @Test func `a session that requires always must begin while the program is in use`() {
        let stage = PermissionStage(.whenInUse)
        stage.table.setActiveUsers([])
        let first = stage.declare(.always, purpose: nil, for: 1, of: map)
        #expect(first == [.insufficientlyInUse, .alwaysAuthorizationDenied])
        stage.table.setActiveUsers([1000])
        // The session stays without effect until it is declared again.
        let diagnostics = stage.drain().filter { if case .diagnosticsChanged = $0 { true } else { false } }
        #expect(diagnostics.isEmpty)
        stage.table.endSession(1, at: stage.now)
        #expect(stage.declare(.always, purpose: nil, for: 2, of: map) == .alwaysAuthorizationDenied)
    }
}
