import Chronology
import Locator

/// The current of a receiver in each state, and its times to first fix. The figures are from data
/// sheets, not measured on the connected receiver.
///
/// The sources are those of `docs/receiver-commands.md`: [UB] u-blox data sheets and integration
/// manuals, [L80] Quectel L80 and GlobalTop PA6H, [MA] Maestro A2100, [AT] ATGM336H and Seeed's
/// L76K, [LC] Quectel LC86G, LC76G, [ST] ST UM2231. Values that no data sheet states are marked
/// "estimated". They are on the high side, so that no saving is claimed that may not exist.
package struct EnergyFigures: Sendable, Equatable {
    /// Milliamperes while searching for satellites.
    package var acquiring: Double
    /// Milliamperes with a fix.
    package var tracking: Double
    /// Milliamperes in the power save mode of the driver; nil if it uses none.
    package var powerSave: Double?
    /// Milliamperes with the engine stopped and the processor awake; nil if no data sheet states
    /// it: then half of ``tracking`` is assumed.
    package var stopped: Double?
    /// Milliamperes asleep.
    package var standby: Double
    /// The supply voltage for these currents: 3 V at a module's pin. A receiver on USB turns the
    /// rest of its 5 V into heat.
    package var volts = 3.0
    /// Seconds to first fix when the ephemerides are at most two hours old.
    package var hotStart: Double
    /// Seconds to first fix when time and position are known and the ephemerides are not.
    package var warmStart: Double
    /// Seconds to first fix when nothing is known.
    package var coldStart: Double

    package func current(in state: ReceiverPowerState) -> Double {
        switch state {
        case .off: 0
        case .standby: standby
        case .stopped: stopped ?? tracking / 2
        case .acquiring: acquiring
        case .tracking, .closed: tracking
        case .powerSave: powerSave ?? tracking
        }
    }

    /// Returns the power in a state, in watts.
    ///
    /// - Parameter supply: The supply voltage: 5 for a receiver on USB, whose linear regulator
    ///   passes the same current; nil for the voltage at the module's pin.
    package func power(in state: ReceiverPowerState, supply: Double? = nil) -> Double {
        current(in: state) / 1000 * (supply ?? volts)
    }
}

extension EnergyFigures {
    package init(for chip: ReceiverChip) { self = EnergyFigures.figures(for: chip) }

    private static func figures(for chip: ReceiverChip) -> EnergyFigures {
        switch chip {
        // [UB NEO-6 data sheet]: 47 mA, 39 to 41 mA, power save 11 to 12 mA, backup 22 uA; first
        // fix 27 s.
        case .ublox6:
            row(acquiring: 47, tracking: 40, powerSave: 11.5, stopped: 7.5, standby: 0.022, hot: 1, warm: 27, cold: 27)
        // [UB NEO-7 data sheet]: 17 to 22, 17, 4.5 to 5 mA; first GPS fix 29 s. Backup current as
        // for the u-blox 6.
        case .ublox7:
            row(acquiring: 22, tracking: 17, powerSave: 5, stopped: 7.5, standby: 0.022, hot: 1, warm: 28, cold: 29)
        // [UB SAM-M8Q data sheet, table 8]: 32, 29, 9.5 mA at 3 V; standby 20 to 30 uA; first fix
        // 26 s, hot 1 s.
        case .ublox8:
            row(acquiring: 32, tracking: 29, powerSave: 9.5, stopped: 7.5, standby: 0.030, hot: 1, warm: 25, cold: 26)
        // [UB NEO-M9N]: 31 to 50 mA; 24 s cold, 2 s hot. Power save and standby estimated.
        case .ubloxM9:
            row(acquiring: 50, tracking: 36, powerSave: 20, stopped: 10, standby: 0.046, hot: 2, warm: 24, cold: 24)
        // [UB MAX-M10S]: below 25 mW in full operation, standby 35 to 46 uA, cold 23 to 29 s.
        // Acquisition, power save and stop estimated.
        case .ubloxM10:
            row(acquiring: 12, tracking: 8.3, powerSave: 4, stopped: 5, standby: 0.046, hot: 1, warm: 25, cold: 26)
        // [L80]: 25, 20 mA, standby 1 mA, GLP 10 to 14 mA [TE]; 30 to 35 s cold, 25 to 30 s warm,
        // hot 1 s.
        case .mediatek:
            row(acquiring: 25, tracking: 20, powerSave: 12, stopped: nil, standby: 1, hot: 1, warm: 28, cold: 33)
        // [LC]: about 11 to 26 mA, 10 mA, backup 35 uA; 26 s cold. Warm start estimated.
        case .airoha, .quectel:
            row(acquiring: 18.5, tracking: 10, powerSave: nil, stopped: nil, standby: 0.035, hot: 1, warm: 24, cold: 26)
        // [AT]: below 25 mA, standby 10 to 15 uA; 30 to 32 s cold.
        case .casic:
            row(acquiring: 25, tracking: 25, powerSave: nil, stopped: nil, standby: 0.015, hot: 1, warm: 28, cold: 31)
        // [MA] at 3.3 V: search 33.6, track 18.5, TricklePower 4.6 mA (not used: binary only),
        // hibernate 23.5 uA. Start times as SiRF IV.
        case .sirf:
            EnergyFigures(
                acquiring: 33.6, tracking: 18.5, powerSave: nil, stopped: nil, standby: 0.0235, volts: 3.3, hotStart: 1,
                warmStart: 33,
                coldStart: 35)
        // [ST]: 65 to 75 mW tracking, software standby below 20 uA. Acquisition estimated.
        case .teseo:
            row(acquiring: 35, tracking: 23, powerSave: nil, stopped: nil, standby: 0.02, hot: 2, warm: 30, cold: 34)
        // Estimated: a USB receiver of unknown make, between a SiRF III (60 to 80 mA) and the
        // others.
        case .generic:
            row(acquiring: 50, tracking: 40, powerSave: nil, stopped: nil, standby: 40, hot: 2, warm: 33, cold: 40)
        }
    }

    private static func row(
        acquiring: Double, tracking: Double, powerSave: Double?, stopped: Double?, standby: Double,
        hot: Double, warm: Double,
        cold: Double
    ) -> EnergyFigures {
        EnergyFigures(
            acquiring: acquiring, tracking: tracking, powerSave: powerSave, stopped: stopped, standby: standby,
            hotStart: hot,
            warmStart: warm, coldStart: cold)
    }
}

extension EnergyFigures {
    /// Returns the source of a chip's figures in ``init(for:)``, as text for users.
    package static func source(of chip: ReceiverChip) -> String {
        switch chip {
        case .ublox6: "u-blox NEO-6 data sheet"
        case .ublox7: "u-blox NEO-7 data sheet"
        case .ublox8: "u-blox SAM-M8Q data sheet, table 8"
        case .ubloxM9: "u-blox NEO-M9N data sheet; power save and standby estimated"
        case .ubloxM10: "u-blox MAX-M10S data sheet; acquisition and power save estimated"
        case .mediatek: "Quectel L80 and GlobalTop PA6H data sheets"
        case .airoha, .quectel: "Quectel LC86G and LC76G data sheets"
        case .casic: "ATGM336H and L76K data sheets"
        case .sirf: "Maestro A2100 manual"
        case .teseo: "ST UM2231; acquisition estimated"
        case .generic: "unknown chip; typical values used"
        }
    }
}

extension ReceiverCosts {
    /// Creates the costs of waking a receiver with this chip. If a receiver cannot sleep, the
    /// daemon can close its port, which saves wakeups of the host.
    package init(_ chip: ReceiverChip) {
        let figures = EnergyFigures(for: chip)
        self.init(hotStart: .seconds(figures.hotStart), searchFactor: figures.acquiring / figures.tracking)
    }
}
