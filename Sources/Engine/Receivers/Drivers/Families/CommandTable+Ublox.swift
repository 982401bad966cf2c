import Locator

// u-blox 6 to 8: one UBX message per setting [UB protocol descriptions; UX; ME].
extension CommandTable {
    static func ubloxMessages(_ chip: ReceiverChip, protocolNumber: Double?, isNativeUSB: Bool) -> CommandTable {
        var table = CommandTable(family: .ubloxMessages)
        // CFG-RATE: measurement period, cycles per fix, time reference GPS [UB].
        table.periods = .within(100...10_000)
        table.setPeriod = { period, _ in [.ubx(0x06, 0x08, UInt16(clamping: period).littleEndianBytes + [1, 0, 1, 0])] }
        // CFG-MSG: GST on UART 1 and USB [UB]. PUBX,00 contains the same data in a longer sentence.
        table.setErrorEstimateOutput = { on, _ in [ubloxMessage(0xF0, 0x07, isEnabled: on)] }
        // CFG-NAV5 with only the dynamic model in its mask [UB].
        table.setDynamics = { [.ubx(0x06, 0x24, [1, 0, $0.ubloxModel] + [UInt8](repeating: 0, count: 33))] }
        if chip == .ublox8 {
            // CFG-PMS: full power, and "aggressive 1 Hz" [UB M8; ME].
            table.endPowerSave = [.ubx(0x06, 0x86, [0, 0, 0, 0, 0, 0, 0, 0])]
            table.startPowerSave = [.ubx(0x06, 0x86, [0, 3, 0, 0, 0, 0, 0, 0])]
        } else {
            // CFG-PM2 cyclic tracking, then CFG-RXM power save; CFG-RXM continuous [UX; ME].
            table.endPowerSave = [.ubx(0x06, 0x11, [0x08, 0])]
            table.startPowerSave = [.ubx(0x06, 0x3B, cyclicTracking), .ubx(0x06, 0x11, [0x08, 1])]
        }
        // CFG-NAVX5 with only AssistNow Autonomous in its mask (bit 14), and the default orbit
        // error: version 0, from u-blox 8 on version 2 [UB; daedaleanai/ublox].
        var prediction = [UInt8](repeating: 0, count: 40)
        prediction[0] = chip == .ublox8 ? 2 : 0
        (prediction[3], prediction[27]) = (0x40, 1)
        table.predictOrbits = [.ubx(0x06, 0x23, prediction)]
        let knowsWakeSources = chip == .ublox8 && (protocolNumber ?? 0) >= 18
        table.sleepMethods = [isNativeUSB ? .ubloxStop : .ubloxStandby(knowsWakeSources: knowsWakeSources)]
        return table
    }

    /// Creates a CFG-MSG with a rate for each port: I2C, UART 1, UART 2, USB, SPI, one reserved.
    private static func ubloxMessage(_ group: UInt8, _ number: UInt8, isEnabled on: Bool) -> Command {
        let rate: UInt8 = on ? 1 : 0
        return .ubx(0x06, 0x01, [group, number, 0, rate, 0, rate, 0, 0])
    }

    /// CFG-PM2, version 1: cyclic tracking at 1 Hz, never off, ephemerides kept up to date, peak
    /// current limited: flags 0x00031100 [UX, ME].
    private static let cyclicTracking: [UInt8] = {
        var payload = [UInt8](repeating: 0, count: 44)
        payload[0] = 1
        payload.replaceSubrange(4..<8, with: UInt32(0x0003_1100).littleEndianBytes)
        payload.replaceSubrange(8..<12, with: UInt32(1000).littleEndianBytes)  // fix period, ms
        payload.replaceSubrange(12..<16, with: UInt32(10_000).littleEndianBytes)  // search period, ms
        return payload
    }()
}

extension SleepMethod {
    /// Returns the sleep method RXM-PMREQ on a serial line. The receiver loses its settings in RAM.
    /// Any edge on RX wakes it. The timer, in milliseconds, allows up to 12 days [UB 3.11.4].
    ///
    /// - Parameter knowsWakeSources: Whether to use the long form of protocol 18 and later, which
    ///   names RX as the wake source and forces the sleep.
    static func ubloxStandby(knowsWakeSources: Bool) -> SleepMethod {
        SleepMethod(
            name: .ubloxStandby,
            makeSleepCommand: { seconds in
                let duration = UInt32(clamping: min(seconds ?? 0, 1_036_800) * 1000).littleEndianBytes
                let payload =
                    knowsWakeSources ? [0, 0, 0, 0] + duration + [6, 0, 0, 0, 8, 0, 0, 0] : duration + [2, 0, 0, 0]
                return .ubx(0x02, 0x41, payload)
            },
            wakeTrigger: .byte([0xFF]), losesSettings: true)
    }

    /// CFG-RST 8 and 9, not acknowledged. On its own USB port, a sleeping receiver would leave the
    /// bus, or not sleep at all [UB F9P].
    static let ubloxStop = SleepMethod(
        name: .ubloxStop, makeSleepCommand: { _ in .ubx(0x06, 0x04, [0, 0, 8, 0], isAcknowledged: false) },
        wakeTrigger: .command,
        resumeCommands: [.ubx(0x06, 0x04, [0, 0, 9, 0], isAcknowledged: false)], state: .stopped)
}

extension Dynamics {
    /// The u-blox dynamic platform model: portable, pedestrian, automotive, airborne below 1 g [UB
    /// CFG-NAV5, CFG-NAVSPG-DYNMODEL].
    var ubloxModel: UInt8 {
        switch self {
        case .any: 0
        case .pedestrian: 3
        case .automotive: 4
        case .airborne: 6
        }
    }
}

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
        // CFG-ANA-USE_ANA.
        table.predictOrbits = [ubloxKey(0x1023_0001, [1])]
        table.sleepMethods = [isNativeUSB ? .ubloxStop : .ubloxStandby(knowsWakeSources: true)]
        return table
    }

    /// Creates a CFG-VALSET of one key in layer 1 (RAM).
    private static func ubloxKey(_ key: UInt32, _ value: [UInt8]) -> Command {
        .ubx(0x06, 0x8A, [0, 1, 0, 0] + key.littleEndianBytes + value)
    }
}
