import Chronology
import Delivery

extension ReceiverCosts {
    /// What waking costs a receiver of that chip. Where it cannot be put to sleep its port can be closed, which saves the computer's wakeups.
    public init(_ chip: ReceiverChip) {
        let figures = EnergyFigures.of(chip)
        self.init(hotStart: .seconds(figures.hotStart), searchFactor: figures.acquiring / figures.tracking)
    }
}
