import Chronology
import Delivery

// From an open port to a receiver whose language is known.
extension ReceiverDriver {
    /// The port is open; nothing is known of what is at its other end but what was known before.
    mutating func begin(at now: Instant) {
        script = CommandScript()
        ear = CommandEar()
        proof = GNSSProof()
        watch = PeriodWatch()
        (lastHeard, chip) = (nil, nil)
        present.forget()
        isRestored = false
        let mayRouse = settings.memory?.isAsleep == true && !settings.isPassive
        phase = .unproven(rouse: mayRouse ? now + rousingPause : nil)
    }

    /// A receiver known to sleep has said nothing: it is woken as its kind is.
    mutating func rouse(at now: Instant) {
        guard let memory = settings.memory else { return phase = .unproven(rouse: nil) }
        if let lastHeard, now - lastHeard < ReceiverDriver.rousingTime {
            // Something comes, if nothing that is understood: perhaps at another speed. It is not asleep.
            return phase = .unproven(rouse: now + ReceiverDriver.rousingTime)
        }
        table = .of(memory.chip, protocolNumber: memory.protocolNumber, isNativeUSB: settings.isNativeUSB)
        guard let method = table.sleeps.first else { return phase = .unproven(rouse: nil) }
        wake(method, attempt: 1, now)
    }

    /// The port has shown GNSS NMEA.
    mutating func proven(at now: Instant) {
        guard !settings.isPassive else { return known(as: .generic, at: now) }
        watch.restart()
        phase = .listening(until: now + ReceiverDriver.listeningTime)
    }

    /// Whether a receiver that was talking has stopped: questions to it would be written for nothing, and each is a wakeup.
    func hasFallenSilent(at now: Instant) -> Bool {
        guard let lastHeard else { return true }
        let patience = watch.period.map { max(Instant.Span.seconds(1), .milliseconds(Int64($0) * 5 / 2)) } ?? .seconds(2.5)
        return now - lastHeard > patience
    }

    /// Enough has been listened to. What a receiver said of itself is not asked of it again.
    mutating func identify(at now: Instant) {
        guard evidence.chip == nil else { return known(as: evidence.chip ?? .generic, at: now) }
        let probes = evidence.isUblox ? [Probe.all[0]] : Probe.all
        let steps = probes.enumerated().map {
            CommandScript.Step(purpose: $0.element.purpose(place: $0.offset), command: $0.element.command)
        }
        start(steps, .questioning, at: now)
    }

    /// A question has been answered.
    mutating func answered(_ place: Int, at now: Instant) {
        script = CommandScript()
        let chip = Probe.all.indices.contains(place) ? Probe.all[place].chip : nil
        known(as: chip ?? evidence.chip ?? .generic, at: now)
    }

    /// It is known who this is; what it was set to is what it does now.
    mutating func known(as chip: ReceiverChip, at now: Instant) {
        self.chip = chip
        table = .of(chip, protocolNumber: evidence.protocolNumber ?? settings.memory?.protocolNumber, isNativeUSB: settings.isNativeUSB)
        initialSentences = watch.formatters
        initial = RunSettings(period: watch.period ?? 1000)
        present = RunSettings(period: watch.period)
        if let memory = settings.memory, memory.chip == chip { recall(memory) }
        phase = .working
        pursue(now)
    }

    /// An earlier life did not come to taking back what it had set: that is still to be done.
    private mutating func recall(_ memory: ReceiverMemory) {
        initial.period = memory.ownPeriod ?? 1000
        if memory.dynamics != .any { present.dynamics = nil }
        if memory.statesError {
            present.statesError = initialSentences.contains("GST") || initialSentences.contains("PUBX00")
            initialSentences.subtract(["GST", "PUBX00"])
        }
        var awake = memory
        awake.isAsleep = false
        act(.remember(awake))
    }

    /// What the state directory shall know of this receiver.
    func memory(isAsleep: Bool) -> ReceiverMemory? {
        guard let chip else { return nil }
        var memory = ReceiverMemory(
            chip: chip, protocolNumber: evidence.protocolNumber ?? settings.memory?.protocolNumber, isAsleep: isAsleep)
        memory.ownPeriod = initial.period
        memory.dynamics = wanted.dynamics ?? .any
        memory.statesError = wanted.statesError || present.statesError
        return memory
    }
}
