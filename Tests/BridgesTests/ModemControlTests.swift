import Bridges
import Chronology
import SextantAPI
import Testing
import Varlink

/// The control of a modem's GNSS, over a session of properties as ModemManager publishes them for a
/// Quectel EC25: plugged in, enabled, registered.
struct ModemControlTests {
    static let modem = "/org/freedesktop/ModemManager1/Modem/0"
    static let product = "QUALCOMM INCORPORATED QUECTEL Mobile Broadband Module"

    /// The reply of `GetManagedObjects` in the named states.
    static func objects(
        state: Int, lock: Int = 1, failure: Int = 0, sources: Int? = 0b1_0111, enabled: ModemSources = [],
        port: String = ",[\"ttyUSB1\",5]", path: String = modem, model: String = "QUECTEL Mobile Broadband Module",
        signals: Bool = false
    ) throws -> [Modem] {
        let location =
            sources.map {
                """
                ,"org.freedesktop.ModemManager1.Modem.Location":{"Capabilities":\($0),"SupportedAssistanceData":0,
                "Enabled":\(enabled.rawValue),"SignalsLocation":\(signals),"Location":{},"SuplServer":""}
                """
            } ?? ""
        let text = """
            {"\(path)":{"org.freedesktop.ModemManager1.Modem":{"State":\(state),"StateFailedReason":\(failure),
            "UnlockRequired":\(lock),"UnlockRetries":{"2":3,"4":10},"Manufacturer":"QUALCOMM INCORPORATED",
            "Model":"\(model)","Plugin":"quectel","PrimaryPort":"cdc-wdm0",
            "SignalQuality":[67,true],
            "Ports":[["cdc-wdm0",6],["ttyUSB0",4]\(port),["ttyUSB2",3],["ttyUSB3",3],["wwan0",2]]}\(location),
            "org.freedesktop.ModemManager1.Modem.Signal":{"Rate":0}}}
            """
        return Modem.all(in: try JSONValue(parsing: Array(text.utf8)))
    }

    static func receivers(_ state: ReceiverHealth, _ activity: DriverActivity? = nil) -> Receivers {
        let counts = ReceiverCounts(
            bytes: 0, sentences: 0, unknown: 0, epochs: 0, fixes: 0, checksumErrors: 0, missingChecksums: 0,
            overlong: 0, truncated: 0, malformed: 0, strayBytes: 0)
        var receiver = Receiver(
            name: "ttyUSB1", port: "/dev/ttyUSB1", says: [], state: state, isPrimary: true, counts: counts,
            satellites: [])
        receiver.driver = activity.map { DriverState(activity: $0, isUnresponsive: false) }
        return Receivers(receivers: [receiver])
    }

    static func unconfirmed(_ state: ReceiverHealth, _ detail: String = "closed") -> Receivers {
        Receivers(
            receivers: [],
            unconfirmedPorts: [
                UnconfirmedPort(
                    name: "ttyUSB1", port: "/dev/ttyUSB1", state: state, cause: .starting, detail: detail)
            ])
    }

    static func consumer(silent: Bool = false, passive: Bool = false, receiver: String? = nil) -> Consumer {
        var consumer = Consumer(
            purpose: .default, uid: 0, significantChange: false, passive: passive, since: UTCTime(milliseconds: 0),
            seconds: 0, holds: false, silent: silent)
        consumer.receiver = receiver
        return consumer
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(100 + seconds) }

    /// The calls of `Setup` among the actions.
    private func setups(_ control: inout ModemControl) -> [UInt32] {
        control.takeActions().compactMap { if case .setUp(_, let sources, _) = $0 { sources.rawValue } else { nil } }
    }

    private func problems(_ control: inout ModemControl) -> [String] {
        control.takeActions().compactMap { if case .problem(let text) = $0 { text } else { nil } }
    }

    @Test func `the own bit alone is set while the daemon needs the receiver, and cleared after`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.unconfirmed(.detectingBaudRate), at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .init(rawValue: 1)), at: at(0))
        #expect(
            control.takeActions() == [
                .state("\(ModemControlTests.product): sextantd reads its GNSS at /dev/ttyUSB1 (gps-unmanaged)"),
                .setUp(path: ModemControlTests.modem, [.unmanaged, .init(rawValue: 1)], signals: false),
            ])
        control.setUpEnded(nil, at: at(1))
        #expect(control.takeActions() == [.readModems])
        let on = try ModemControlTests.objects(state: 8, enabled: .init(rawValue: 17))
        control.update(modems: on, at: at(1))
        for state in [ReceiverHealth.sendingWithoutFix, .hasFix, .silent] {
            control.update(receivers: ModemControlTests.receivers(state), at: at(5))
        }
        #expect(control.takeActions().isEmpty && control.deadline == nil)
        control.update(receivers: ModemControlTests.receivers(.hasFix, .portClosed), at: at(60))
        #expect(setups(&control) == [1])
        control.setUpEnded(nil, at: at(60))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .init(rawValue: 1)), at: at(60))
        #expect(setups(&control).isEmpty && control.lastSetup == nil)
        // The daemon opens the port again when a program needs it.
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(90))
        #expect(setups(&control) == [17])
    }

    @Test func `a source that another program has switched on is left on`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.hasFix), at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .unmanaged), at: at(0))
        control.update(receivers: ModemControlTests.receivers(.hasFix, .portClosed), at: at(60))
        #expect(setups(&control).isEmpty && control.lastSetup == nil)
    }

    @Test func `a bit that another program clears is set again, at most every two seconds`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.hasFix), at: at(0))
        let off = try ModemControlTests.objects(state: 8)
        control.update(modems: off, at: at(0))
        #expect(setups(&control) == [16])
        control.setUpEnded(nil, at: at(0.1))
        control.update(modems: off, at: at(0.1))
        #expect(setups(&control).isEmpty && control.deadline == at(2))
        control.tick(at: at(2))
        #expect(setups(&control) == [16])
    }

    @Test func `a program that clears the bit again and again is named once, and answered later and later`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.hasFix), at: at(0))
        let off = try ModemControlTests.objects(state: 8)
        control.update(modems: off, at: at(0))
        var (texts, instants): ([String], [Double]) = ([], [])
        var now = 0.0
        for _ in 0..<10 {
            control.setUpEnded(nil, at: at(now))
            control.update(modems: off, at: at(now))
            texts += problems(&control)
            let due = try #require(control.deadline)
            now = (due - at(0)).seconds
            instants.append(now)
            control.tick(at: due)
        }
        texts += problems(&control)
        #expect(instants == [2, 4, 8, 16, 32, 64, 128, 256, 512, 812])
        #expect(texts.count == 1 && texts[0].contains("another program has switched the GNSS"))
        // The GNSS has stayed on for long, and is switched off at once when it is not needed.
        control.setUpEnded(nil, at: at(now))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .unmanaged), at: at(now))
        control.update(modems: off, at: at(2000))
        #expect(problems(&control).count == 1)
        control.setUpEnded(nil, at: at(2000))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .unmanaged), at: at(2000))
        _ = control.takeActions()
        control.update(receivers: ModemControlTests.receivers(.hasFix, .portClosed), at: at(2002))
        #expect(setups(&control) == [0])
    }

    @Test(arguments: [
        (3, 1, 0, "is not enabled: run mmcli -m any --enable"),
        (1, 2, 0, "is locked: unlock it with mmcli -i any --pin"),
        (1, 4, 0, "needs its PUK: unlock it with mmcli -i any --puk=PUK"),
        (1, 6, 0, "with the code that mmcli -m any names"),
        (-1, 0, 2, "has no SIM that works: insert one"), (-1, 0, 4, "has failed"),
        (-1, 0, 5, "has an eSIM without a profile"),
    ])
    func `what ModemManager cannot do is named, and tried again when the state changes`(
        _ state: Int, _ lock: Int, _ failure: Int, _ text: String
    ) throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(0))
        control.update(
            modems: try ModemControlTests.objects(state: state, lock: lock, failure: failure), at: at(0))
        // ModemManager 1.24 can: so it is tried.
        #expect(setups(&control) == [16])
        control.setUpEnded(("org.freedesktop.ModemManager1.Error.Core.WrongState", "not yet enabled"), at: at(0))
        #expect(problems(&control).first?.contains(text) == true)
        control.update(
            modems: try ModemControlTests.objects(state: state, lock: lock, failure: failure), at: at(3))
        #expect(setups(&control).isEmpty && control.deadline == at(5))
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(3))
        #expect(setups(&control) == [16])
    }

    @Test func `failures are repeated ever more rarely`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(0))
        let modems = try ModemControlTests.objects(state: 8)
        control.update(modems: modems, at: at(0))
        var calls: [Double] = []
        for second in 0..<1000 {
            control.tick(at: at(Double(second)))
            if !setups(&control).isEmpty {
                calls.append(Double(second))
                control.setUpEnded(
                    ("org.freedesktop.ModemManager1.Error.Core.Unauthorized", "no"), at: at(Double(second)))
                control.update(modems: modems, at: at(Double(second)))
            }
        }
        #expect((5...10).contains(calls.count), "\(calls)")
    }

    @Test func `a modem that ModemManager has not prepared is named`() throws {
        var control = ModemControl(name: "modem")
        control.update(
            modems: try ModemControlTests.objects(state: -1, lock: 0, failure: 2, sources: nil), at: at(0))
        #expect(problems(&control).first?.contains("ModemManager 1.24") == true)
        control.update(modems: nil, at: at(1))
        #expect(
            control.takeActions() == [.state("ModemManager does not run: sudo systemctl enable --now ModemManager")])
    }

    @Test func `a port that the daemon does not read is named, and keeps no GNSS on`() throws {
        var control = ModemControl(name: "modem")
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(0))
        _ = control.takeActions()
        control.update(receivers: Receivers(receivers: []), at: at(1))
        #expect(problems(&control).first?.contains("device = \"/dev/ttyUSB1\"") == true)
        control.update(receivers: ModemControlTests.unconfirmed(.absent, "it stays closed"), at: at(2))
        #expect(control.takeActions() == [.problem("it stays closed")])
    }

    @Test func `GNSS stays on while the daemon restarts, and not while it is away`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.hasFix), at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(0))
        control.setUpEnded(nil, at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .unmanaged), at: at(0))
        control.update(receivers: nil, at: at(10))
        control.update(receivers: ModemControlTests.receivers(.hasFix), at: at(12))
        _ = control.takeActions()
        #expect(control.deadline == nil)
        control.update(receivers: nil, at: at(20))
        control.tick(at: at(49))
        #expect(setups(&control).isEmpty)
        control.tick(at: at(50))
        #expect(setups(&control) == [0])
    }

    @Test func `without a port, sentences are read while a program has a request`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: Receivers(receivers: []), at: at(0))
        let off = try ModemControlTests.objects(state: 8, sources: 7, port: "")
        control.update(modems: off, at: at(0))
        #expect(control.takeActions().contains(.provide(product: ModemControlTests.product)))
        control.setUpEnded(nil, at: at(0))
        control.update(
            modems: try ModemControlTests.objects(state: 8, sources: 7, enabled: .nmea, port: ""), at: at(0))
        _ = control.takeActions()
        control.tick(at: at(1))
        #expect(control.takeActions() == [.readSentences(path: ModemControlTests.modem)])
        control.tick(at: at(5))
        #expect(control.takeActions().contains(.readConsumers))
        control.update(consumers: [ModemControlTests.consumer(receiver: "modem")], at: at(5))
        // The last request ends, and other programs have none that needs a receiver now.
        let idle = [
            [], [ModemControlTests.consumer(passive: true)], [ModemControlTests.consumer(receiver: "ttyACM0")], [],
        ]
        for (index, consumers) in idle.enumerated() {
            #expect(setups(&control).isEmpty)
            control.update(consumers: consumers, at: at(10 + Double(index) * 5))
        }
        #expect(setups(&control) == [0])
        control.setUpEnded(nil, at: at(26))
        control.update(modems: off, at: at(26))
        _ = control.takeActions()
        control.tick(at: at(30))
        #expect(control.takeActions() == [.readConsumers] && control.deadline == at(35))
        control.update(consumers: [ModemControlTests.consumer()], at: at(30))
        #expect(setups(&control) == [4])
    }

    @Test func `while ModemManager reads the sentences for another program, they are taken from it`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .nmea), at: at(0))
        #expect(control.takeActions().contains(.provide(product: ModemControlTests.product)))
        // GeoClue has stopped.
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(50))
        let actions = control.takeActions()
        #expect(actions.first == .withdraw)
        #expect(actions.contains(.setUp(path: ModemControlTests.modem, .unmanaged, signals: false)))
    }

    @Test func `a replugged modem is set up again`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(0))
        control.setUpEnded(nil, at: at(0))
        control.update(modems: try ModemControlTests.objects(state: 8, enabled: .unmanaged), at: at(0))
        control.update(modems: [], at: at(10))
        _ = control.takeActions()
        control.update(modems: try ModemControlTests.objects(state: 8), at: at(20))
        #expect(setups(&control) == [16])
    }
}
