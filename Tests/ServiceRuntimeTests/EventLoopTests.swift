import CLinux
import Chronology
import Glibc
import SystemCalls
import Testing

@testable import ServiceRuntime

/// The time after which a loop that waits forever is ended, so that a failing test does not hang.
private let limit = Instant.Span.seconds(5)

private struct Pipe: ~Copyable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        try systemCall("making a pipe") { pipe(&ends) }
        reader = FileDescriptor(owning: ends[0])
        writer = FileDescriptor(owning: ends[1])
    }

    func send(_ byte: UInt8) { withUnsafePointer(to: byte) { _ = write(writer.number, $0, 1) } }

    func receive() -> UInt8? {
        var byte: UInt8 = 0
        return read(reader.number, &byte, 1) == 1 ? byte : nil
    }
}

@Suite struct EventLoopTests {
    @Test func `exit ends the loop with its code`() throws {
        let loop = try EventLoop()
        loop.onDeadline = { _ in loop.exit(7) }
        loop.setDeadline(loop.now)
        #expect(try loop.run() == 7)
        loop.onDeadline = { _ in }
    }

    @Test func `a readable descriptor calls its handler`() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        var received: [UInt8] = []
        let source = try loop.watch(pipe.reader.number, for: .readable) { [number = pipe.reader.number] events in
            #expect(events.contains(.readable))
            var byte: UInt8 = 0
            #expect(read(number, &byte, 1) == 1)
            received.append(byte)
            if received.count == 2 { loop.exit(0) }
        }
        pipe.send(1)
        pipe.send(2)
        #expect(try loop.run() == 0)
        #expect(received == [1, 2])
        source.remove()
    }

    @Test func `a closed writer causes a hangup event`() throws {
        let loop = try EventLoop()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        var reported: IOEvents = []
        let source = try loop.watch(ends[0], for: .readable) { events in
            reported = events
            loop.exit(0)
        }
        close(ends[1])
        #expect(try loop.run() == 0)
        #expect(reported.contains(.hangup))
        source.remove()
        close(ends[0])
    }

    @Test func `a handler can remove its own source`() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        var calls = 0
        var source: IOSource?
        source = try loop.watch(pipe.reader.number, for: .readable) { _ in
            calls += 1
            source = nil
        }
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(loop.now + .milliseconds(20))
        pipe.send(1)
        #expect(try loop.run() == 0)
        #expect(calls == 1)
        #expect(source == nil)
    }

    @Test func `a handler can release its source and watch another descriptor with the same number`() throws {
        let loop = try EventLoop()
        let first = try Pipe()
        let second = try Pipe()
        var sources: [IOSource] = []
        sources.append(
            try loop.watch(first.reader.number, for: .readable) {
                [number = first.reader.number, other = second.reader.number] _ in
                sources.removeAll()
                #expect(dup2(other, number) == number)
                do { sources.append(try loop.watch(number, for: .readable) { _ in loop.exit(7) }) } catch {
                    Issue.record(error)
                }
            })
        first.send(1)
        second.send(1)
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(loop.now + limit)
        #expect(try loop.run() == 7)
        sources.removeAll()
        loop.onDeadline = { _ in }
    }

    @Test func `a handler can remove another ready source`() throws {
        let loop = try EventLoop()
        let first = try Pipe()
        let second = try Pipe()
        var sources: [IOSource] = []
        var calls = 0
        let handler: (IOEvents) -> Void = { _ in
            calls += 1
            sources.removeAll()
        }
        sources.append(try loop.watch(first.reader.number, for: .readable, handler: handler))
        sources.append(try loop.watch(second.reader.number, for: .readable, handler: handler))
        first.send(1)
        second.send(1)
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(loop.now + .milliseconds(20))
        #expect(try loop.run() == 0)
        #expect(calls == 1)
    }

    @Test func `a source whose events change reports earlier ones`() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let source = try loop.watch(pipe.reader.number, for: []) { _ in loop.exit(3) }
        pipe.send(1)
        loop.onDeadline = { _ in #expect(throws: Never.self) { try source.setEvents(.readable) } }
        loop.setDeadline(loop.now)
        #expect(try loop.run() == 3)
        source.remove()
    }

    @Test func `a source with precedence is handled before others that are ready`() throws {
        let loop = try EventLoop()
        let first = try Pipe()
        let second = try Pipe()
        let third = try Pipe()
        var handled: [Int] = []
        let sources = try [first.reader.number, second.reader.number, third.reader.number].enumerated().map {
            index, number in
            try loop.watch(number, for: .readable) { _ in
                var byte: UInt8 = 0
                _ = read(number, &byte, 1)
                handled.append(index)
                if handled.count == 3 { loop.exit(0) }
            }
        }
        try sources[2].takePrecedence()
        first.send(1)
        second.send(1)
        third.send(1)
        #expect(try loop.run() == 0)
        #expect(handled.first == 2 && Set(handled) == [0, 1, 2], "\(handled)")
        for source in sources { source.remove() }
    }

    @Test func `a regular file cannot be watched`() throws {
        let loop = try EventLoop()
        let file = FileDescriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
        #expect(throws: SystemError(code: EPERM, operation: "watching descriptor \(file.number)")) {
            _ = try loop.watch(file.number, for: .readable) { _ in }
        }
    }
}

@Suite struct DeadlineTests {
    /// Deadlines that end the wait itself, and those that set the timer.
    private static let spans = [Instant.Span.zero...(.seconds(10)), .seconds(9)...(.seconds(10))]

    @Test(arguments: spans)
    func `a deadline fires once and not early`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        let deadline = loop.now + Instant.Span(nanoseconds: 20_000_001)
        var fired: [Instant] = []
        loop.onDeadline = { now in
            fired.append(now)
            #expect(loop.now == now)
            loop.setDeadline(nil)
            if fired.count > 1 { return loop.exit(1) }
        }
        let pipe = try Pipe()
        let source = try loop.watch(pipe.reader.number, for: .readable) { _ in loop.exit(0) }
        loop.afterEachIteration = { if fired.count == 1 { pipe.send(1) } }
        loop.setDeadline(deadline)
        #expect(try loop.run() == 0)
        #expect(fired.count == 1)
        #expect(try #require(fired.first) >= deadline)
        source.remove()
    }

    @Test(arguments: spans)
    func `a later deadline replaces an earlier one`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        let later = loop.now + .milliseconds(40)
        var fired: Instant?
        loop.onDeadline = { now in
            fired = now
            loop.exit(0)
        }
        loop.setDeadline(loop.now + .milliseconds(5))
        loop.setDeadline(later)
        #expect(try loop.run() == 0)
        #expect(try #require(fired) >= later)
    }

    @Test func `a deadline in the past fires immediately`() throws {
        let loop = try EventLoop()
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(.zero)
        let start = HostClock.now
        #expect(try loop.run() == 0)
        #expect(HostClock.now - start < limit)
    }

    @Test func `a deadline that is set in the last iteration is no failure`() throws {
        let loop = try EventLoop()
        loop.onDeadline = { [unowned loop] _ in loop.exit(0) }
        loop.afterEachIteration = { [unowned loop] in loop.setDeadline(HostClock.now + .seconds(60)) }
        loop.setDeadline(loop.now)
        #expect(try loop.run() == 0)
    }

    @Test(arguments: spans)
    func `a handler can set the next deadline`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        var fired = 0
        loop.onDeadline = { now in
            fired += 1
            if fired == 3 { return loop.exit(0) }
            loop.setDeadline(now + .milliseconds(1))
        }
        loop.setDeadline(loop.now)
        #expect(try loop.run() == 0)
        #expect(fired == 3)
    }

    @Test(arguments: spans)
    func `a removed deadline causes no wakeup`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        loop.setDeadline(loop.now + .milliseconds(1))
        loop.setDeadline(nil)
        let alarm = try Alarm(in: .milliseconds(50))
        let source = try loop.watch(alarm.descriptor.number, for: .readable) { _ in loop.exit(0) }
        loop.onDeadline = { _ in Issue.record("a deadline that was taken away fired") }
        #expect(try loop.run() == 0)
        #expect(loop.wakeupCount == 1)
        source.remove()
    }

    @Test func `a deadline near enough for the timer replaces one that the wait ends at, and the reverse`() throws {
        // Deadlines of two seconds and less, and those of an hour, set the timer.
        for spans: [Int64] in [[9000, 1], [1, 9000, 2], [9000, 3_600_000, 1], [3_600_000, 9000, 1]] {
            let loop = try EventLoop(waitedSpans: .seconds(2)...(.seconds(10)))
            loop.onDeadline = { _ in loop.exit(0) }
            let start = loop.now
            for span in spans { loop.setDeadline(start + .milliseconds(span)) }
            #expect(try loop.run() == 0)
            #expect(loop.now - start >= .milliseconds(1) && loop.now - start < limit)
        }
    }

    @Test(arguments: spans)
    func `no deadline fires after the loop was ended`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        let pipe = try Pipe()
        let source = try loop.watch(pipe.reader.number, for: .readable) { _ in
            loop.setDeadline(loop.now)
            loop.exit(0)
        }
        loop.onDeadline = { _ in Issue.record("a deadline fired after the end") }
        pipe.send(1)
        #expect(try loop.run() == 0)
        source.remove()
    }

    @Test func `work that never rests does not hold up a deadline that the wait ends at`() throws {
        let loop = try EventLoop(waitedSpans: .zero...(.seconds(10)))
        let end = loop.now + limit
        let work = try loop.makeDeferredWork { [unowned loop] in if loop.now >= end { loop.exit(1) } }
        work.isScheduled = true
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(loop.now + .milliseconds(2))
        #expect(try withExtendedLifetime(work) { try loop.run() } == 0)
    }

    @Test(arguments: spans)
    func `every loop iteration ends with the hook`(waitedSpans: ClosedRange<Instant.Span>) throws {
        let loop = try EventLoop(waitedSpans: waitedSpans)
        let pipe = try Pipe()
        var trace = ""
        let source = try loop.watch(pipe.reader.number, for: .readable) { [number = pipe.reader.number] _ in
            var byte: UInt8 = 0
            _ = read(number, &byte, 1)
            trace += "r"
        }
        loop.onDeadline = { _ in
            trace += "d"
            loop.exit(0)
        }
        loop.afterEachIteration = { trace += "." }
        pipe.send(1)
        loop.setDeadline(loop.now + .milliseconds(30))
        #expect(try loop.run() == 0)
        #expect(trace.hasPrefix("r.d."))
        source.remove()
    }
}

/// A kernel timer, so that the loop under test wakes only for it.
private struct Alarm: ~Copyable {
    let descriptor: FileDescriptor

    init(in span: Instant.Span) throws {
        descriptor = FileDescriptor(owning: timerfd_create(CLOCK_MONOTONIC, 0))
        let number = descriptor.number
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: 0, tv_nsec: Int(span.nanoseconds))
        try systemCall("setting an alarm") { timerfd_settime(number, 0, &setting, nil) }
    }
}

@Suite struct SignalTests {
    @Test func `a signal calls its handler in the loop`() throws {
        let loop = try EventLoop()
        var hangups = 0
        try loop.handle(.hangup) {
            hangups += 1
            loop.exit(0)
        }
        pthread_kill(pthread_self(), SIGHUP)
        #expect(try loop.run() == 0)
        #expect(hangups == 1)
    }

    @Test func `without a service manager there is no watchdog`() throws {
        #expect(try EventLoop().enableWatchdog() == (getenv("WATCHDOG_USEC") != nil))
    }

    @Test func `deferred work is performed after all events that are ready`() throws {
        let loop = try EventLoop()
        let first = try Pipe()
        let second = try Pipe()
        var order: [String] = []
        let work = try loop.makeDeferredWork {
            order.append("work")
            if order.count > 4 { loop.exit(0) }
        }
        let sources = [
            try loop.watch(first.reader.number, for: .readable) { _ in order.append("\(first.receive() ?? 0)") },
            try loop.watch(second.reader.number, for: .readable) { _ in order.append("\(second.receive() ?? 0)") },
        ]
        work.isScheduled = true
        first.send(1)
        second.send(2)
        _ = try loop.run()
        #expect(Set(order.prefix(2)) == ["1", "2"] && order.dropFirst(2).allSatisfy { $0 == "work" })
        #expect(loop.wakeupCount == 0, "the loop does not sleep while work is scheduled")
        withExtendedLifetime(sources) {}
    }

    @Test func `urgent deferred work is performed before events`() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        var order: [String] = []
        let work = try loop.makeDeferredWork { order.append("work") }
        let source = try loop.watch(pipe.reader.number, for: .readable) { _ in
            order.append("event")
            loop.exit(0)
        }
        loop.afterEachIteration = { work.isScheduled = false }
        work.priority = .beforeEvents
        work.isScheduled = true
        pipe.send(1)
        _ = try loop.run()
        #expect(order == ["work", "event"])
        withExtendedLifetime(source) {}
    }

    @Test func `work that is not scheduled is not performed`() throws {
        let loop = try EventLoop()
        var count = 0
        let work = try loop.makeDeferredWork { count += 1 }
        work.isScheduled = true
        work.isScheduled = false
        loop.onDeadline = { _ in loop.exit(0) }
        loop.setDeadline(loop.now + .milliseconds(5))
        _ = try loop.run()
        #expect(count == 0)
    }
}
