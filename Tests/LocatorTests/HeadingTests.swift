import Chronology
import Locator
import Positioning
import TestSupport
import Testing

/// The heading of the device: choice of the source, filter, rate and demand.
@Suite struct HeadingTests {
    private func watching(filter: Double = 0, isPassive: Bool = false) -> Stage {
        var stage = Stage()
        stage.attach(1)
        stage.watchHeading(9, HeadingRequest(filter: filter, isPassive: isPassive))
        return stage
    }

    @Test func `the first update is the current state`() throws {
        var stage = watching()
        #expect(stage.headings(9).map(\.cause) == [.starting])
        stage.receive(line("GPHDT,218.8,T"), from: 1)
        #expect(stage.headings(9).last?.heading == nil, "within the minimum interval")
        stage.wait(0.05)
        stage.receive(line("GPHDT,219.8,T"), from: 1)
        stage.wait(0.06)
        #expect(stage.headings(9).compactMap { $0.heading?.trueHeading } == [219.8], "the latest, when it may be sent")
        #expect(stage.headings(9).last?.receiver == "tty1")
        stage.watchHeading(8)
        #expect(stage.headings(8).map { $0.heading?.source } == [.hdt])
        #expect(stage.locator.currentHeading(at: stage.now).heading?.trueHeading == 219.8)
    }

    @Test func `a heading without a successor ends after five seconds`() throws {
        var stage = watching()
        stage.wait(1)
        stage.receive(line("GPHDT,218.8,T"), from: 1)
        stage.wait(4.9)
        #expect(stage.headings(9).last?.heading != nil)
        stage.wait(0.2)
        let last = try #require(stage.headings(9).last)
        #expect(last.heading == nil && last.detail != nil)
        #expect(stage.headings(9).count == 3)
        #expect(stage.locator.currentHeading(at: stage.now).heading == nil)
    }

    @Test func `only a change of the filter's size is published`() {
        var stage = watching(filter: 5)
        for degrees in [10.0, 12, 14.9, 15, 359, 3, 4, 355] {
            stage.wait(1)
            stage.receive(line("GPHDT,\(degrees),T"), from: 1)
        }
        #expect(stage.headings(9).compactMap { $0.heading?.trueHeading } == [10, 15, 359, 4, 355])
    }

    @Test func `at most ten headings per second are published, the latest first`() {
        var stage = watching()
        stage.wait(1)
        for index in 0..<200 {
            stage.receive(line("GPHDT,\(index).0,T"), from: 1)
            stage.wait(0.02)
        }
        let sent = stage.headings(9).compactMap { $0.heading?.trueHeading }
        #expect((38...41).contains(sent.count) && sent.first == 0 && sent == sent.sorted())
    }

    @Test func `several reports of one read cause one update`() {
        var stage = watching()
        stage.wait(1)
        stage.receive((0..<20).map { line("GPHDT,\($0).0,T") }.joined(), from: 1)
        #expect(stage.headings(9).compactMap { $0.heading?.trueHeading } == [19])
    }

    @Test func `a better source takes over after five seconds without a gap`() {
        var stage = watching()
        stage.wait(1)
        for second in 0..<12 {
            stage.receive(line("HCHDM,90,M"), from: 1)
            if second >= 2 { stage.receive(line("GPHDT,100,T"), from: 1) }
            stage.wait(1)
        }
        let sources = stage.headings(9).compactMap { $0.heading?.source }
        #expect(sources == Array(repeating: .hdm, count: 8) + Array(repeating: .hdt, count: 5))
    }

    @Test func `a source that stops is replaced when it expires`() {
        var stage = watching()
        stage.wait(1)
        for second in 0..<12 {
            stage.receive(line("HCHDM,90,M"), from: 1)
            if second < 4 { stage.receive(line("GPHDT,100,T"), from: 1) }
            stage.wait(1)
        }
        let sources = stage.headings(9).compactMap { $0.heading?.source }
        // HDM arrived first. Neither source replaces the other before it has reported for 5 s.
        #expect(sources.first == .hdm && !sources.contains(.hdt))
    }

    @Test func `a compass replaces a course at once`() {
        var stage = watching()
        stage.drive(1, from: 0, seconds: 5)
        #expect(stage.headings(9).last?.heading?.source == .course)
        #expect(stage.headings(9).last?.heading?.accuracy != nil)
        stage.receive(line("HCHDM,90,M"), from: 1)
        #expect(stage.headings(9).last?.heading?.source == .hdm)
        #expect(stage.headings(9).last?.heading?.variationSource == .model)
    }

    @Test func `a device at rest has no course`() {
        var stage = watching()
        stage.drive(1, from: 0, seconds: 5)
        stage.fixes(1, from: 5, seconds: 3)
        #expect(stage.headings(9).last?.heading == nil)
        #expect(stage.headings(9).last?.cause == nil && stage.headings(9).last?.detail != nil)
    }

    @Test func `the port's end is the heading's end`() {
        var stage = watching()
        stage.wait(1)
        stage.receive(line("GPHDT,218.8,T"), from: 1)
        stage.set(.absent("gone", lost: true), of: 1)
        #expect(stage.headings(9).last?.cause == .receiverLost)
        stage.detach(1)
        #expect(stage.headings(9).last?.cause == .noReceiver)
    }

    @Test func `the best source of several receivers counts`() {
        var stage = watching()
        stage.attach(2)
        stage.wait(1)
        for _ in 0..<8 {
            stage.receive(line("HCHDM,90,M"), from: 1)
            stage.receive(line("GNTHS,100,A"), from: 2)
            stage.wait(1)
        }
        #expect(stage.headings(9).last?.receiver == "tty2")
        stage.detach(2)
        #expect(stage.headings(9).last?.receiver == "tty1")
        #expect(stage.headings(9).last?.heading?.source == .hdm)
    }

    @Test func `a subscriber keeps the receiver on, also at rest`() {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.locator.emitsReadPolicies = true
        stage.attach(1)
        stage.clearEffects()
        stage.watchHeading(9)
        stage.subscribe(1, configuration: .default)
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.plans(1).allSatisfy { if case .run = $0 { true } else { false } })
        #expect(stage.readPolicies(1).last == .immediate)
        #expect(stage.locator.requests.demands.first { $0.id == RequestID(9) }?.demand?.isLowLatency == true)
        stage.locator.cancel([RequestID(9), RequestID(1)])
        stage.wait(40)
        #expect(stage.plans(1).last == .sleepIndefinitely && stage.locator.deadline() == nil)
    }

    @Test func `a passive subscriber makes no demand`() {
        var stage = Stage()
        stage.locator.emitsPlans = true
        stage.attach(1)
        stage.watchHeading(9, HeadingRequest(isPassive: true))
        stage.wait(40)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        #expect(
            stage.locator.requests.demands.map(\.id) == [RequestID(9)]
                && stage.locator.requests.demands.first?.demand == nil)
    }

    @Test func `without subscribers nothing is published`() {
        var stage = Stage()
        stage.attach(1)
        stage.receive(line("GPHDT,218.8,T"), from: 1)
        stage.watchHeading(9)
        stage.locator.cancel([RequestID(9)])
        stage.clearEffects()
        stage.wait(1)
        stage.receive(line("GPHDT,219.8,T"), from: 1)
        #expect(stage.headings(9).isEmpty && stage.locator.deadline() == nil)
    }

    /// Random sources that come and go, in random time.
    @Test(arguments: 0..<40)
    func `any sequence of sources keeps the rules`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var stage = Stage()
        stage.attach(1)
        stage.attach(2)
        stage.watchHeading(9, HeadingRequest(filter: Double(seed % 3) * 4))
        let bodies = [
            "GPHDT,%,T", "GNTHS,%,A", "HCHDG,%,,,1.3,E", "HCHDM,%,M", "GNHPR,120000.00,%,0,0,4,14", "GNTHS,%,V",
        ]
        var sending: Set<Int> = []
        var lastReport = Instant.zero - .seconds(10)
        var lastSent = lastReport
        for _ in 0..<600 {
            if random.share() < 0.05 {
                sending.formSymmetricDifference([Int.random(in: 0..<bodies.count, using: &random)])
            }
            for index in sending where random.share() < 0.7 {
                let degrees = Int.random(in: 0..<360, using: &random)
                let before = stage.headings(9).count
                stage.receive(line(bodies[index].replacing("%", with: "\(degrees)")), from: 1 + index % 2)
                if !bodies[index].hasSuffix("V") { lastReport = stage.now }
                guard stage.headings(9).count > before, let heading = stage.headings(9).last?.heading else { continue }
                #expect(stage.now - lastSent >= .milliseconds(100) && stage.now - lastReport < .seconds(5))
                #expect((0..<360).contains(heading.trueHeading ?? heading.magneticHeading ?? -1))
                lastSent = stage.now
            }
            stage.wait(random.share())
            let isReported = stage.now - lastReport < .seconds(5)
            #expect((stage.locator.currentHeading(at: stage.now).heading != nil) == isReported)
            if !isReported { #expect(stage.headings(9).last?.heading == nil) }
        }
    }
}

extension Stage {
    mutating func watchHeading(_ number: Int, _ request: HeadingRequest = HeadingRequest()) {
        let update = locator.watchHeading(request, id: RequestID(number), at: now)
        effects += locator.takeEffects()
        effects.append(.heading(update, [RequestID(number)]))
    }

    /// Returns the updates about the heading published to a watcher.
    func headings(_ number: Int) -> [HeadingChange] {
        effects.compactMap { effect in
            guard case .heading(let update, let watchers) = effect, watchers.contains(RequestID(number)) else {
                return nil
            }
            return update
        }
    }
}
