import Permission
import Positioning
import Testing

@Suite struct PermissionPolicyTests {
    @Test func `without a configuration every program may know everything`() {
        let table = PermissionTable()
        let verdict = table.verdict(of: PermissionStage.map)
        #expect(verdict == PermissionVerdict(.always))
        #expect(verdict.allowsFullLocation)
    }

    @Test(arguments: [
        (PermissionPolicy.Default.always, Authorization.always, true), (.whenInUse, .whenInUse, true),
        (.denied, .denied, false), (.ask, .denied, false),
    ])
    func `the default applies to programs without a rule`(
        standard: PermissionPolicy.Default, authorization: Authorization, allows: Bool
    ) {
        let verdict = PermissionStage(standard).table.verdict(of: PermissionStage.map)
        #expect(verdict.authorization == authorization && verdict.allowsLocation == allows)
    }

    @Test func `a rule limits the configuration of streams, and the more specific rule decides`() {
        var policy = PermissionPolicy()
        policy.grants = [
            PermissionStage.rule(line: 1) {
                $0.user = 1000
                $0.maxConfiguration = .default
            }
        ]
        let map = PermissionStage.map
        #expect(
            Configuration.allCases.map { policy.rule(for: map)?.limited($0) }
                == Array(repeating: .default, count: 5))
        policy.grants.append(
            PermissionStage.rule(line: 5) {
                $0.application = "org.example.Map"
                $0.maxConfiguration = .fitness
            })
        #expect(policy.rule(for: map)?.limited(.automotiveNavigation) == .fitness)
        #expect(policy.rule(for: map)?.limited(.airborne) == .airborne)
        #expect(policy.rule(for: map)?.limited(.default) == .default)
        #expect(
            PermissionRule(place: RulePlace(file: "a", line: 1)).limited(.automotiveNavigation) == .automotiveNavigation
        )
    }

    @Test func `a rule about the program decides before one about its user`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule(line: 1) {
                    $0.application = "org.example.Map"; $0.authorization = .always
                },
                PermissionStage.rule(line: 5) {
                    $0.user = 1000; $0.authorization = .denied
                },
            ]
        }
        let map = stage.table.verdict(of: PermissionStage.map)
        #expect(map.allowsLocation)
        #expect(map.basis == .rule(RulePlace(file: "/etc/sextant/sextant.toml", line: 1)))
        let shell = stage.table.verdict(of: PermissionStage.shell)
        #expect(shell.authorization == .restricted && shell.flags == [.authorizationDenied, .authorizationRestricted])
        #expect(stage.table.verdict(of: PermissionStage.navigator).allowsLocation)
    }

    @Test func `of equal rules the last one decides`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule(line: 1) {
                    $0.user = 1000; $0.authorization = .denied
                },
                PermissionStage.rule(line: 5) {
                    $0.user = 1000; $0.authorization = .whenInUse
                },
            ]
        }
        #expect(stage.table.verdict(of: PermissionStage.map).authorization == .whenInUse)
    }

    @Test func `a unit of the user's own manager does not match a rule for a system unit`() {
        let stage = PermissionStage(.denied) { policy in
            policy.grants = [
                PermissionStage.rule {
                    $0.unit = "navigator.service"; $0.authorization = .always
                }
            ]
        }
        let impostor = ProgramID(user: 998, userUnit: "navigator.service")
        #expect(stage.table.verdict(of: PermissionStage.navigator).allowsLocation)
        #expect(!stage.table.verdict(of: impostor).allowsLocation)
    }

    @Test func `a rule that sets another key hides no denial`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule(line: 1) {
                    $0.user = 1000
                    $0.authorization = .denied
                },
                PermissionStage.rule(line: 5) {
                    $0.application = "org.example.Map"
                    $0.accuracy = .reduced
                },
                PermissionStage.rule(line: 9) {
                    $0.user = 1000
                    $0.isInUse = true
                },
            ]
        }
        let verdict = stage.table.verdict(of: PermissionStage.map)
        #expect(verdict.authorization == .restricted && verdict.accuracy == .reduced)
        #expect(verdict.basis == .rule(RulePlace(file: "/etc/sextant/sextant.toml", line: 1)))
    }

    @Test func `a rule of the configuration decides before a decision`() {
        let stage = PermissionStage { policy in
            policy.grants = [
                PermissionStage.rule(line: 7) {
                    $0.user = 1000; $0.authorization = .denied
                }
            ]
        }
        let overruled = stage.decide(PermissionStage.decision(.always), about: PermissionStage.map)
        #expect(overruled?.line == 7)
        #expect(stage.table.verdict(of: PermissionStage.map).authorization == .restricted)
    }

    @Test func `a rule may leave the authorization open`() {
        let stage = PermissionStage(.denied) { policy in
            policy.grants = [
                PermissionStage.rule {
                    $0.user = 1000; $0.accuracy = .reduced
                }
            ]
        }
        // A decision for the same accuracy is not overruled, one for the full location is.
        #expect(
            stage.decide(PermissionStage.decision(.always, accuracy: .reduced), about: PermissionStage.map) == nil)
        #expect(stage.decide(PermissionStage.decision(.whenInUse), about: PermissionStage.map)?.line == 1)
        let verdict = stage.table.verdict(of: PermissionStage.map)
        #expect(verdict.allowsLocation && !verdict.allowsFullLocation && verdict.flags == .accuracyLimited)
        #expect(verdict.decidedBy.hasPrefix("the rule in ") && verdict.authorization == .whenInUse)
        #expect(verdict.detail(for: PermissionStage.map)?.contains("change that rule") == true)
    }
}
