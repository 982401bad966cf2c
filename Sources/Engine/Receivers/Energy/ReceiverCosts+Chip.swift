import Chronology
import Locator

extension ReceiverCosts {
    /// Creates the costs of waking a receiver with this chip. If a receiver cannot sleep, the
    /// daemon can close its port, which saves wakeups of the host.
    package init(_ chip: ReceiverChip) {
        let figures = EnergyFigures(for: chip)
        self.init(hotStart: .seconds(figures.hotStart), searchFactor: figures.acquiring / figures.tracking)
    }
}
