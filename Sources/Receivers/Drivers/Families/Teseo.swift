import Chronology

// ST Teseo II, III and LIV3 [ST UM2229; FS]. Rates and messages need PSTMSAVEPAR, which writes to flash: they stay as they are.
// PSTMFORCESTANDBY is not used: its line is without supply. PSTMLOWPOWERONOFF chooses its own times.
extension CommandTable {
    static let teseo = CommandTable(
        family: .teseo, workFully: [.sentence("PSTMLOWPOWERONOFF,0", answer: .sentence("PSTMLOWPOWER"), attempts: 1)],
        sleeps: [.teseoSuspend])
}

extension SleepMethod {
    /// PSTMGPSSUSPEND, of which the answer may take 20 s [FS], and PSTMGPSRESTART.
    static let teseoSuspend = SleepMethod(
        name: .teseoSuspend,
        enter: { _ in .sentence("PSTMGPSSUSPEND", answer: .sentence("PSTMGPSSUSPEND"), attempts: 1, patience: .seconds(20)) },
        waking: .command, resume: [.sentence("PSTMGPSRESTART")], state: .stopped, settling: .seconds(6))
}
