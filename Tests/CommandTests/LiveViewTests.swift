import Chronology
import Locator
import Positioning
import SextantAPI
import Testing
import VarlinkClient

@testable import sextant

/// The drawings as the screen shows them. An intended change also changes the expected drawing
/// here.
@Suite("Live views", .utc)
struct LiveViewTests {
    private let size = TerminalSize(columns: 80, rows: 24)

    private func watch(_ update: String?, receivers: [Receiver]) throws -> WatchView {
        var view = WatchView(configuration: .automotiveNavigation)
        view.update(with: .receivers(receivers), at: .zero)
        if let update { view.update(with: .update(try Sample.read(update)), at: .zero) }
        return view
    }

    private func text(of view: some LiveView, size: TerminalSize, after seconds: Double = 0.4) -> String {
        view.draw(size, at: .zero + .seconds(seconds)).lines(.plain).joined(separator: "\n")
    }

    @Test
    func `watch draws a fix on 80 by 24`() throws {
        let view = try watch(Sample.updateText, receivers: [try Sample.receiver()])
        #expect(
            text(of: view, size: size) == """
                 ◆ SEXTANT                                             21 Nov 2026 07:22:02 UTC
                ────────────────────────────────────────────────────────────────────────────────
                  48.117300° N   11.516667° W                                  ⣀⠤⠒⠒⠒N⠒⠒⠤⣀
                  48° 07′ 02.28″ N   11° 31′ 00.00″ W                        ⡰⠊ ⠃      ⠘ ⠑⢆
                                                                            ⡜⠤            ⠤⢣
                  Accuracy  ±2.4 m  about the size of a parked car         ⢸           ⢀⣀   ⡇
                            1 cm ├────────────●─────────────┤ 1 km         W⠤ ⢀⣤⣾⣀⡤⠤⠒⠚⠉⠁   ⠤E
                            receiver's estimate (PUBX,00)                  ⢸ ⠐⠛⠿⠿⠆          ⡇
                  Altitude  519.4 m ±4.1 m (566.2 m ellipsoidal)            ⢣⠒            ⠒⡜
                  Speed     44.3 km/h WSW ±0.5 km/h                          ⠱⢄ ⡄      ⢠ ⡠⠎
                  Fix       3D, differential (SBAS, DGPS) · 0.4 s old          ⠉⠒⠤⠤⠤S⠤⠤⠒⠉
                  Compass   course 256° magnetic · declination 2.3° W         254° WSW ±3°
                ── Satellites  3 used of 5 in view ─────────────────────────────────────────────
                  GPS        2 of 3  ▇▇ ▆▆ ▂▂
                                     4  12 25
                  GLONASS    1 of 1  ▅▅
                                     7
                  Galileo    0 of 1  ··
                                     11
                ── Receiver ────────────────────────────────────────────────────────────────────
                  ttyACM0  fix  u-blox 8 or M8 · /dev/ttyACM0 · 9600 baud · 1 Hz
                  2,345 sentences · 128 fixes in 130 epochs · 3 damaged
                  reports: ANTSTATUS=OK
                 q quits · automotiveNavigation                           update 42 · 1 dropped
                """)
        #expect(view.closingLine?.hasPrefix("48.117300° N") == true)
    }

    @Test
    func `watch shows why the fix was lost and the last location`() throws {
        var view = try watch(Sample.updateText, receivers: [try Sample.receiver(state: "sendingWithoutFix")])
        view.update(with: .update(try Sample.read(Sample.noFix)), at: .zero + .seconds(5))
        let lines = view.draw(size, at: .zero + .seconds(65)).lines(.plain)
        #expect(
            Array(lines[2..<12]).map { String($0.prefix(54)) } == [
                "  No fix                                              ",
                "                                                      ",
                "  ttyACM0 sends data and has no fix: it receives no   ",
                "  satellite; give its antenna a clear view of the sky ",
                "                                                      ",
                "  Last known, 1 min 5 s ago:                          ",
                "  48.117300° N   11.516667° W                         ",
                "  48° 07′ 02.28″ N   11° 31′ 00.00″ W                 ",
                "  ±2.4 m then                                         ",
                "                                                      ",
            ])
    }

    @Test
    func `watch shows that the daemon is disconnected and recovers`() throws {
        var view = try watch(Sample.updateText, receivers: [try Sample.receiver()])
        let error = CommandError(daemon: .disconnected(method: "m"))
        view.update(with: .disconnected(error, retry: .zero + .seconds(6)), at: .zero + .seconds(2))
        let lines = view.draw(size, at: .zero + .seconds(4)).lines(.plain)
        #expect(lines[2].hasPrefix("  Daemon unavailable"))
        #expect(lines[23].hasPrefix(" sextantd is unavailable; next attempt in 2.0 s."))
        view.update(with: .connected, at: .zero + .seconds(6))
        view.update(with: .update(try Sample.read(Sample.updateText)), at: .zero + .seconds(6))
        #expect(view.draw(size, at: .zero + .seconds(6)).lines(.plain)[2].hasPrefix("  48.117300° N   11.516667° W"))
    }

    @Test
    func `watch draws a missing update and a minimal location`() throws {
        #expect(text(of: try watch(nil, receivers: []), size: size).contains("Waiting for the first update"))
        let screen = text(of: try watch(Sample.minimalUpdateText, receivers: []), size: size)
        for part in [
            "0.500000° N   0.000000° E", "±240 m", "a city block", "time unknown", "course unknown", "none in view",
            "no receiver",
        ] {
            #expect(screen.contains(part), "\(part)")
        }
    }

    @Test(arguments: [(1, 1), (20, 5), (40, 12), (60, 16), (72, 20), (120, 40), (300, 90)])
    func `watch fits every terminal size`(columns: Int, rows: Int) throws {
        for update in [Sample.updateText, Sample.noFix, Sample.minimalUpdateText] {
            let canvas = try watch(update, receivers: [try Sample.receiver()]).draw(
                TerminalSize(columns: columns, rows: rows), at: .zero)
            let lines = canvas.lines(.plain)
            #expect(lines.count == rows && lines.allSatisfy { DisplayWidth.width(of: $0) <= columns })
        }
    }

    @Test
    func `sky draws north up, east right and the zenith in the centre`() throws {
        let canvas = SkyDrawing.canvas(of: try Sample.receiver(), width: 80, height: 22)
        #expect(
            canvas.lines(.plain).joined(separator: "\n") == """
                 ttyACM0  3 used of 5 in view   PDOP 1.6  HDOP 0.9  VDOP 1.3

                             ⢀⣀⠤⠔⠒⠒⠒⠒N⠒⠒⠒⠢⠤⣀⡀               GPS        2 of 3  ▇▆▂
                         ⢀⣠⠔⠊⠁       ⠁      ⠈⠑⠢⣄⡀           GLONASS    1 of 1  ▅
                       ⣀⠔⠉         G25          ⠉⠢⣀         Galileo    0 of 1  ·
                     ⢀⠜⠁        ⡀⠠ ⠄ ⠄30°⢀        ⠈⠣⡀
                    ⣰⠃       ⠠⠈      ⠁     ⠁⠄       ⠘⣆      G4   ━━━━━━━━━━━━━━━━━━━━━━━   46 ●
                   ⡰⠁      ⠄⠁        ⠄       ⠈⠠      ⠈⢆     G12  ━━━━━━━━━━━━━━━━━━        38 ●
                  ⢰⠁     ⡀⠂        ⡀ ⡀60°      ⠐⢀     ⠈⡆    R7   ━━━━━━━━━━━━━━            33 ●
                 ⢀⠇     ⠠       ⠠⠈   ⠁  ⠁⠄       ⠄     ⠸⡀   G25  ━━━━━━━                   21 ○
                 ⢸      ⠂     ⢀⠈     ⠄    ⠁⡀     ⠐      ⡇   E11  not tracked                  ○
                 ⢸    R7⠁     ⠠            ⠄ G12 ⠈      ⡇
                 W ⠁  ⠁ ⡁⠁  ⠁ ⠐⠁  ⠁G4⠁  ⠁  ⠃  ⠁  ⢁⠁ ⠁  ⠁E
                 ⢸      ⠄     ⠈⢀     ⠄    ⡀⠁     ⠠      ⡇
                 ⠈⡆     ⠐       ⠐⢀      ⡀⠂       ⠂     ⢰⠁
                  ⠸⡀     ⠁⠄        ⠁ ⠃⠈        ⠠⠈     ⢀⠇
                   ⠱⡀      ⠂⡀        ⠄       ⢀⠐      ⢀⠎
                    ⠹⡄       ⠐⢀            ⡀⠂       ⢠⠏
                     ⠈⢢⡀        ⠁⠐ ⠂ ⠅⠐ ⠂⠈        ⢀⡔⠁
                       ⠉⠢⣀           ⠄          ⣀⠔⠉
                         ⠈⠙⠢⢄E11            ⢀⡠⠔⠋⠁
                             ⠈⠉⠒⠢⠤⠤⠤⠤S⠤⠤⠤⠔⠒⠉⠁
                """)
    }

    @Test
    func `a satellite covers no elevation, and a sleeping receiver has no dilution of precision`() throws {
        // The satellite is where the label of the ring is.
        let high = Sample.satellite("glonass", number: 6, elevation: 60, azimuth: 5, carrierToNoise: 40, used: true)
        let lines = SkyDrawing.canvas(of: try Sample.receiver(satellites: high), width: 80, height: 22).lines(.plain)
        let ring = try #require(lines.first { $0.contains("60°") })
        #expect(!ring.prefix(58).contains("R6") && lines.contains { $0.prefix(58).contains("R6") })
        let asleep = SkyDrawing.canvas(of: try Sample.receiver(state: "asleep", satellites: ""), width: 80, height: 22)
        #expect(!asleep.lines(.plain).joined().contains("DOP"))
        #expect(try Sample.receiver(state: "asleep", satellites: "").sky["pdop"] == nil)
    }

    @Test
    func `the footer of a narrow terminal omits the counts`() throws {
        let view = try watch(Sample.updateText, receivers: [])
        let narrow = text(of: view, size: TerminalSize(columns: 40, rows: 12)).split(separator: "\n").last ?? ""
        #expect(narrow == " q quits · automotiveNavigation")
    }

    @Test
    func `watch draws nautical units`() throws {
        var view = try watch(Sample.updateText, receivers: [])
        view.units = DisplayUnits(speed: .kn, hasMinutes: true)
        let drawing = text(of: view, size: size)
        #expect(
            drawing.contains("  48° 07.038′ N   11° 31.000′ W ") && drawing.contains("  48.117300° N   11.516667° W"))
        #expect(drawing.contains("Speed     23.9 kn WSW ±0.3 kn") && view.closingLine?.contains("23.9 kn") == true)
    }

    @Test(arguments: [(1, 1), (20, 8), (40, 12), (200, 60)])
    func `sky fits every terminal size`(columns: Int, rows: Int) throws {
        let lines = SkyDrawing.canvas(of: try Sample.receiver(), width: columns, height: rows).lines(.plain)
        #expect(lines.count == rows && lines.allSatisfy { DisplayWidth.width(of: $0) <= columns })
    }

    @Test
    func `signals of one satellite are merged with the strongest value`() throws {
        let twice = [
            Sample.satellite("gps", number: 4, elevation: 80, azimuth: 180, carrierToNoise: 30, used: false),
            Sample.satellite("gps", number: 4, elevation: 80, azimuth: 180, carrierToNoise: 44, used: true),
        ]
        let objects = Satellite.merge(try Sample.receiver(satellites: twice.joined(separator: ",")).satellites)
        #expect(objects.count == 1 && objects.first?.carrierToNoise == 44 && objects.first?.used == true)
    }

    @Test(arguments: [(nil, 1, ["·"]), (10, 1, ["▁"]), (50, 1, ["█"]), (30, 2, [" ", "█"]), (99, 2, ["█", "█"])])
    func `signal bars grow with the signal strength`(strength: Int?, rows: Int, blocks: [String]) {
        #expect(SignalStrength.blocks(strength, rows: rows) == blocks)
    }

    @Test(arguments: [0, 1e-12, 0.01, 1000, 1e9, .infinity])
    func `the accuracy scale shows any radius`(radius: Double) {
        var canvas = Canvas(width: 40, height: 1)
        AccuracyScale(radius: radius).draw(on: &canvas, column: 0, row: 0, width: 40)
        #expect(canvas.lines(.plain)[0].contains("●"))
    }

    @Test(arguments: [(0.0, 0), (90, 1), (180, 2), (270, 3)])
    func `the compass points in the direction of the course`(course: Double, side: Int) {
        var (with, without) = (Canvas(width: 18, height: 9), Canvas(width: 18, height: 9))
        CompassRose(course: course).draw(on: &with, in: with.area)
        CompassRose(course: nil).draw(on: &without, in: without.area)
        let changed = zip(with.lines(.plain, keepsBlanks: true), without.lines(.plain, keepsBlanks: true)).map { row in
            zip(row.0, row.1).map { $0 != $1 }
        }
        func count(rows: Range<Int>, columns: Range<Int>) -> Int {
            changed[rows].reduce(0) { $0 + $1[columns].count { $0 } }
        }
        let halves = [
            count(rows: 0..<4, columns: 0..<18), count(rows: 0..<9, columns: 9..<18),
            count(rows: 5..<9, columns: 0..<18), count(rows: 0..<9, columns: 0..<9),
        ]
        #expect(halves[side] > halves[(side + 2) % 4])
    }

    @Test
    func `the identity of a receiver appears in the live view and in the list`() throws {
        let identity = """
            "identity":{"vendor":"u-blox","module":"NEO-M8N-0","chipset":"UBX-M8030","firmware":"SPG 3.01",\
            "protocolVersion":"18.00"},
            """
        let receiver: Receiver = try Sample.read(Sample.receiverText(identity: identity))
        let identityText = "u-blox · NEO-M8N-0 · UBX-M8030 · firmware SPG 3.01 · protocol 18.00"
        #expect(ReceiverFormatter.identity(receiver) == identityText)
        #expect(ReceiverFormatter.identity(try Sample.receiver()) == nil)
        let list = ReceiverListText(receivers: [receiver]).canvas(columns: nil).lines(.plain)
        #expect(list.contains("  " + identityText))
        #expect(list.contains("  reports: ANTSTATUS=OK"))
        let view = try watch(Sample.updateText, receivers: [receiver]).draw(size, at: .zero).lines(.plain)
        #expect(view.contains { $0.contains(identityText) })
    }
}
