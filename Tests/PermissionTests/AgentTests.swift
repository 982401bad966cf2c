import Permission
import Testing

@Suite struct AgentTests {
    private let map = PermissionStage.map

    @Test func `an agent is asked once and its answer starts the stream`() throws {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        #expect(stage.beginRequest(of: map).flags == .authorizationRequestInProgress)
        #expect(stage.beginRequest(of: map).authorization == .notDetermined)
        guard case .ask(agent: 9, let request)? = stage.drain().first, stage.effects.count == 1 else {
            Issue.record("\(stage.effects)")
            return
        }
        #expect(request.program == map && request.requirement == .whenInUse)
        let answer = PermissionStage.decision(.whenInUse, by: .agent(user: 1000))
        #expect(stage.answer(request.number, with: answer, isTemporary: false) == map)
        #expect(stage.table.decisions == [map: answer])
        #expect(stage.table.verdict(of: map).authorization == .whenInUse)
        #expect(stage.answer(request.number, with: answer, isTemporary: false) == nil)
    }

    @Test func `an agent answers for the programs of its user only`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1001)
        #expect(stage.beginRequest(of: map).flags == .authorizationDenied)
        #expect(stage.table.verdict(of: map).basis == .withoutAgent)
        stage.table.addAgent(8, user: 0)
        guard
            case .ask(agent: 8, let request)? = stage.drain().first(where: { if case .ask = $0 { true } else { false } }
            )
        else {
            Issue.record("\(stage.effects)")
            return
        }
        let answer = PermissionStage.decision(.always, by: .agent(user: 1001))
        #expect(stage.answer(request.number, with: answer, isTemporary: false) == nil)
        #expect(stage.table.verdict(of: map).authorization == .notDetermined)
    }

    @Test func `a temporary answer ends with the sessions of the program`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        _ = stage.beginRequest(of: map)
        _ = stage.drain()
        let answer = PermissionStage.decision(.always, by: .agent(user: 1000))
        #expect(stage.answer(1, with: answer, isTemporary: true) == map)
        #expect(stage.changes().map(\.allowsFullLocation) == [true])
        stage.table.endRequest(of: map)
        #expect(stage.table.verdict(of: map).authorization == .notDetermined)
        #expect(stage.beginRequest(of: map).flags == .authorizationRequestInProgress)
    }

    /// Returns a stage whose agent has answered `whenInUse`, and which then asks for `always`.
    private func askedForAlways(isTemporary: Bool = false) -> PermissionStage {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        _ = stage.declare(.whenInUse, purpose: nil, for: 1, of: map)
        let first = PermissionStage.decision(.whenInUse, by: .agent(user: 1000))
        #expect(stage.answer(1, with: first, isTemporary: isTemporary) == map)
        _ = stage.drain()
        #expect(stage.declare(.always, purpose: nil, for: 2, of: map) == .authorizationRequestInProgress)
        #expect(stage.table.verdict(of: map).allowsLocation)
        guard case .ask(agent: 9, let request)? = stage.drain().first, stage.effects.count == 1 else {
            Issue.record("\(stage.effects)")
            return stage
        }
        #expect(request.number == 2 && request.requirement == .always)
        return stage
    }

    @Test(arguments: [false, true])
    func `after whenInUse the user is asked once more when a session requires always`(isTemporary: Bool) {
        let stage = askedForAlways(isTemporary: isTemporary)
        let answer = PermissionStage.decision(.always, by: .agent(user: 1000))
        #expect(stage.answer(2, with: answer, isTemporary: false) == map)
        #expect(stage.table.verdict(of: map).authorization == .always)
        #expect(stage.drain().contains(.diagnosticsChanged(2, [])))
    }

    @Test(arguments: [AccuracyAuthorization.full, .reduced])
    func `the second answer keeps the accuracy of the first unless it names one`(accuracy: AccuracyAuthorization) {
        let stage = PermissionStage(.ask)
        #expect(stage.table.defaultAccuracy(ofAnswerAbout: map) == .full)
        stage.table.addAgent(9, user: 1000)
        _ = stage.declare(.whenInUse, purpose: nil, for: 1, of: map)
        var first = PermissionStage.decision(.whenInUse, by: .agent(user: 1000))
        first.accuracy = accuracy
        #expect(stage.answer(1, with: first, isTemporary: false) == map)
        #expect(stage.table.defaultAccuracy(ofAnswerAbout: map) == accuracy)
    }

    @Test(arguments: [false, true])
    func `an answer to the request that required always is final`(isTemporary: Bool) throws {
        let stage = askedForAlways()
        let answer = PermissionStage.decision(.whenInUse, by: .agent(user: 1000))
        #expect(stage.answer(2, with: answer, isTemporary: isTemporary) == map)
        #expect(stage.drain().contains(.diagnosticsChanged(2, .alwaysAuthorizationDenied)))
        #expect(stage.declare(.always, purpose: nil, for: 3, of: map) == .alwaysAuthorizationDenied)
        // Also after a restart, unless the answer was temporary.
        let stored = try #require(stage.table.decisions[map])
        #expect(stored.isAboutAlways != isTemporary && stage.drain().isEmpty)
    }

    @Test func `the request that requires always is withdrawn with its session, and without an agent`() {
        var stage = askedForAlways()
        stage.table.endSession(2, at: stage.now)
        #expect(stage.drain().contains(.withdraw(agent: 9, request: 2)))
        stage = askedForAlways()
        stage.table.removeAgent(9)
        #expect(stage.drain().contains(.diagnosticsChanged(2, .alwaysAuthorizationDenied)))
    }

    @Test func `a decision of an administrator is not asked about`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        stage.decide(PermissionStage.decision(.whenInUse), about: map)
        #expect(stage.declare(.always, purpose: nil, for: 1, of: map) == .alwaysAuthorizationDenied)
        #expect(stage.drain().isEmpty)
    }

    @Test func `when the last agent leaves, the policy decides`() {
        let stage = PermissionStage(.ask) { $0.withoutAgent = .whenInUse }
        stage.table.addAgent(9, user: 1000)
        _ = stage.beginRequest(of: map)
        stage.table.removeAgent(9)
        #expect(stage.changes().map(\.basis) == [.withoutAgent])
        #expect(stage.table.verdict(of: map).allowsLocation)
    }

    @Test func `a request is withdrawn when nobody needs the answer`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        _ = stage.beginRequest(of: map)
        stage.table.endRequest(of: map)
        #expect(stage.drain().contains(.withdraw(agent: 9, request: 1)))
    }

    @Test func `a session without a requirement does not keep the request of another one`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        _ = stage.declare(.none, purpose: nil, for: 1, of: map)
        _ = stage.declare(.whenInUse, purpose: nil, for: 2, of: map)
        stage.table.endSession(2, at: stage.now)
        #expect(stage.drain().contains(.withdraw(agent: 9, request: 1)))
    }

    @Test func `a session without a requirement asks nobody`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        #expect(stage.declare(.none, purpose: nil, for: 1, of: map) == .authorizationRequestInProgress)
        #expect(stage.drain().isEmpty)
    }

    @Test func `a rule of the configuration ends a request`() {
        let stage = PermissionStage(.ask)
        stage.table.addAgent(9, user: 1000)
        _ = stage.beginRequest(of: map)
        _ = stage.drain()
        var policy = PermissionPolicy()
        policy.standard = .ask
        policy.grants = [
            PermissionStage.rule {
                $0.user = 1000; $0.authorization = .always
            }
        ]
        stage.table.apply(policy)
        #expect(stage.drain().first == .withdraw(agent: 9, request: 1))
        #expect(stage.table.verdict(of: map).allowsLocation)
    }
}
