import Chronology
import NMEA
import SextantAPI

extension Invariant {
    /// Who may know the location.
    static let permission = [
        Invariant(24, "nothing that depends on the position reaches a denied program"),
        Invariant(25, "a reduced program gets only its area"),
        Invariant(26, "each verdict equals the rules applied to the world's facts"),
        Invariant(28, "a confirmed lease exists after a restart"),
        Invariant(29, "no user sees another's monitors"),
        Invariant(30, "the record of use has each granted request once"),
        Invariant(31, "after a turn the in-use file equals the open requests"),
        Invariant(35, "each stream is among the demand, and none that has ended"),
        Invariant(71, "while the location is off for all, no program gets a position, and none is kept"),
        Invariant(75, "what an agent has answered applies to the program, and only that"),
        Invariant(27, "confirmed decisions are kept; if they cannot be read, location is off"),
    ]
}

/// Judges what a program gets while its permission changes.
struct PermissionJudge {
    /// What the administrator has decided about the program.
    struct Decision: Equatable {
        var authorization: AuthorizationChoice
        var accuracy: AccuracyAuthorization
    }

    /// The decisions that may apply: the confirmed one, and those of calls without a reply. Without
    /// a decision the default applies, which allows everything.
    private var possible = [Decision(authorization: .always, accuracy: .full)]
    /// Decisions that were refused since. If their sync had failed, a power cut may show them: only
    /// a sync that succeeds could prevent it. Nothing else may, so a restart must not.
    private var refused: [Decision] = []
    /// Counts the changes of ``possible``.
    private(set) var generation = 0

    /// A call to decide is sent.
    mutating func propose(_ decision: Decision) {
        possible.append(decision)
        generation += 1
    }

    mutating func confirm(_ decision: Decision) {
        (possible, refused) = ([decision], [])
        generation += 1
    }

    /// A refused call has changed nothing.
    mutating func refuse(_ decision: Decision) {
        if let index = possible.lastIndex(of: decision) { possible.remove(at: index) }
        refused.append(decision)
        generation += 1
    }

    /// The machine lost its power, while or after syncs failed.
    mutating func powerFailed() { possible += refused }

    func observe(_ update: SubscribeReply, in world: World) {
        world.mark(update)
        guard let location = update.location else { return }
        world.require(
            possible.contains { $0.authorization != .denied }, 24, "a denied program got the location \(location)")
        let isReduced = location.accuracySource == .reduced
        world.require(
            isReduced || possible.contains { $0.authorization != .denied && $0.accuracy == .full }, 25,
            "a program with reduced accuracy got the location \(location)")
        guard isReduced else { return }
        world.require(
            location.speed == nil && location.course == nil && location.altitude == nil
                && location.horizontalAccuracy >= 500, 25, "the reduced location is \(location)")
    }

    func observe(_ permission: Permission, in world: World) {
        guard !world.locationMayBeOff() else { return }
        // Without its database the daemon denies the location to all.
        let isUnreadable = permission.detail?.contains(part: "cannot be read") ?? false
        if isUnreadable {
            world.reached(.permissionsUnreadable)
            // The daemon tries again after 10 min at the latest.
            world.require(
                !world.diskWorks || world.now - world.diskChanged < .seconds(600), 27,
                "the permissions cannot be read, and the disk works")
            return
        }
        let isPossible = possible.contains { decision in
            switch permission.authorization {
            case .always: decision.authorization == .always
            case .whenInUse: decision.authorization == .whenInUse
            case .denied: decision.authorization == .denied
            default: false
            }
        }
        world.require(
            isPossible, 26, "the program may know \(permission.authorization), and was granted \(possible)")
    }

    /// Judges an answer to GetLocation: nil for a refusal.
    func observe(_ location: Location?, in world: World) {
        guard let location else {
            // In the quiet end nothing else can refuse.
            return world.require(
                !world.faultsHaveEnded || world.locationMayBeOff() || possible.contains { $0.authorization != .always },
                26,
                "GetLocation was refused to a program that may always know the location")
        }
        world.require(
            possible.contains { $0.authorization != .denied }, 24, "a denied program got the location \(location)")
        world.require(
            location.accuracySource == .reduced
                || possible.contains { $0.authorization != .denied && $0.accuracy == .full }, 25,
            "a program with reduced accuracy got the location \(location)")
    }
}
