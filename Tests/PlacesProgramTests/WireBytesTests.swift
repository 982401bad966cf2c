import DaemonSupport
import Glibc
import SextantAPI
import TestSupport
import Testing

/// The bytes of a reply of each method of `sextant-places`, and of errors, as
/// `Tests/WireBytes/places.txt` has them.
@Suite(.serialized) struct WireBytesTests {
    private static let home =
        #"{"identifier":"home","domain":"own","name":"Jane's Home","latitude":51.501,"longitude":-0.1,"radius":200,"#
        + #""keywords":["Casa"],"expiry":"2126-01-02T03:04:05.678Z"}"#
    private static let gazetteer = PlacesProgram.gazetteer + PlacesProgram.line(4, "Lambeth", 51.5, -0.1, "GB", 300_000)

    @Test(.enabled(if: getuid() == 0, "only user 0 may act for others here"))
    func `the replies and errors have the recorded bytes`() throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        var bytes = WireBytes("places")
        let configuration = "[receivers]\ndiscover = false\npower = \"off\"\n"
        try TestDaemon.run(devices: [port.link], configuration: configuration, scratch: scratch) { daemon in
            try daemon.waitForReceiver("detectingBaudRate")
            var places = Places()
            try port.send(places.next(4))
            try daemon.waitForEpochs(4)
            let program = try PlacesProgram(WireBytesTests.gazetteer, daemon: daemon.socket)
            try record(program, &bytes)
        }
        let empty = try PlacesProgram(nil, daemon: scratch("none"))
        try record("Reverse", [#"{"latitude":51,"longitude":5}"#], empty, &bytes)
        try record("Where", ["{}"], empty, &bytes)
        let problems = try bytes.problems { [PlacesInterface.name, IndexInterface.name].contains($0) }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    private func record(_ method: String, _ calls: [String], _ program: PlacesProgram, _ bytes: inout WireBytes) throws
    {
        bytes.replaced[program.scratch.path] = "<folder>"
        for parameters in calls {
            try bytes.record("io.sextant.Places.\(method)", parameters, of: program.socket)
        }
    }

    private func record(_ program: PlacesProgram, _ bytes: inout WireBytes) throws {
        try record(
            "Put",
            [
                #"{"places":["# + WireBytesTests.home + "]}",
                #"{"places":[{"identifier":"work","name":"Work","latitude":52,"longitude":5}]}"#,
                #"{"places":[{"identifier":"a","name":"A","latitude":91,"longitude":5}]}"#,
                #"{"places":[{"identifier":"a","name":"A","latitude":1,"longitude":5,"expiry":"never"}]}"#,
                #"{"places":[{"identifier":"a","name":7,"latitude":1,"longitude":5}]}"#, "{}",
            ], program, &bytes)
        try record(
            "Reverse",
            [
                #"{"latitude":51.84,"longitude":5.86,"limit":2}"#,
                #"{"latitude":51.501,"longitude":-0.1,"language":"nl"}"#,
                #"{"latitude":91,"longitude":5}"#, #"{"latitude":51,"longitude":5,"limit":51}"#,
                #"{"latitude":"51","longitude":5}"#, #"{"latitude":51}"#, #"{"latitude":51,"longitude":5,"x":1}"#,
            ], program, &bytes)
        try record("Where", ["{}", #"{"language":7}"#], program, &bytes)
        try record(
            "Forward",
            [
                #"{"text":"nijmegen"}"#, #"{"text":"casa"}"#, #"{"text":"nothing"}"#, #"{"text":""}"#, #"{"text":1}"#,
                #"{"text":"suva","near":{"latitude":-18,"longitude":178},"radius":9e4,"kinds":["PPL"],"country":"FJ"}"#,
                #"{"text":"a","near":{"latitude":95,"longitude":178}}"#, #"{"text":"a","radius":5}"#,
            ], program, &bytes)
        try record("Search", [#"{"text":"ni"}"#, #"{"text":"a","limit":0}"#, #"{"limit":5}"#], program, &bytes)
        try record(
            "OwnPlaces", ["{}", #"{"domain":"own"}"#, #"{"after":"home"}"#, #"{"after":5}"#], program, &bytes)
        try record("Sources", ["{}", #"{"limit":1}"#], program, &bytes)
        try record("Remove", [#"{"identifiers":["work","none"]}"#, #"{"identifiers":"work"}"#], program, &bytes)
        try record("RemoveDomain", [#"{"domain":"own"}"#, "{}"], program, &bytes)
        try record("RemoveAll", ["{}"], program, &bytes)
        try record("Nothing", ["{}"], program, &bytes)
        for (method, calls) in WireBytesTests.indexCalls {
            for parameters in calls { try bytes.record("io.sextant.Index.\(method)", parameters, of: program.socket) }
        }
        try bytes.record("org.varlink.service.GetInfo", of: program.socket)
    }

    private static let item =
        #"{"identifier":"17","domain":"orders","expiry":"2099-01-01T00:00:00Z","attributes":"#
        + #"{"title":"Latte","rating":4,"latitude":51.84,"longitude":5.85},"thumbnail":"AQID"}"#

    /// Methods of the index with the parameters of their calls.
    private static let indexCalls = [
        (
            "Change",
            [
                #"{"items":["# + item + #"],"state":"MQ=="}"#, #"{"index":"notes","items":["# + item + "]}", "{}",
                #"{"items":[{"identifier":"","attributes":{}}]}"#, #"{"items":[{"identifier":"a"}]}"#,
                #"{"state":"?"}"#, #"{"expectedState":"Mg=="}"#, #"{"index":""}"#,
            ]
        ),
        ("GetState", ["{}", #"{"index":"notes"}"#, #"{"index":7}"#]),
        (
            "Search",
            [
                #"{"text":"lat","near":{"latitude":51.84,"longitude":5.86},"thumbnails":true}"#,
                #"{"query":"title == \"L*\"","index":"notes","limit":1}"#, #"{"text":"tea","allPrograms":true}"#,
                #"{"text":"…"}"#, #"{"query":"title =="}"#, #"{"radius":5}"#, #"{"limit":0}"#, #"{"after":"x"}"#,
            ]
        ),
        ("Change", [#"{"all":true}"#, #"{"index":"notes","domains":["orders"],"identifiers":["1"]}"#]),
    ]
}
