import Chronology

/// One part of the world that acts: a receiver, a program, the administrator, the service manager.
///
/// An actor acts at its deadline, and reads what the daemon has sent after each turn of the daemon.
protocol Actor: AnyObject {
    /// The name in the trace. It also selects the actor's random numbers.
    var name: String { get }
    /// When the actor acts next; nil if only the daemon can cause that.
    var deadline: Instant? { get }
    /// Acts, because the deadline has come.
    func act(in world: World)
    /// Reads what the daemon has sent.
    func receive(in world: World)
    /// The daemon has ended, or the machine has lost its power.
    func daemonEnded(in world: World)
    /// From now on there are no faults, and everything must recover.
    func endFaults(in world: World)
    /// Before the last restart, in the quiet end: judges what must hold there.
    func examine(in world: World)
    /// The run has ended: judges what must hold then.
    func finish(in world: World)
}

extension Actor {
    func receive(in world: World) {}
    func daemonEnded(in world: World) {}
    func endFaults(in world: World) {}
    func examine(in world: World) {}
    func finish(in world: World) {}
}
