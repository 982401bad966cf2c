// MediaTek MT333x and older [GT PMTK packet manual A08; TE; UP].
extension CommandTable {
    static let mediatek = CommandTable(
        family: .mediatek,
        // PMTK220: 100 to 10,000 ms [GT].
        periods: .within(100...10_000),
        setPeriod: { period, _ in [.sentence("PMTK220,\(period)", answer: .pmtk(220))] },
        // GLP, 10 to 14 mA; older parts refuse it [TE]. AlwaysLocate (PMTK225,8) chooses its own times: no promise could be kept.
        saveBetweenFixes: [.sentence("PMTK262,3", answer: .pmtk(262))],
        // Whatever periodic mode was left on ends with PMTK225,0 [TR, MC60].
        workFully: [.sentence("PMTK225,0", answer: .pmtk(225)), .sentence("PMTK262,0", answer: .pmtk(262))],
        sleeps: [.mediatekStandby])
}

extension SleepMethod {
    /// PMTK161: any byte ends it [TE, GT, UP], a second attempt at it too: so there is one. PMTK225,4 would be deeper, and for ever: a pin alone ends it [TR, L76].
    static let mediatekStandby = SleepMethod(
        name: .mediatekStandby, enter: { _ in .sentence("PMTK161,0", answer: .pmtk(161), attempts: 1) }, waking: .byte([13, 10]))
}
