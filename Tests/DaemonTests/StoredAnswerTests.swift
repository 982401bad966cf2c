import Chronology
import Logging
import Permission
import SystemCalls
import TestSupport
import Testing

@testable import sextantd

/// Answers of agents on disk, of which a user has a limited number.
@Suite struct StoredAnswerTests {
    @Test func `a user at the limit changes a stored answer, and adds none`() throws {
        let scratch = try Scratch()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var policy = PermissionPolicy()
        policy.standard = .ask
        let permissions = PermissionCenter(
            database: StateDatabase(directory: scratch.path, log: log), policy: policy, log: log)
        permissions.addAgent(PermissionClientID(1), user: 1000)
        var number = 0
        func answer(_ authorization: AuthorizationChoice) -> Bool {
            number += 1
            let decision = PermissionDecision(authorization, by: .agent(user: 1000), at: HostClock.utc)
            return permissions.answer(number, with: decision, by: ProgramID(user: 1000), isTemporary: false)
        }
        let programs = (0...256).map { ProgramID(user: 1000, unit: "\($0).service") }
        for program in programs {
            _ = permissions.beginRequest(of: program)
            #expect(answer(.whenInUse))
        }
        _ = permissions.declare(
            .always, purpose: nil, usageDescription: nil, isImplicit: false, for: PermissionClientID(2), of: programs[0]
        )
        #expect(answer(.always))
        #expect(permissions.decisions.count == 256 && permissions.decisions[programs[256]] == nil)
        #expect(permissions.decisions[programs[0]]?.authorization == .always)
    }

    @Test func `an answer that cannot be saved counts, and is not kept`() throws {
        let scratch = try Scratch()
        let disk = FaultyDisk(scratch.path)
        let recorder = LogRecorder()
        var policy = PermissionPolicy()
        policy.standard = .ask
        let permissions = PermissionCenter(
            database: StateDatabase(directory: scratch.path, log: recorder.log), policy: policy, log: recorder.log)
        permissions.addAgent(PermissionClientID(1), user: 1000)
        let program = ProgramID(user: 1000, unit: "map.service")
        _ = permissions.beginRequest(of: program)
        disk.fail(.write, at: 0, count: .max)
        let decision = PermissionDecision(.whenInUse, by: .agent(user: 1000), at: HostClock.utc)
        #expect(permissions.answer(1, with: decision, by: ProgramID(user: 1000), isTemporary: false))
        #expect(permissions.verdict(of: program).allowsLocation && permissions.decisions.isEmpty)
        #expect(recorder.count("cannot save an answer") == 1)
    }

    @Test func `a request waits for an answer until its own deadline`() throws {
        let scratch = try Scratch()
        var settings = Settings()
        settings.state = scratch.path
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let context = try ServiceContext(settings, log: log)
        let requests = PermittedRequests(context) { _ in true }
        let verdict = context.permissions.verdict(of: ProgramID(user: 1000))
        let instants = [1.0, 2].map { Instant.zero + .seconds($0) }
        for (number, instant) in instants.enumerated() { requests[number] = .waiting(verdict, until: instant) }
        #expect(requests.deadline == instants[0] && requests.expired(at: instants[0]).map(\.number) == [0])
        requests[0] = .denied(verdict)
        #expect(requests.deadline == instants[1] && requests.expired(at: instants[0]).isEmpty)
        requests[1] = .full
        #expect(requests.deadline == nil)
    }
}
