import Chronology
import Locator
import Logging
import Receivers
import ServiceRuntime
import SystemCalls
import Varlink

/// Puts the receivers to sleep before the host is suspended, and opens their ports again
/// afterwards.
///
/// A lock of logind delays the suspension until the receivers sleep. Where there is no message bus
/// or no logind, there is no connection.
final class SuspendService: Service {
    /// How long the suspension is delayed at most; logind itself waits 5 s (InhibitDelayMaxSec= in
    /// logind.conf(5)).
    private static let maxDelay = Instant.Span.seconds(3)
    private static let logind = "org.freedesktop.login1"

    let context: ServiceContext
    let methods: [String] = []
    private let receivers: ReceiverService
    private var bus: SystemBus?
    private var lock: FileDescriptor?
    /// When the suspension is no longer delayed; nil while none is about to begin.
    private var delayEnd: Instant?

    init(_ context: ServiceContext, receivers: ReceiverService) {
        self.context = context
        self.receivers = receivers
        guard SystemBus.isPresent, let bus = try? SystemBus(in: context.loop, endsLoop: false) else { return }
        self.bus = bus
        do throws(SystemError) {
            let signal = "interface='\(SuspendService.logind).Manager',member='PrepareForSleep'"
            try bus.match(signal, of: SuspendService.logind) { [unowned self] arguments in
                guard let begins = arguments.first?.bool else { return }
                if begins { suspend(at: loop.now) } else { resume(at: loop.now) }
            }
            // A lock ends with the logind that gave it.
            let owner = "member='NameOwnerChanged',arg0='\(SuspendService.logind)'"
            try bus.match(owner, of: SystemBus.name) { [unowned self] arguments in
                if arguments.count == 3, arguments[2].string != "" { takeLock() }
            }
            takeLock()
        } catch {
            self.bus = nil
            log.notice("receivers do not sleep while the host is suspended: \(error)")
        }
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) { throw call.methodNotImplemented }

    private func takeLock() {
        let call = SystemBus.Call(
            SuspendService.logind, path: "/org/freedesktop/login1", interface: "\(SuspendService.logind).Manager",
            method: "Inhibit",
            arguments: [.string("sleep"), .string("sextantd"), .string("putting receivers to sleep"), .string("delay")])
        bus?.callForDescriptor(call) { [unowned self] result in
            switch result {
            case .success(let number): lock = number < 0 ? nil : FileDescriptor(owning: number)
            case .failure(let failure):
                bus = nil
                guard !failure.isServiceAbsent else { return }
                log.notice("receivers do not sleep while the host is suspended: \(failure.message)")
            }
        }
    }

    private func suspend(at now: Instant) {
        log.info("the host is about to be suspended")
        context.locator.setSuspended(true, at: now)
        delayEnd = now + SuspendService.maxDelay
    }

    private func resume(at now: Instant) {
        log.info("the host was suspended until now")
        delayEnd = nil
        for port in receivers.ports { port.reopen(at: now) }
        context.locator.setSuspended(false, at: now)
        takeLock()
    }

    var deadline: Instant? { delayEnd }

    func endTurn(at now: Instant) {
        guard let delayEnd, delayEnd <= now || receivers.ports.allSatisfy(\.sleepsAsFarAsPossible) else { return }
        self.delayEnd = nil
        lock = nil
    }
}

extension Port {
    /// Whether the receiver sleeps, or nothing can put it to sleep.
    fileprivate var sleepsAsFarAsPossible: Bool {
        guard isOpen, let report = session.driverReport, let chip = report.chip, !report.isUnresponsive else {
            return true
        }
        return report.activity == .asleep || report.activity == .portClosed || !ReceiverCosts(chip).supportsSleep
    }
}
