// MediaTek MT333x and older [GT PMTK packet manual A08; TE; UP].
extension CommandTable {
    static let mediatek = CommandTable(
        family: .mediatek,
        // PMTK220: 100 to 10,000 ms [GT].
        periods: .within(100...10_000),
        setPeriod: { period, _ in [.sentence("PMTK220,\(period)", reply: .pmtk(220))] },
        // GLP, 10 to 14 mA; older chips refuse it [TE]. AlwaysLocate (PMTK225,8) chooses its own
        // times, so no period could be guaranteed.
        startPowerSave: [.sentence("PMTK262,3", reply: .pmtk(262))],
        // PMTK225,0 ends any periodic mode [TR, MC60].
        endPowerSave: [.sentence("PMTK225,0", reply: .pmtk(225)), .sentence("PMTK262,0", reply: .pmtk(262))],
        // PMTK869: EASY [FS].
        predictOrbits: [.sentence("PMTK869,1,1", reply: .pmtk(869))],
        sleepMethods: [.mediatekStandby])
}

extension SleepMethod {
    /// PMTK161. Any byte ends this sleep [TE, GT, UP], also a repeated command, so the driver
    /// writes it once. PMTK225,4 sleeps deeper, but only a pin ends it [TR, L76].
    static let mediatekStandby = SleepMethod(
        name: .mediatekStandby, makeSleepCommand: { _ in .sentence("PMTK161,0", reply: .pmtk(161), attempts: 1) },
        wakeTrigger: .byte([13, 10]))
}
