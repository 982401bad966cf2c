import Chronology
import SextantAPI
import Testing
import Varlink

@testable import sextant

@Suite("Energy use and consumers")
struct EnergyTests {
    private static let day = """
        "operation":3600,"saving":0,"search":40,"standby":7200,"closed":0,"wakeups":4321,"joules":320.4,\
        "milliwatts":29.6,
        "consumers":[{"purpose":"fitness","program":"walker","unit":"walker.service","uid":4242,"joules":240.3,\
        "share":0.75},
        {"purpose":"nobody","joules":80.1,"share":0.25}]
        """
    private static let power = """
        {"start":{"operation":1,"saving":0,"search":0,"standby":0,"closed":0,"wakeups":12,"joules":0.09,\
        "milliwatts":87,"consumers":[]},
        "days":[{"day":"2026-11-21",\(day)},{"day":"2026-11-20",\(day)},{"day":"2026-11-02",\(day)}],
        "estimates":[{"receiver":"gps","chip":"ublox8","source":"a data sheet"}]}
        """

    @Test
    func `power prints a row per day and a row per program`() throws {
        let reply: Power = try Sample.read(EnergyTests.power)
        let today = try #require(CivilDate(year: 2026, month: 11, day: 21))
        let text = PowerTable(power: reply, today: today).lines.joined(separator: "\n") + "\n"
        #expect(
            text == """
                             ENERGY  MEAN POWER  OPERATION  SAVING  SEARCH    STANDBY  CLOSED  WAKEUPS
                today         320 J       30 mW  1 h 0 min       -    40 s  2 h 0 min       -    4,321
                yesterday     320 J       30 mW  1 h 0 min       -    40 s  2 h 0 min       -    4,321
                2 Nov 2026    320 J       30 mW  1 h 0 min       -    40 s  2 h 0 min       -    4,321
                since start   0.1 J       87 mW      1.0 s       -       -          -       -       12

                 SHARE  ENERGY  PURPOSE     PROGRAM  UNIT            USER
                75.0 %   721 J  fitness     walker   walker.service  4242
                25.0 %   240 J  no request

                Energy is estimated from data sheets, at the module's supply pin:
                  gps: ublox8, a data sheet

                """)
    }

    @Test
    func `power forwards its options and prints the unchanged reply as JSON`() throws {
        let daemon = FakeDaemon(results: [ManagerMethods.getPower.name: .reply(EnergyTests.power)])
        let json = try daemon.run(["power", "--days", "30", "--receiver", "gps", "--json"])
        #expect(json.status == 0 && json.calls.first?.parameters == ["days": 30, "receiver": "gps"])
        #expect(try JSONValue(parsing: Array(json.output.utf8)) == JSONValue(parsing: Array(EnergyTests.power.utf8)))
        #expect(try daemon.run(["power", "--days", "61"]).status == 64)
        #expect(try daemon.run(["power"]).output.contains("since start"))
    }

    @Test
    func `power prints the motion sources as a second line of JSON`() throws {
        let daemon = FakeDaemon(results: [
            ManagerMethods.getPower.name: .reply(EnergyTests.power),
            ManagerMethods.getMotionSources.name: .reply(MotionTests.several),
        ])
        let lines = try daemon.run(["power", "--json"]).output.split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.contains("ignition") == true)
    }

    @Test
    func `power exits with 2 for a receiver without energy data`() throws {
        let start = #"{"operation":0,"saving":0,"search":0,"standby":0,"closed":0,"joules":0,"consumers":[]}"#
        let daemon = FakeDaemon(results: [
            ManagerMethods.getPower.name: .reply(#"{"start":\#(start),"days":[],"estimates":[]}"#)
        ])
        let outcome = try daemon.run(["power", "--receiver", "ttyUSB9"])
        #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("\"ttyUSB9\""))
        #expect(try daemon.run(["power"]).output == "No energy has been used yet: no receiver has sent data.\n")
    }

    @Test
    func `who lists the consumers, or reports that there are none`() throws {
        let consumer = """
            {"purpose":"default","program":"map","pid":812,"uid":4242,"unit":"map.service","interval":60,\
            "desiredAccuracy":"kilometre",
            "significantChange":false,"passive":false,"since":"2026-11-21T07:22:02.000Z","seconds":184,"holds":true,\
            "silent":false}
            """
        let silent = """
            {"purpose":"oneShot","program":"a\\u001bb","pid":7,"uid":4242,"receiver":"gps","significantChange":false,\
            "passive":false,
            "since":"2026-11-21T07:22:02.000Z","seconds":5,"holds":false,"silent":true}
            """
        let activities = #"[{"receiver":"gps","state":"operation","seconds":60}]"#
        let reply = #"{"consumers":[\#(consumer),\#(silent)],"activities":\#(activities),"allowsSleep":true}"#
        let daemon = FakeDaemon(results: [ManagerMethods.getConsumers.name: .reply(reply)])
        #expect(
            try daemon.run(["who"]).output == """
                HOLDS  PROGRAM  PID  USER  UNIT         REQUEST                                           \
                SINCE                      DURATION
                yes    map      812  4242  map.service  default, kilometre, every 1 min 0 s               \
                21 Nov 2026 07:22:02 UTC  3 min 4 s
                no     a?b        7  4242  -            locate, of gps, silent: the device is stationary  \
                21 Nov 2026 07:22:02 UTC      5.0 s

                gps runs continuously, for 1 min 0 s

                """)
        let json = try daemon.run(["who", "--json"])
        #expect(try JSONValue(parsing: Array(json.output.utf8)) == JSONValue(parsing: Array(reply.utf8)))

        let fences = reply.replacing(#""default","program":"map","pid":812"#, with: #""monitors","program":"""#)
        let own = try FakeDaemon(results: [ManagerMethods.getConsumers.name: .reply(fences)]).run(["who"]).output
        #expect(own.contains("yes    sextantd    -  4242  map.service  fences, "), "\(own)")

        let idle = FakeDaemon(results: [
            ManagerMethods.getConsumers.name: .reply(#"{"consumers":[],"activities":[],"allowsSleep":false}"#)
        ])
        let outcome = try idle.run(["who"])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("No program keeps a receiver on.\n"))
    }
}
