import Bridges
import Chronology
import SextantAPI
import Testing

/// The control of a modem's GNSS when something fails or changes in the middle.
struct ModemFailureTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(100 + seconds) }

    /// A control with the GNSS on at 0 s, on the port of the modem or with the sentences of
    /// ModemManager.
    private func running(sentences: Bool = false) throws -> ModemControl {
        var control = ModemControl(name: "modem")
        control.update(
            receivers: sentences ? Receivers(receivers: []) : ModemControlTests.receivers(.hasFix), at: at(0))
        control.update(modems: try modems(sentences: sentences), at: at(0))
        control.setUpEnded(nil, at: at(0))
        control.update(modems: try modems(sentences: sentences, isOn: true), at: at(0))
        _ = control.takeActions()
        return control
    }

    private func modems(
        sentences: Bool = false, isOn: Bool = false, path: String = ModemControlTests.modem
    ) throws -> [Modem] {
        let source: ModemSources = sentences ? .nmea : .unmanaged
        return try ModemControlTests.objects(
            state: 8, sources: sentences ? 7 : 0b1_0111, enabled: isOn ? source : [],
            port: sentences ? "" : ",[\"ttyUSB1\",5]", path: path)
    }

    @Test func `the GNSS stays on at rest, so that the departure is seen`() throws {
        var control = try running(sentences: true)
        for second in stride(from: 5.0, through: 60, by: 5) {
            control.update(consumers: [ModemControlTests.consumer(silent: true)], at: at(second))
        }
        #expect(control.setups().isEmpty && control.lastSetup != nil)
        control.tick(at: at(60))
        #expect(control.takeActions().contains(.readSentences(path: ModemControlTests.modem)))
    }

    @Test func `a switch-off that fails is repeated`() throws {
        var control = try running()
        control.update(receivers: ModemControlTests.receivers(.hasFix, .portClosed), at: at(60))
        #expect(control.setups() == [0])
        control.setUpEnded(("org.freedesktop.DBus.Error.NoReply", "no reply"), at: at(60))
        control.update(modems: try modems(isOn: true), at: at(60))
        #expect(control.setups().isEmpty && control.lastSetup?.sources == [] && control.deadline == at(65))
        control.tick(at: at(65))
        #expect(control.setups() == [0])
        control.setUpEnded(nil, at: at(65))
        control.update(modems: try modems(), at: at(65))
        #expect(control.setups().isEmpty && control.lastSetup == nil && control.deadline == nil)
    }

    @Test func `at the end the GNSS is switched off also while it is being switched on`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: ModemControlTests.receivers(.silent), at: at(0))
        let others = try ModemControlTests.objects(state: 8, enabled: .init(rawValue: 1), signals: true)
        control.update(modems: others, at: at(0))
        let on = ModemControl.Action.setUp(
            path: ModemControlTests.modem, [.unmanaged, .init(rawValue: 1)], signals: true)
        #expect(control.takeActions().contains(on))
        let last = try #require(control.lastSetup)
        #expect(last.path == ModemControlTests.modem && last.sources.rawValue == 1 && last.signals)
        control.setUpEnded(nil, at: at(1))
        #expect(control.lastSetup?.sources.rawValue == 1)
    }

    @Test func `a port that the daemon does not read is named also if the modem comes later`() throws {
        var control = ModemControl(name: "modem")
        control.update(receivers: Receivers(receivers: []), at: at(0))
        control.update(modems: try modems(), at: at(1))
        let actions = control.takeActions()
        guard case .state? = actions.first, case .problem(let text)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(text.contains("device = \"/dev/ttyUSB1\""))
    }

    @Test func `a modem that replaces another one between two readings is set up, under its own name`() throws {
        let other = "/org/freedesktop/ModemManager1/Modem/1"
        var control = try running(sentences: true)
        control.update(modems: try modems(sentences: true, path: other), at: at(10))
        let actions = control.takeActions()
        #expect(actions.prefix(2) == [.withdraw, .provide(product: ModemControlTests.product)])
        #expect(actions.contains(.setUp(path: other, .nmea, signals: false)))
        // Another one in the middle of a call.
        control.update(modems: try modems(sentences: true), at: at(20))
        #expect(control.takeActions().first == .withdraw && control.lastSetup?.sources == [])
    }

    @Test func `sentences are read one call at a time, and only those of the present modem count`() throws {
        let epoch = "$GPRMC,120000.0,V,,,,,,,200826,,,N*40\r\n"
        var control = try running(sentences: true)
        control.tick(at: at(0))
        #expect(control.takeActions() == [.readSentences(path: ModemControlTests.modem)])
        for second in [1.0, 2, 3] { control.tick(at: at(second)) }
        #expect(control.takeActions().isEmpty && control.deadline == at(4))
        control.receive(epoch, from: "/org/freedesktop/ModemManager1/Modem/1")
        control.tick(at: at(4))
        #expect(control.takeActions().isEmpty)
        control.receive(nil, from: ModemControlTests.modem)
        control.tick(at: at(5))
        #expect(control.takeActions().contains(.readSentences(path: ModemControlTests.modem)))
        control.receive(epoch, from: ModemControlTests.modem)
        #expect(control.takeActions() == [.send(Array(epoch.utf8))])
    }

    @Test func `a state that returns after a problem is logged again`() throws {
        var control = ModemControl(name: "modem")
        let text = "ModemManager does not run: sudo systemctl enable --now ModemManager"
        control.update(modems: nil, at: at(0))
        control.update(modems: nil, at: at(1))
        #expect(control.takeActions() == [.state(text)])
        control.update(modems: try ModemControlTests.objects(state: 3, sources: nil), at: at(2))
        #expect(control.problems().count == 1)
        control.update(modems: nil, at: at(3))
        #expect(control.takeActions() == [.state(text)])
    }

    @Test func `a refusal to tell the requests is named with what to do, and changes nothing`() throws {
        var control = try running(sentences: true)
        for _ in 0..<9 { control.consumersRefused("io.sextant.Manager.PermissionDenied") }
        let texts = Set(control.problems())
        #expect(texts.count == 1 && texts.first?.contains("sudo sextant grant sextant-modem --always") == true)
        #expect(control.setups().isEmpty && control.lastSetup != nil)
    }

    @Test func `a name has at most 255 bytes of whole characters`() throws {
        let model = String(repeating: "\u{20AC}", count: 200)
        let modem = try #require(try ModemControlTests.objects(state: 8, model: model).first)
        #expect(modem.name.utf8.count <= 255 && modem.name.utf8.count > 252 && modem.name.hasSuffix("\u{20AC}"))
        // One character of many scalars.
        let marks = "e" + String(repeating: "\u{301}", count: 2000)
        #expect(try ModemControlTests.objects(state: 8, model: marks).first?.name.utf8.count ?? 999 <= 255)
    }
}

extension ModemControl {
    /// The calls of `Setup` among the actions.
    fileprivate mutating func setups() -> [UInt32] {
        takeActions().compactMap { if case .setUp(_, let sources, _) = $0 { sources.rawValue } else { nil } }
    }

    fileprivate mutating func problems() -> [String] {
        takeActions().compactMap { if case .problem(let text) = $0 { text } else { nil } }
    }
}
