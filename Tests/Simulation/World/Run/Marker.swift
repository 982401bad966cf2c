/// A rare state that the simulation must reach now and then. One that no run of a night reaches
/// shows that a part of the daemon is not tested.
enum Marker: String, CaseIterable {
    case eventSentAgain, eventSentAgainAfterPowerCut, eventOfGap, eventRetracted
    case acknowledgementRefused, acknowledgementUnanswered
    case unansweredAcknowledgementDone, unansweredAcknowledgementNotDone
    case additionRefused, additionUnanswered, unansweredAdditionDone, unansweredAdditionNotDone
    case oneWayAdditionDone
    case removalRefused, unansweredRemovalDone, unansweredRemovalNotDone
    case eventsCannotBeSaved, eventsCanBeSavedAgain, monitorInUse
    case permissionsUnreadable, decisionRefused, decisionUnanswered, reducedLocation, deniedUpdate
    case endDuringStart, powerCutDuringStart, startFailed, endWithinCall, invalidConfiguration
    case emptyDatabaseMovedAside
    case updatesDropped, restingUpdate, departedUpdate
    case noFix, receiverSilent, receiverLost, portBusy, locationTimedOut
    case visitBegan, visitEnded
    case suspendedEarly, suspendedLate, resumeUnannounced, receiverAssisted
    case motionReported, rareChecks, deafSource, nervousSource, rushServed, locationOff, fixedPlace
    case methodProbed, receiverFed, watchCompared, agentAsked, temporaryAnswer, notDetermined
    case settingsApplied, settingsRefused
    case failedRead, failedWrite, failedSync, failedOpen, failedName, failedSend, shortWrite, slowSync
}
