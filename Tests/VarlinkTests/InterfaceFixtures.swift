/// Interface descriptions in the forms that occur in practice.
enum InterfaceFixture {
    static let thermometer = """
        # Warmth.
        #
        # Degrees are kelvins.
        interface org.example.thermo-meter.v2

        # This comment stands alone and documents nothing.

        # What a probe is.
        type Kind (air, water, deep_soil, default)
        type Probe(
          # Its name.
          name: string,
          kind: Kind,   # said afterwards
          # Newest last.
          readings: []float,
          labels: [string]?string,
          place: ?(latitude: float, longitude: float, how: (gps, hand)),
          raw: ?object,
          nested: ?[][]int
        )

        # Every probe.
        method List(kind: ?Kind) -> (probes: []Probe)
        method Reset()->()
        error NoSuchProbe (name: string)
        error Broken ()
        """

    static let broken: [(text: String, place: String)] = [
        ("", "1:1"), ("interface", "1:10"), ("interface example", "1:11"), ("interface a..b", "1:11"),
        ("interface 1.a", "1:11"),
        ("interface a.-b", "1:11"), ("interface a.b\nmethod foo() -> ()", "2:8"), ("interface a.b\nmethod F()", "2:11"),
        ("interface a.b\nmethod F() -> ", "2:15"), ("interface a.b\nmethod F(a) -> ()", "2:9"),
        ("interface a.b\ntype T (a: int, b)", "2:18"),
        ("interface a.b\ntype T (a, b: int)", "2:13"), ("interface a.b\ntype T (a: int,)", "2:16"),
        ("interface a.b\ntype T (a: int", "2:15"),
        ("interface a.b\ntype T (a: ??int)", "2:13"), ("interface a.b\ntype T (a: [int]int)", "2:13"),
        ("interface a.b\ntype T (a: any)", "2:12"),
        ("interface a.b\ntype T (a: Missing)", "2:12"), ("interface a.b\ntype T (a: int, a: int)", "2:17"),
        ("interface a.b\ntype T (a, a)", "2:12"),
        ("interface a.b\ntype T ()\nerror T ()", "3:1"), ("interface a.b\ntype T (_a: int)", "2:9"),
        ("interface a.b\ntype T (a__b: int)", "2:9"),
        ("interface a.b\ntype T (a_: int)", "2:9"), ("interface a.b\ntype T int", "2:8"),
        ("interface a.b\nthing T ()", "2:1"),
        ("interface a.b\ntype T (a: int) ;", "2:17"), ("interface a.b\nerror E (a: E)", "2:13"),
        ("interface a.b\ntype É ()", "2:6"),
    ]
}
