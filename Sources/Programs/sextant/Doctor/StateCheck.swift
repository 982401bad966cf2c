import SerialPorts
import SextantAPI
import SystemCalls

/// The check of the daemon's state on disk: whether it can be read and written, and whether all of
/// it is still there.
struct StateCheck {
    let state: StoredState
    /// The state directory; nil if the daemon does not report it.
    let directory: String?
    /// Programs other than the daemon that have its database open, as far as this user sees them.
    var holders: [PortHolder] = []
    /// Whether the service manager runs the daemon.
    let service: Observations.Service

    private var path: String { directory ?? StateDirectory.standard }

    var check: Check {
        guard let problem = state.problem else { return replaced ?? .ok(.state, finding: healthy) }
        let consequence =
            state.permissionsUnreadable == true
            ? "the permissions cannot be read, so no program gets the location" : "nothing new can be saved"
        let holder = holders.isEmpty ? "" : "; \(holders.map(\.description).joined(separator: ", ")) has it open"
        return .wrong(
            .state, finding: "\(problem.reason)\(holder): \(consequence)", remedy: problem.remedy,
            command: command(for: problem.cause))
    }

    private var healthy: String {
        let free = state.freeBytes.map { ", \(DecimalText.grouped($0 / 1_000_000)) MB free" } ?? ""
        return "\(path) can be written\(free)"
    }

    /// Fences that are gone are a problem until the file is deleted.
    private var replaced: Check? {
        guard let replaced = state.replaced else { return nil }
        return .wrong(
            .state,
            finding: "the database was damaged and was replaced by an empty one on \(TimeText.moment(replaced.date)): "
                + "its fences, visits, record of use and energy use are gone, and the decisions about programs if "
                + "location is switched off now",
            remedy: "add the fences again, with fence import or in their programs; then delete the damaged file",
            command: "sudo rm \(ShellText.quoted(replaced.path))*")
    }

    private func command(for cause: StateCause) -> String {
        let directory = ShellText.quoted(path)
        switch cause {
        case .full: return "df -h \(directory)"
        case .busy:
            guard let holder = holders.first else { return "sudo fuser -v \(ShellText.quoted(path + "/sextant.db"))" }
            return "sudo kill \(holder.process)"
        case .unwritable, .exposed:
            guard service == .installed else { return "ls -ld \(directory) \(directory)/*" }
            return "sudo chown -R sextant:sextant \(directory) && sudo chmod 0700 \(directory)"
                + " && sudo systemctl restart sextantd.service"
        case .device, .damaged: return "sudo dmesg --level=err,warn"
        case .newer, .refused, .unknown: return "journalctl -u sextantd -n 50"
        }
    }
}

extension Observations {
    /// The check of the daemon's state.
    var stateCheck: Check {
        guard isDaemonRunning else { return .skipped(.state, reason: "only the daemon can check it") }
        guard let state else { return .skipped(.state, reason: "the daemon does not report its state") }
        return StateCheck(state: state, directory: stateDirectory, holders: databaseHolders, service: service).check
    }
}
