import Locator

// u-blox M9 and M10: keys and values, only in RAM [UB interface descriptions; UX].
extension CommandTable {
    static func ubloxKeys(_ chip: ReceiverChip, isNativeUSB: Bool) -> CommandTable {
        var table = CommandTable(family: .ubloxKeys)
        // CFG-RATE-MEAS, in ms. Whole seconds in power save mode ([UB M9N]: 500 ms or n x 1000).
        table.periods = .within(100...10_000)
        table.setPeriod = { period, _ in [ubloxKey(0x3021_0001, UInt16(clamping: period).littleEndianBytes)] }
        // CFG-MSGOUT-NMEA_ID_GST: the key for UART1 is two below the key for USB.
        let errorEstimate: UInt32 = isNativeUSB ? 0x2091_00D6 : 0x2091_00D4
        table.setErrorEstimateOutput = { on, _ in [ubloxKey(errorEstimate, [on ? 1 : 0])] }
        // CFG-NAVSPG-DYNMODEL.
        table.setDynamics = { [ubloxKey(0x2011_0021, [$0.ubloxModel])] }
        // CFG-PM-OPERATEMODE: full power, or cyclic tracking, which supports periods up to 10 s and
        // never switches off [UB M10 2.7.2].
        table.endPowerSave = [ubloxKey(0x20D0_0001, [0])]
        table.startPowerSave = [ubloxKey(0x20D0_0001, [2])]
        table.sleepMethods = [isNativeUSB ? .ubloxStop : .ubloxStandby(knowsWakeSources: true)]
        return table
    }

    /// Creates a CFG-VALSET of one key in layer 1 (RAM).
    private static func ubloxKey(_ key: UInt32, _ value: [UInt8]) -> Command {
        .ubx(0x06, 0x8A, [0, 1, 0, 0] + key.littleEndianBytes + value)
    }
}
