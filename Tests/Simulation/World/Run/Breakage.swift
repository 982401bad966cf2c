import Chronology
import Varlink

/// A deliberate break: what the world sees is changed as a defect of the daemon would change it.
/// Each invariant must detect its break.
struct Breakage {
    /// The number of the invariant that must detect it.
    let invariant: Int
    private var count = 0
    /// The location of an update before, the first event, and the first visit that was over.
    private var earlier: JSONValue?
    private var first: JSONValue?
    private var firstVisit: JSONValue?
    private var seen: Set<Int64> = []

    init(_ invariant: Int) { self.invariant = invariant }

    /// The invariants that have a break. Those beside replies are in the actors: they ask for
    /// something else than they judge.
    static let all = [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31,
        32,
        33, 34, 35, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 50, 51, 52, 53, 54, 55,
        66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76,
    ]

    /// A run in which a break shows.
    static func plan(for invariant: Int, seed: UInt64) -> RunPlan {
        var plan = RunPlan(quiet: seed, length: .seconds(6000))
        switch invariant {
        case 10: plan.features = [.callers]
        case 29: plan.features = [.callers, .changingConditions]
        case 12, 40: plan.features = [.changingConditions]
        case 17: plan.features = [.kills, .lateAcknowledgements]
        case 16, 18: plan.features = [.lateAcknowledgements]
        case 22: plan.features = [.crashingPrograms, .longPauses, .lateAcknowledgements]
        case 23: plan.features = [.visits]
        case 28, 53: plan.features = [.leases]
        case 33: (plan.streams, plan.fencePrograms) = (1, 0)
        case 34: (plan.streams, plan.features) = (0, [.restarts])
        case 24, 25, 26: plan.features = [.administrator]
        case 32: plan.features = [.passiveReceiver]
        case 39: plan.features = [.powerCuts]
        case 44, 45: plan.features = [.crowd]
        case 48: (plan.streams, plan.features) = (1, [.fastLines])
        case 72: plan.features = [.station]
        case 71: plan.features = [.locationSwitch]
        case 73: plan.features = [.probers]
        case 74: plan.features = [.watchers]
        case 75: plan.features = [.agents]
        case 76: plan.features = [.settings]
        case 66, 67: plan.features = [.announcedSuspend]
        // A receiver with a fix is told nothing: it must start in a tunnel.
        case 68: plan.features = [.synchronizedClock, .tunnels, .restarts]
        default: break
        }
        return plan
    }

    /// Returns a reply as a broken daemon would send it; nil if it would send none.
    mutating func change(_ reply: Reply) -> Reply? {
        var changed = reply
        if reply.parameters["sequence"] != nil {
            count += 1
            return changeUpdate(&changed) ? changed : nil
        }
        if let event = reply.parameters["event"], event.object != nil {
            count += 1
            return changeEvent(&changed) ? changed : nil
        }
        return changeOther(&changed) ? changed : nil
    }

    private mutating func changeUpdate(_ reply: inout Reply) -> Bool {
        guard count > 20 || invariant == 4 else { return true }
        let location = reply.parameters["location"]
        switch invariant {
        case 1: reply.set(.string("2027-01-01T00:00:00.000Z"), at: "location", "timestamp")
        case 2: if let earlier, location != nil { reply.parameters["location"] = earlier }
        case 3: reply.parameters["dropped"] = .int(5)
        case 4: reply.parameters["sequence"] = .int((reply.parameters["sequence"]?.int ?? 0) + 1)
        case 5: reply.set(.double(51.9), at: "location", "latitude")
        case 6:
            for name in ["latitude", "longitude"] {
                if let value = earlier?[name] { reply.set(value, at: "location", name) }
            }
        case 7: reply.shiftTime(by: count.isMultiple(of: 2) ? 0 : -4)
        case 9: reply.set(.string("tty\(count / 12)"), at: "location", "receiver")
        case 46: reply.set(.int(5), at: "location", "receiver")
        case 51: return false
        default: break
        }
        earlier = location ?? earlier
        return true
    }

    private mutating func changeEvent(_ reply: inout Reply) -> Bool {
        guard let id = reply.parameters["event"]?["id"]?.int else { return true }
        defer { seen.insert(id) }
        if first == nil { first = reply.parameters["event"] }
        switch invariant {
        case 14 where count > 3: reply.set(.int(1), at: "event", "id")
        case 15 where count > 3: reply.set(.string("satisfied"), at: "event", "state")
        case 16 where count > 12: if let first { reply.parameters["event"] = first }
        case 17: return !seen.contains(id)
        case 19: return count < 12
        default: break
        }
        return true
    }

    private mutating func changeOther(_ reply: inout Reply) -> Bool {
        if invariant == 23, let visit = reply.parameters["visit"], visit["departed"]?.bool == true {
            reply.parameters["visit"] = firstVisit ?? visit
            firstVisit = firstVisit ?? visit
        }
        if invariant == 11, reply.parameters["acknowledged"] != nil { return false }
        if invariant == 40, let added = reply.parameters["added"]?.int { reply.parameters["added"] = .int(added - 1) }
        if invariant == 30, reply.parameters["records"]?.array?.first?["decidedBy"] != nil {
            reply.change("records") { $0.with(.string("ended"), for: "state") }
            return true
        }
        if invariant == 50 { reply.change("receivers") { $0.with(.string("silent"), for: "state") } }
        guard let records = reply.parameters["records"]?.array, !records.isEmpty else { return true }
        switch invariant {
        case 21: reply.parameters["records"] = .array(Array(records.dropFirst()))
        case 52: reply.change("records") { $0.with(.string("unmonitored"), for: "state") }
        case 54: reply.change("records") { $0.with(.bool(true), for: "persistenceUnavailable") }
        case 55:
            count += 1
            let text = "2027-01-01T00:00:0\(count % 10).000Z"
            reply.change("records") { $0.with(.string(text), for: "added") }
        default: break
        }
        return true
    }
}

extension JSONValue {
    /// Returns the object with another value of a member.
    fileprivate func with(_ value: JSONValue, for name: String) -> JSONValue {
        guard var members = object else { return self }
        members[name] = value
        return .object(members)
    }
}

extension Reply {
    /// Sets a member of an object among the parameters, if there is one.
    fileprivate mutating func set(_ value: JSONValue, at name: String, _ member: String) {
        guard let object = parameters[name], object[member] != nil else { return }
        parameters[name] = object.with(value, for: member)
    }

    /// Changes each element of an array among the parameters, if there is one.
    fileprivate mutating func change(_ name: String, _ change: (JSONValue) -> JSONValue) {
        guard let array = parameters[name]?.array else { return }
        parameters[name] = .array(array.map(change))
    }

    /// Moves the time of the location within its minute.
    fileprivate mutating func shiftTime(by seconds: Int) {
        guard let text = parameters["location"]?["timestamp"]?.string, seconds != 0,
            let second = Int(text.dropFirst(17).prefix(2)), (0..<60).contains(second + seconds)
        else { return }
        let moved = String(second + seconds)
        let padded = moved.utf8.count < 2 ? "0\(moved)" : moved
        set(.string("\(text.prefix(17))\(padded)\(text.dropFirst(19))"), at: "location", "timestamp")
    }
}
