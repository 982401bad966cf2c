import ArgumentParser
import Chronology
import Glibc
import Locator
import Positioning
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextant

/// A daemon that hangs keeps its socket and its connections. These tests listen and reply nothing.
@Suite("Daemons that hang")
struct HangTests {
    private let scratch: Scratch
    private let listener: FileDescriptorBox

    /// Keeps the listener open.
    private final class FileDescriptorBox {
        let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    init() throws {
        scratch = try Scratch()
        listener = FileDescriptorBox(try FakeDaemon.listener(at: scratch.path + "/sock").release())
    }

    private var path: String { scratch.path + "/sock" }

    private func hangs(_ events: [DaemonFeed.Event]) -> [String] {
        events.map { if case .hung(let error) = $0 { error.description } else { "another event" } }
    }

    @Test func `a feed without replies is reported once, after a quarter of a minute`() throws {
        let options = try DaemonOptions.parse(["--socket", path])
        var feed = try DaemonFeed(options, subscribingTo: .init(agent: true))
        let start = HostClock.now
        var reports: [(second: Double, text: String)] = []
        for second in stride(from: 0.0, through: 120, by: 0.5) {
            let events = try feed.receiveEvents(at: start + .seconds(second))
            reports += hangs(events).map { (second, $0) }
        }
        #expect(reports.count == 1 && (10...16).contains(reports.first?.second ?? 0), "\(reports)")
        #expect(reports.first?.text.contains("sextantd (pid \(getpid())) runs, but does not reply") == true)
    }

    @Test func `a daemon that is silent and replies is not reported`() throws {
        var check = SilenceCheck(of: path, at: .zero)
        #expect(check.deadline == .zero + .seconds(5) && check.descriptor == nil)
        #expect(check.advance(to: .zero + .seconds(6)) == nil && check.descriptor != nil)
        // The end of the connection is a reply too.
        let client = accept(listener.descriptor, nil, nil)
        close(client)
        #expect(check.advance(to: .zero + .seconds(7)) == nil && check.descriptor == nil)
        #expect(check.deadline == .zero + .seconds(27))
    }

    /// A device at rest sends nothing for hours, and must not be woken all the time.
    @Test func `a daemon that replies is asked ever more seldom, until it sends data`() throws {
        var check = SilenceCheck(of: path, at: .zero)
        var now = Instant.zero
        var pauses: [Double] = []
        for _ in 0..<8 {
            now = try #require(check.deadline)
            #expect(check.advance(to: now) == nil)
            close(accept(listener.descriptor, nil, nil))
            #expect(check.advance(to: now) == nil)
            pauses.append((try #require(check.deadline) - now).seconds)
        }
        #expect(pauses == [20, 40, 80, 160, 320, 600, 600, 600])
        #expect(check.recordData(at: now) == nil && check.deadline == now + .seconds(20))
    }

    @Test func `a daemon that replies again is reported`() throws {
        var check = SilenceCheck(of: path, at: .zero)
        #expect(check.advance(to: .zero + .seconds(6)) == nil)
        #expect(check.advance(to: .zero + .seconds(16)) == .hung && check.deadline == nil)
        #expect(check.advance(to: .zero + .seconds(60)) == nil)
        #expect(check.recordData(at: .zero + .seconds(61)) == .replied)
        #expect(check.recordData(at: .zero + .seconds(62)) == nil)
    }

    @Test(arguments: [["watch"], ["tail"], ["record", "--receiver", "ttyACM0", "-o"]])
    func `a command that follows the daemon reports that it hangs`(command: [String]) throws {
        let receivers = #"{"receivers":[\#(Sample.receiverText())]}"#
        let daemon = FakeDaemon(results: [
            ManagerMethods.getStatus.name: .silence, LocationMethods.subscribe.name: .silence,
            ReceiverMethods.sentences.name: .silence, ReceiverMethods.list.name: .reply(receivers),
            ReceiverMethods.watch.name: .reply(receivers),
        ])
        let file = command.last == "-o" ? [scratch.path + "/a.nmea"] : []
        let outcome = try daemon.run(command + file) { $0.errors.contains("waiting until it replies") }
        #expect(outcome.errors.contains("sextantd (pid \(getpid())) runs, but does not reply"), "\(outcome.errors)")
    }

    @Test func `tail ends after its duration`() throws {
        let receivers = #"{"receivers":[\#(Sample.receiverText())]}"#
        let daemon = FakeDaemon(results: [
            ReceiverMethods.sentences.name: .silence, ReceiverMethods.list.name: .reply(receivers),
        ])
        let outcome = try daemon.run(["tail", "--duration", "0.5"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a process is recognized as stopped`() throws {
        #expect(HungDaemon(at: path) == HungDaemon(process: getpid()))
        #expect(HungDaemon(at: scratch.path + "/none") == HungDaemon())
        let stopped = HungDaemon(process: 31, isStopped: true)
        #expect(stopped.finding.hasSuffix("a signal has stopped it"))
        #expect(stopped.advice(socket: path, service: .installed).command == "kill -CONT 31")
        let other = HungDaemon(process: 31, needsRoot: true)
        #expect(other.advice(socket: path, service: .installed).command == "sudo kill -KILL 31")
    }

    @Test func `the live view shows that the daemon does not reply, until it does`() throws {
        var view = WatchView(configuration: .default)
        let size = TerminalSize(columns: 80, rows: 24)
        view.update(with: .hung(CommandError("sextantd (pid 31) runs, but does not reply")), at: .zero)
        let text = view.draw(size, at: .zero).lines(.plain).joined(separator: "\n")
        #expect(text.contains("sextantd does not reply; waiting") && text.contains("(pid 31)"), "\(text)")
        view.update(with: .replied, at: .zero)
        #expect(!view.draw(size, at: .zero).lines(.plain).joined().contains("does not reply"))
    }
}
