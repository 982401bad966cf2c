import Chronology
import Geofencing
import Locator
import Logging
import Store
import Systemd
import Varlink
import Wire

/// From what has happened to who wants to know: to the disk first, then to those who have their monitors open.
extension Daemon {
    /// Events that are encoded at once; they and a client's socket hold what is not read, the rest waits on the disk.
    private static let atOnce = 16

    /// Has the core watch what calls have changed.
    func carryOutWatchChanges() {
        guard !monitors.changes.isEmpty else { return }
        let changes = monitors.changes
        monitors.changes = WatchChanges()
        if changes.isAnew { locator.removeAllConditions(at: loop.now) }
        if !changes.removed.isEmpty { locator.removeConditions(changes.removed, at: loop.now) }
        locator.addConditions(changes.added, at: loop.now, into: &effects)
    }

    /// Tells everybody what there is to tell.
    func tellNews() {
        while let key = monitors.news.popFirst() {
            guard let number = monitors.openings[key]?.session, let session = server[number] else { continue }
            tellEvents(to: session)
        }
    }

    /// Sends a client of a monitor events as long as it reads; the rest follows when it has.
    func tellEvents(to session: ClientSession) {
        guard case .monitor(let key) = session.held else { return }
        while !session.waitsForRoom, let opening = monitors.openings[key], opening.session == session.number {
            if opening.isOver { return server.close(session) }
            if opening.owesMonitor { tellMonitor(key, to: session) }
            let events = nextEvents(of: key)
            for event in events { reply(OpenReply(event: event), to: session, continues: true) }
            guard opening.owesMonitor || !events.isEmpty else { return }
            server.advance(session)
            guard server[session.number] === session else { return }
        }
    }

    private func tellMonitor(_ key: MonitorKey, to session: ClientSession) {
        monitors.openings[key]?.owesMonitor = false
        guard let message = try? monitors.message(of: key, at: loop.now) else { return }
        reply(OpenReply(monitor: message), to: session, continues: true)
    }

    private func nextEvents(of key: MonitorKey) -> [EventMessage] {
        do throws(MonitorError) {
            guard let store = try monitors.store(at: loop.now) else { return [] }
            return try monitors.attempt(at: loop.now) { () throws(StoreError) in
                var messages: [EventMessage] = []
                for event in try monitors.openings[key]?.take(Daemon.atOnce, from: store) ?? [] {
                    messages.append(EventMessage(event, metadata: try store.name(of: event.event.condition)?.metadata))
                }
                return messages
            }
        } catch {
            log.error("events of the monitor \(key.name) cannot be read: \(error.reply)")
            return []
        }
    }
}
