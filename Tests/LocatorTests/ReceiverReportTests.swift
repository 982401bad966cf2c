import Chronology
import Locator
import NMEA
import Positioning
import Testing

@Suite struct ReceiverReportTests {
    private func report(_ stage: Stage) throws -> ReceiverReport {
        try #require(stage.locator.reports(at: stage.now).first)
    }

    @Test func `a receiver with a fix is reported in full`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.receive(line("GPTXT,01,01,02,u-blox ag - www.u-blox.com") + "junk" + line("GPXTE,A,A,0.67,L,N"), from: 1)
        stage.fixes(1, from: 0, seconds: 5)
        stage.receive(line("GPGSV,1,1,02,02,25,181,42,05,45,090,40"), from: 1)
        let report = try report(stage)
        #expect((report.name, report.port) == ("tty1", "/dev/tty1"))
        #expect(report.health == .hasFix)
        #expect(report.detail == nil)
        #expect((report.epochs, report.fixes) == (5, 5))
        #expect(report.rate == 1)
        #expect(report.lastEpoch?.description == "2026-11-21T12:00:04.000Z")
        #expect(report.texts == ["u-blox ag - www.u-blox.com"])
        #expect(report.counts.sentences == 13)
        #expect(report.counts.unknown == 1)
        #expect(report.counts.strayBytes == 4)
        #expect(report.sky.satellites.map(\.number) == [2, 5])
    }

    @Test func `the positions of a receiver that announces itself as simulated are marked`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(7)
        stage.fixes(1, from: 0, seconds: 2)
        #expect(try !report(stage).isSimulated && stage.simulated == [false, false])
        stage.receive(line("GPTXT,01,01,02,SIMULATED BY SEXTANT"), from: 1)
        stage.fixes(1, from: 2, seconds: 2)
        #expect(try report(stage).isSimulated && stage.simulated.suffix(2) == [true, true])
        #expect(try report(stage).texts.isEmpty)
        // Another receiver may be behind the port when it opens again.
        stage.set(.absent("gone", lost: true), of: 1)
        stage.set(.open, of: 1)
        stage.fixes(1, from: 8, seconds: 2)
        #expect(try !report(stage).isSimulated && stage.simulated.last == false)
    }

    @Test func `a receiver in simulator mode is simulated and has no position`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.receive(
            line("GPGGA,120000.00,4717.11399,N,00833.91590,E,8,08,1.0,499.6,M,48.0,M,,")
                + line("GPRMC,120000.00,A,4717.11399,N,00833.91590,E,0.0,,211126,,,S"), from: 1)
        stage.wait(1)
        let report = try report(stage)
        #expect(report.isSimulated && report.epochs == 1 && report.fixes == 0)
    }

    @Test(arguments: [
        (PortStatus.absent("gone", lost: true), ReceiverHealth.absent), (.denied("no"), .denied),
        (.busy("held"), .busy),
        (.detectingBaudRate("no sense"), .detectingBaudRate),
        (.open, .silent),
    ])
    func `each port status has its health`(status: PortStatus, health: ReceiverHealth) throws {
        var stage = Stage()
        stage.attach(1, status: status)
        #expect(try report(stage).health == health)
        #expect(try report(stage).detail != nil)
    }

    /// A partial sentence, the sky, the rate and the date end with the port; the counts continue.
    @Test func `a reopened port starts with an empty state`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.fixes(1, from: 0, seconds: 3)
        stage.receive(line("GPGSV,1,1,02,02,25,181,42,05,45,090,40") + "$GPGGA,12", from: 1)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.set(.open, of: 1)
        var report = try report(stage)
        #expect(report.sky.satellites.isEmpty)
        #expect(report.rate == nil)
        #expect(report.counts.sentences == 7)
        #expect(report.epochs == 3)
        stage.receive(
            "3000,4717.1,N\r\n" + line("GPGGA,120009.00,4717.11399,N,00833.91590,E,1,08,1,499.6,M,48.0,M,,"), from: 1)
        stage.wait(1)
        report = try self.report(stage)
        #expect(report.counts.truncated == 0)
        #expect(report.epochs == 4)
        #expect(report.lastEpoch == nil)
    }

    @Test func `texts are kept once and their number is limited`() throws {
        var stage = Stage()
        stage.attach(1)
        for number in 0..<100 { stage.receive(line("GPTXT,01,01,02,text \(number / 2)"), from: 1) }
        #expect(try report(stage).texts.count <= 16)
        #expect(try report(stage).texts.last == "text 49")
    }

    /// The daemon gives the core its date, which dates epochs before the receiver can.
    @Test func `the reference date dates epochs`() throws {
        var stage = Stage()
        stage.locator.setReference(try #require(UTCTime(rfc3339: "2026-06-15T12:00:00Z")), guessesDay: true)
        stage.attach(1)
        stage.receive(line("GPGGA,115900.00,4717.11399,N,00833.91590,E,1,08,1,499.6,M,48.0,M,,"), from: 1)
        stage.wait(1)
        #expect(try report(stage).lastEpoch?.description == "2026-06-15T11:59:00.000Z")
    }

    /// The identity and the satellites in several parts reach the report; another receiver at the
    /// same port starts with an empty state.
    @Test func `the identity of the receiver is reported`() throws {
        var stage = Stage()
        stage.attach(1)
        #expect(try !report(stage).identity.isKnown)
        stage.receive(line("GNTXT,01,01,02,HW UBX-M8030 00080000") + line("GNTXT,01,01,02,FWVER=SPG 3.01"), from: 1)
        let nine = "PUBX,03,9" + String(repeating: ",1,U,001,01,40,064", count: 9)
        stage.receive(line(nine), from: 1)
        let known = try report(stage)
        #expect(
            (known.identity.vendor, known.identity.chipset, known.identity.firmware) == (
                "u-blox", "UBX-M8030", "SPG 3.01"
            ))
        #expect(known.sky.satellites.count == 9)
        #expect(known.counts.sentences == 3)
        stage.set(.absent("unplugged", lost: true), of: 1)
        stage.set(.open, of: 1)
        #expect(try !report(stage).identity.isKnown)
        #expect(try report(stage).texts.isEmpty)
        stage.receive(line("PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0"), from: 1)
        #expect(try report(stage).identity.chipset == "MT3339")
    }

    /// A Teseo reports its antenna in a sentence of its own.
    @Test func `an open antenna is reported`() throws {
        var stage = Stage()
        stage.attach(1)
        stage.receive(line("PSTMANTENNASTATUS,1,0,0,0"), from: 1)
        stage.noFix(1)
        stage.wait(1)
        #expect(try report(stage).detail?.contains("antenna is not connected") == true)
    }
}

extension Stage {
    /// Whether each epoch with a position is simulated, in order.
    fileprivate var simulated: [Bool] {
        effects.compactMap { effect in
            guard case .receiver(.epoch(_, let fix)) = effect, fix.coordinate != nil else { return nil }
            return fix.isSimulated
        }
    }
}
