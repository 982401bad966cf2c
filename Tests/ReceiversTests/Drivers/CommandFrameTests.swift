import Chronology
import Locator
import Testing

@testable import Receivers

/// Tests that the commands equal the makers' manuals byte for byte. The frames are those of
/// docs/receiver-commands.md, with independently computed checksums.
@Suite struct CommandFrameTests {
    private func text(_ commands: [Command]) -> [String] {
        commands.map {
            $0.bytes.first == UInt8(ascii: "$")
                ? String(decoding: $0.bytes.dropLast(2), as: UTF8.self) : hexadecimal($0.bytes)
        }
    }

    private func errorEstimateCommands(_ table: CommandTable) -> [Command] {
        table.setErrorEstimateOutput?(true, []) ?? []
    }
    private func powerSaveCommands(_ table: CommandTable) -> [Command] { table.startPowerSave ?? [] }
    private func sleepCommands(_ table: CommandTable, _ seconds: Int?) -> [Command] {
        table.sleepMethods.prefix(1).map { $0.makeSleepCommand(seconds) }
    }

    @Test func `u-blox 8 frames match the manual`() throws {
        let table = CommandTable(for: .ublox8, protocolNumber: 18)
        #expect(hexadecimal(Probe.ublox.bytes) == "B5 62 0A 04 00 00 0E 34")
        #expect(text(table.setPeriod(1000, [])) == ["B5 62 06 08 06 00 E8 03 01 00 01 00 01 39"])
        #expect(text(table.setPeriod(5000, [])) == ["B5 62 06 08 06 00 88 13 01 00 01 00 B1 49"])
        #expect(text(errorEstimateCommands(table)) == ["B5 62 06 01 08 00 F0 07 00 01 00 01 00 00 08 5C"])
        #expect(text(table.endPowerSave) == ["B5 62 06 86 08 00 00 00 00 00 00 00 00 00 94 5A"])
        #expect(text(powerSaveCommands(table)) == ["B5 62 06 86 08 00 00 03 00 00 00 00 00 00 97 6F"])
        let sleep = try #require(table.sleepMethods.first)
        #expect(
            text([sleep.makeSleepCommand(nil)]) == [
                "B5 62 02 41 10 00 00 00 00 00 00 00 00 00 06 00 00 00 08 00 00 00 61 6B"
            ])
        #expect(
            text([sleep.makeSleepCommand(60)]) == [
                "B5 62 02 41 10 00 00 00 00 00 60 EA 00 00 06 00 00 00 08 00 00 00 AB F9"
            ])
        #expect(sleep.wakeTrigger == .byte([0xFF]))
    }

    @Test func `u-blox 6 frames match the manual`() throws {
        let table = CommandTable(for: .ublox6)
        #expect(text(table.endPowerSave) == ["B5 62 06 11 02 00 08 00 21 91"])
        let frames = text(powerSaveCommands(table))
        #expect(frames.last == "B5 62 06 11 02 00 08 01 22 92")
        #expect(frames.first?.hasPrefix("B5 62 06 3B 2C 00 01 00 00 00 00 11 03 00 E8 03 00 00 10 27 00 00") == true)
        let sleep = try #require(table.sleepMethods.first)
        #expect(text([sleep.makeSleepCommand(nil)]) == ["B5 62 02 41 08 00 00 00 00 00 02 00 00 00 4D 3B"])
        #expect(text([sleep.makeSleepCommand(60)]) == ["B5 62 02 41 08 00 60 EA 00 00 02 00 00 00 97 A1"])
    }

    @Test func `u-blox configuration key frames match the manual`() throws {
        let table = CommandTable(for: .ubloxM10, isNativeUSB: true)
        #expect(text(table.setPeriod(1000, [])) == ["B5 62 06 8A 0A 00 00 01 00 00 01 00 21 30 E8 03 D8 C4"])
        #expect(text(errorEstimateCommands(table)) == ["B5 62 06 8A 09 00 00 01 00 00 D6 00 91 20 01 22 53"])
        #expect(text(powerSaveCommands(table)) == ["B5 62 06 8A 09 00 00 01 00 00 01 00 D0 20 02 8D E8"])
        let stop = try #require(table.sleepMethods.first)
        #expect(
            text([stop.makeSleepCommand(60)] + stop.resumeCommands) == [
                "B5 62 06 04 04 00 00 00 08 00 16 74", "B5 62 06 04 04 00 00 00 09 00 17 76",
            ])
        #expect(CommandTable(for: .ubloxM10).sleepMethods.first?.name == .ubloxStandby)
    }

    @Test func `MediaTek commands match the manual`() throws {
        let table = CommandTable.mediatek
        #expect(text(table.setPeriod(1000, []) + table.setPeriod(200, [])) == ["$PMTK220,1000*1F", "$PMTK220,200*2C"])
        #expect(text(table.endPowerSave) == ["$PMTK225,0*2B", "$PMTK262,0*28"])
        #expect(text(powerSaveCommands(table)) == ["$PMTK262,3*2B"])
        #expect(text(sleepCommands(table, nil)) == ["$PMTK161,0*28"])
    }

    @Test func `Airoha and Quectel commands match the manual`() throws {
        let table = CommandTable.airoha
        #expect(text(table.openingWrapper + table.closingWrapper) == ["$PAIR382,1*2E", "$PAIR382,0*2F"])
        #expect(text(table.setPeriod(1000, [])) == ["$PAIR050,1000*12"])
        #expect(text(errorEstimateCommands(table)) == ["$PAIR062,8,1*37"])
        let timer = try #require(table.sleepMethods.first)
        #expect(text([timer.makeSleepCommand(60)]) == ["$PAIR650,60*13"])
        #expect(timer.timer?.lowerBound == 10 && timer.wakeTrigger == .timer)
        #expect(CommandTable.quectel.sleepMethods.map(\.name) == [.quectelSuspend, .airohaTimer])
    }

    @Test func `CASIC commands match the manual`() throws {
        let table = CommandTable.casic
        #expect(text(table.setPeriod(1000, [])) == ["$PCAS02,1000*2E"])
        #expect(text(sleepCommands(table, 60)) == ["$PCAS12,60*28"])
        #expect(
            table.periods.period(5000) == 1000 && table.periods.period(300) == 250 && table.periods.period(50) == 100)
    }

    @Test func `Teseo and SiRF commands match the manual`() throws {
        let suspend = try #require(CommandTable.teseo.sleepMethods.first)
        #expect(
            text([suspend.makeSleepCommand(nil)] + suspend.resumeCommands) == [
                "$PSTMGPSSUSPEND*14", "$PSTMGPSRESTART*09",
            ])
        #expect(text(CommandTable.teseo.endPowerSave) == ["$PSTMLOWPOWERONOFF,0*43"])
        #expect(text(CommandTable.sirf.setPeriod(1000, ["GGA"])) == ["$PSRF103,0,0,1,1*25"])
        #expect(CommandTable.sirf.sleepMethods.isEmpty)
    }

    @Test func `probe commands are ordered from the least harmful`() {
        let probes = Probe.all.filter { !$0.isWrapper }.map(\.command)
        #expect(
            text(probes) == [
                "B5 62 0A 04 00 00 0E 34", "$PMTK605*31", "$PQTMVERNO*58", "$PAIR021*39", "$PCAS06,0*1B",
                "$PSTMGETSWVER,6*13",
            ])
    }

    /// No table has settings that outlive the power supply, other protocols, or sleeps that nothing
    /// on the line ends.
    @Test(arguments: ReceiverChip.allCases, [false, true])
    func `no table stores settings permanently or changes the protocol`(chip: ReceiverChip, isNativeUSB: Bool) {
        let table = CommandTable(for: chip, protocolNumber: 18, isNativeUSB: isNativeUSB)
        let received: SentenceFormatters = ["GGA", "RMC", "GSA", "GSV", "GLL", "VTG"]
        var commands =
            table.openingWrapper + table.closingWrapper + table.endPowerSave + (table.startPowerSave ?? [])
            + table.setPeriod(1000, received)
        commands += table.setErrorEstimateOutput?(true, received) ?? []
        commands += table.predictOrbits
        commands += Dynamics.allCases.flatMap { table.setDynamics?($0) ?? [] }
        commands += table.sleepMethods.flatMap {
            [$0.makeSleepCommand(nil), $0.makeSleepCommand(60)] + $0.resumeCommands
        }
        let forbidden = [
            "B5 62 06 09", "B5 62 06 00", "$PCAS00", "$PAIR513", "$PSTMSAVEPAR", "$PQTMSAVEPAR", "$PSRF100", "$PSRF117",
            "$PMTK225,4",
            "$PAIR650,0", "$PMTK251", "$PCAS01", "$PAIR864",
        ]
        for line in text(commands) { #expect(!forbidden.contains { line.hasPrefix($0) }, "\(line)") }
        // CFG-VALSET writes only to RAM.
        #expect(commands.allSatisfy { !$0.bytes.starts(with: [0xB5, 0x62, 0x06, 0x8A]) || $0.bytes[7] == 1 })
    }
}
