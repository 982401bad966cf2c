import Chronology
import Delivery
import Locator
import Logging
import Receivers
import Systemd

// What receivers spend and for whom. No timer: it is reckoned in turns that come anyway, and time between them is one stretch.
extension Daemon {
    /// Takes note of what has changed this turn; writes it down once an hour.
    func keepAccounts(_ now: Instant) {
        if accounting.isChanged || accounting.needsRevision != locator.needsRevision { reckon(now) }
        if let kept = accounting.kept, now - kept.at > Accounting.remembering { accounting.kept = nil }
        guard now - accounting.lastSaved >= Accounting.saving else { return }
        reckon(now, all: true)
        saveAccounts(now)
    }

    /// Brings the accounts up to this moment.
    ///
    /// - Parameter all: What goes on unchanged is reckoned as well.
    func reckon(_ now: Instant, all: Bool = false) {
        (accounting.isChanged, accounting.needsRevision) = (false, locator.needsRevision)
        let conducts = conducts()
        accounting.accounts.note(conducts, wakeups: loop.wakeups, at: now, HostTime.likely, all: all)
    }

    /// Writes down what has been spent since it was last written; nothing where that is nothing.
    func saveAccounts(_ now: Instant) {
        accounting.lastSaved = now
        guard !accounting.accounts.unsaved.isEmpty else { return }
        do {
            try usageBook.add(accounting.accounts.unsaved, today: HostTime.likely.date)
            accounting.accounts.saved()
            (accounting.kept, accounting.hasComplained) = (nil, false)
        } catch {
            if !accounting.hasComplained { log.warning("what receivers have spent is not written down: \(error)") }
            accounting.hasComplained = true
        }
        hasSettled = true
    }

    private func conducts() -> [ReceiverConduct] {
        let needs = locator.needs
        let watched = boundaryNeeds(loop.now)
        return ports.ports.compactMap { port in
            guard let state = accounting.state(of: port) else { return nil }
            var mine = watched
            for need in needs where need.concerns(name: port.name, port: port.device.path) {
                guard let demand = need.demand, let consumer = server[need.id.rawValue]?.wish?.consumer else { continue }
                let one = PowerNeed(consumer, demand, isSilent: need.isSilent)
                if !mine.contains(one) { mine.append(one) }
            }
            // A driver finds out by itself; without one there is what the receiver has said.
            let chip = port.driving.report.map(\.chip) ?? evidence(of: port).chip
            return ReceiverConduct(port.name, state, mine, chip: chip ?? .generic)
        }
    }

    /// What those need who have places watched: all of them the next position that a boundary asks for.
    private func boundaryNeeds(_ now: Instant) -> [PowerNeed] {
        guard let look = locator.boundaryNeed else {
            accounting.watching = [:]
            return []
        }
        let owners = Set(monitors.watching)
        accounting.watching = accounting.watching.filter { owners.contains($0.key) }
        for owner in owners where accounting.watching[owner] == nil { accounting.watching[owner] = (now, HostTime.now) }
        let demand = Demand(interval: max(look.notBefore - now, .seconds(1)), looksAtRest: look.atRest)
        return owners.sorted().map { PowerNeed(.program(Program($0), .monitors), demand, isSilent: locator.restsForBoundaries) }
    }
}
