import SextantAPI

// The markers that follow from what the daemon says.
extension World {
    /// Notes the state that an update shows.
    func mark(_ update: SubscribeReply) {
        if update.dropped > 0 { reached(.updatesDropped) }
        if update.stationary == true { reached(.restingUpdate) }
        if update.stationary == false { reached(.departedUpdate) }
        if update.permission.contains(.authorizationDenied) { reached(.deniedUpdate) }
        if update.location?.accuracySource == .reduced { reached(.reducedLocation) }
        switch update.cause {
        case .noFix?: reached(.noFix)
        case .receiverSilent?: reached(.receiverSilent)
        case .receiverLost?: reached(.receiverLost)
        case .portBusy?: reached(.portBusy)
        default: break
        }
    }

    /// Notes what an answer to a call shows that may have been made before without an answer.
    func mark(_ wasAttempted: Bool, isNew: Bool) {
        if wasAttempted { reached(isNew ? .unansweredAcknowledgementNotDone : .unansweredAcknowledgementDone) }
    }

    /// Notes which faults have happened since they were set.
    func markFaults() {
        for (index, fault) in activeFaults.enumerated() where machine.counts(ofFault: index).fired > 0 {
            switch (fault.action, fault.calls) {
            case (.fail, .read?): reached(.failedRead)
            case (.fail, .write?): reached(.failedWrite)
            case (.fail, .sync?): reached(.failedSync)
            case (.fail, .open?): reached(.failedOpen)
            case (.fail, .name?): reached(.failedName)
            case (.fail, .send?): reached(.failedSend)
            case (.short, _): reached(.shortWrite)
            case (.slow, _): reached(.slowSync)
            case (.kill, _), (.killAfter, _), (.power, _): reached(.endWithinCall)
            default: break
            }
        }
    }
}
