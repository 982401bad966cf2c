import Chronology

// ST Teseo II, III and LIV3 [ST UM2229; FS]. Rates and messages need PSTMSAVEPAR, which writes to
// flash, so the driver does not change them. It does not use PSTMFORCESTANDBY, because the serial
// line has no power in that mode. PSTMLOWPOWERONOFF chooses its own times.
extension CommandTable {
    static let teseo = CommandTable(
        family: .teseo,
        endPowerSave: [.sentence("PSTMLOWPOWERONOFF,0", reply: .sentence("PSTMLOWPOWER"), attempts: 1)],
        sleepMethods: [.teseoSuspend])
}

extension SleepMethod {
    /// PSTMGPSSUSPEND, whose reply may take 20 s [FS], and PSTMGPSRESTART.
    static let teseoSuspend = SleepMethod(
        name: .teseoSuspend,
        makeSleepCommand: { _ in
            .sentence("PSTMGPSSUSPEND", reply: .sentence("PSTMGPSSUSPEND"), attempts: 1, timeout: .seconds(20))
        },
        wakeTrigger: .command, resumeCommands: [.sentence("PSTMGPSRESTART")], state: .stopped, silenceDelay: .seconds(6)
    )
}
