import Chronology
import Locator
import Testing

/// Tests that a missing receiver is explained by the ports on which none is confirmed.
@Suite struct UnconfirmedPortTests {
    private static func port(_ number: Int, status: PortStatus) -> UnconfirmedPortReport {
        UnconfirmedPortReport(ReceiverID(number), name: "tty\(number)", port: "/dev/tty\(number)", status: status)
    }

    private static func cause(_ locator: Locator, _ receiver: ReceiverSelection = .best) -> Cause? {
        var locator = locator
        let request = StreamRequest(configuration: .default, receiver: receiver)
        return locator.subscribe(request, id: RequestID(1), at: .zero).unavailability?.cause
    }

    @Test(arguments: [
        (PortStatus.denied("no permission"), Cause.permissionDenied),
        (.busy("in use"), .portBusy),
        (.notGNSS("no GNSS NMEA"), .notUnderstood),
        (.notGNSS("TSIP", .binaryProtocol), .binaryProtocol),
        (.unreadable("UBX", .binaryProtocol), .binaryProtocol),
        (.open, .starting),
        (.detectingBaudRate("detecting"), .starting),
        (.absent("gone", lost: false), .noReceiver),
    ])
    func `the status of an unconfirmed port is the cause`(status: PortStatus, cause: Cause) {
        var locator = Locator()
        #expect(Self.cause(locator) == .noReceiver)
        locator.setUnconfirmed(Self.port(1, status: status), at: .zero)
        #expect(Self.cause(locator) == cause)
        #expect(Self.cause(locator, .named("tty1")) == cause)
        #expect(Self.cause(locator, .named("tty2")) == .noReceiver)
    }

    @Test func `the cause that a person can remedy comes first`() {
        var locator = Locator()
        let statuses: [PortStatus] = [.open, .denied("no permission"), .busy("in use"), .notGNSS("no GNSS NMEA")]
        for (index, status) in statuses.enumerated() {
            locator.setUnconfirmed(Self.port(index, status: status), at: .zero)
        }
        #expect(Self.cause(locator) == .permissionDenied)
        locator.setUnconfirmed(Self.port(1, status: .open), at: .zero)
        #expect(Self.cause(locator) == .portBusy)
    }

    @Test func `a confirmed receiver is listed once, and a removed port no more`() {
        var locator = Locator()
        locator.setUnconfirmed(Self.port(1, status: .busy("in use")), at: .zero)
        locator.setUnconfirmed(Self.port(2, status: .open), at: .zero)
        #expect(locator.receivers.unconfirmed.map(\.name) == ["tty1", "tty2"] && locator.reports(at: .zero).isEmpty)
        #expect(locator.receivers.hasReceiver(named: "tty2") && locator.receivers.hasReceiver(named: "/dev/tty1"))
        locator.attach(ReceiverID(2), name: "tty2", port: "/dev/tty2", status: .open, at: .zero)
        #expect(
            locator.receivers.unconfirmed.map(\.name) == ["tty1"] && locator.reports(at: .zero).map(\.name) == ["tty2"])
        locator.detach(ReceiverID(1), at: .zero)
        locator.detach(ReceiverID(2), at: .zero)
        #expect(locator.receivers.unconfirmed.isEmpty && Self.cause(locator) == .noReceiver)
    }

    @Test func `a stream without a position is informed of a changed cause`() {
        var locator = Locator()
        _ = locator.subscribe(StreamRequest(configuration: .default), id: RequestID(1), at: .zero)
        locator.setUnconfirmed(Self.port(1, status: .denied("no permission")), at: .zero)
        var effects: [Effect] = []
        locator.drainEffects(into: &effects)
        let causes = effects.compactMap { effect in
            if case .request(.publish(let update, _)) = effect { update.unavailability?.cause } else { nil }
        }
        #expect(causes == [.permissionDenied])
    }
}
