import Chronology
import Testing
import Varlink

@testable import sextant_web

@Suite struct EventQueueTests {
    private static func read(_ queue: EventQueue, _ count: Int = 4096) -> String? {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            queue.read(into: buffer).map { String(decoding: buffer.prefix($0), as: UTF8.self) }
        }
    }

    @Test func `of each kind the latest event waits, in the order of the kinds`() {
        let queue = EventQueue()
        queue.offer(Array("a1".utf8), kind: "a")
        queue.offer(Array("b1".utf8), kind: "b")
        queue.offer(Array("a2".utf8), kind: "a")
        #expect(EventQueueTests.read(queue) == "a2b1")
        #expect(queue.isEmpty && EventQueueTests.read(queue) == "")
    }

    @Test func `an event that has begun to be sent is sent whole, whatever the parts are`() {
        let queue = EventQueue()
        queue.offer(Array("first".utf8), kind: "a")
        #expect(EventQueueTests.read(queue, 2) == "fi")
        queue.offer(Array("second".utf8), kind: "a")
        queue.offer(Array("third".utf8), kind: "a")
        #expect(EventQueueTests.read(queue, 2) == "rs" && EventQueueTests.read(queue) == "t")
        #expect(EventQueueTests.read(queue) == "third")
    }

    @Test func `a viewer that never reads keeps a limited number of events`() {
        let queue = EventQueue()
        for number in 0..<10_000 { queue.offer([UInt8](repeating: 97, count: 100), kind: "\(number)") }
        var count = 0
        while let text = EventQueueTests.read(queue), !text.isEmpty { count += text.utf8.count }
        #expect(count == 255 * 100 + "event: missed\ndata: {}\n\n".utf8.count)
    }

    @Test func `the connection waits when nothing is left, and continues with the next event`() {
        let queue = EventQueue()
        var calls: [String] = []
        queue.wait = { calls.append("wait") }
        queue.wake = { calls.append("wake") }
        #expect(EventQueueTests.read(queue) == "")
        queue.offer([97], kind: "a")
        #expect(EventQueueTests.read(queue) == "a")
        queue.end()
        #expect(EventQueueTests.read(queue) == nil && calls == ["wait", "wake", "wake"])
        queue.offer([97], kind: "a")
        #expect(EventQueueTests.read(queue) == nil)
    }

    @Test func `an event has one line of data`() {
        let frame = EventHub.frame("location", Array("{\"a\":\n1,\r\"b\":2}".utf8))
        #expect(String(decoding: frame, as: UTF8.self) == "event: location\ndata: {\"a\": 1, \"b\":2}\n\n")
    }

    @Test func `an event that is shown again has the time since it has arrived`() {
        let aged = EventHub.aged(Array("{\"a\":1}".utf8), by: .seconds(1.5))
        #expect((try? JSONValue(parsing: aged)) == ["heldFor": 1.5, "a": 1])
        #expect(EventHub.aged(Array("{}".utf8), by: .seconds(1)) == Array("{}".utf8))
    }

    @Test(
        arguments: [
            ([:], [.location(.saving)]), (["pace": "live"], [.location(.live)]),
            (["location": "no", "include": "status,visits"], [.status, .visits]),
            (["include": "receivers,satellites"], [.location(.saving), .receivers(interval: 1)]),
            (["pace": "fast"], nil), (["include": "everything"], nil),
        ] as [([String: String], Set<EventStream>?)])
    func `the query selects streams`(_ query: [String: String], _ streams: Set<EventStream>?) {
        #expect(EventSelection(query)?.streams == streams)
    }

    @Test func `the parameters of a reply of a stream are passed on unread, and others are read`() {
        let method = PassedParameters.method("io.example.Watch")
        let text = "{\"parameters\":{\"x\":{\"y\":[1,{}]}},\"continues\":true}"
        #expect(method.directOutput(of: Array(text.utf8))?.bytes == Array("{\"x\":{\"y\":[1,{}]}}".utf8))
        for other in [
            "{\"parameters\":{\"x\":{\"y\":1}}}", "{\"parameters\":{},\"continues\":false}", "{\"continues\":true}",
            "{\"error\":\"io.example.Wrong\"}", "",
        ] { #expect(method.directOutput(of: Array(other.utf8)) == nil) }
        let empty = "{\"parameters\":{},\"continues\":true}"
        #expect(method.directOutput(of: Array(empty.utf8))?.bytes == Array("{}".utf8))
    }

    @Test func `paths of files have no hidden part and a known end`() {
        #expect(PageFiles.type(of: "/index.html") == "text/html; charset=utf-8")
        #expect(PageFiles.type(of: "/views/now.js") == "text/javascript; charset=utf-8")
        for path in [
            "/", "/a", "/.git/x.js", "/../x.js", "/a//x.js", "/a/../x.js", "/x.sh", "/x.js/", "/ä.js", "/x y.js",
        ] {
            #expect(PageFiles.type(of: path) == nil, "\(path)")
        }
    }
}
