import Permission
import Testing

@Suite struct ProgramIDTests {
    private func owner(unit: String? = nil, userUnit: String? = nil) -> String {
        ProgramID(user: 1000, unit: unit, userUnit: userUnit).description
    }

    @Test func `a service unit identifies the program`() {
        #expect(owner(unit: "navigator.service") == "1000:navigator.service")
        #expect(owner(unit: "user@1000.service", userUnit: "map.service") == "1000:user:map.service")
    }

    @Test(arguments: [
        "session-3.scope", "init.scope", "run-r5c1.scope", "vte-spawn-4b41-11.scope", "app-term.scope", "app--12.scope",
        "app-.scope", "app.scope", "flatpak-12.scope", "snap.maps.scope", "snap.maps.maps-12.scope",
        "snap.maps-0f0e0d0c-0b0a-4909-8807-060504030201.scope", "app-org.gnome.Maps.slice", "",
    ])
    func `a unit that identifies no program leaves the user`(unit: String) {
        #expect(owner(unit: unit) == "1000")
        #expect(owner(unit: "user@1000.service", userUnit: unit) == "1000")
        #expect(owner() == "1000")
    }

    @Test(arguments: [
        ("app-org.gnome.Maps-12.scope", "app-org.gnome.Maps.service"),
        ("app-gnome-org.gnome.Maps-12.scope", "app-org.gnome.Maps.service"),
        ("app-gnome-org.gnome.Maps-4711.scope", "app-org.gnome.Maps.service"),
        ("app-org.gnome.Maps@autostart.service", "app-org.gnome.Maps.service"),
        ("app-org.gnome.Maps@5f3c.service", "app-org.gnome.Maps.service"),
        ("app-gnome-org.gnome.Maps@5f3c.service", "app-org.gnome.Maps.service"),
        ("app-gnome-org.gnome.Maps.service", "app-org.gnome.Maps.service"),
        ("app-org.gnome.Maps.service", "app-org.gnome.Maps.service"),
        ("dbus-:1.2-org.gnome.Maps@0.service", "app-org.gnome.Maps.service"),
        ("app-flatpak-org.gnome.Maps-12.scope", "app-org.gnome.Maps.service"),
        ("flatpak-org.gnome.Maps-12.scope", "app-org.gnome.Maps.service"),
        (#"app-gnome-map\x2dviewer-12.scope"#, #"app-map\x2dviewer.service"#),
        ("app-kde-map-viewer-12.scope", "app-map-viewer.service"),
        ("snap.maps.viewer-0f0e0d0c-0b0a-4909-8807-060504030201.scope", "snap.maps.viewer.service"),
        ("snap.maps.viewer.0f0e0d0c-0b0a-4909-8807-060504030201.scope", "snap.maps.viewer.service"),
        ("snap.maps_beta.map-viewer-0f0e0d0c-0b0a-4909-8807-060504030201.scope", "snap.maps_beta.map-viewer.service"),
    ])
    func `a desktop program is one owner at each launch`(unit: String, program: String) {
        #expect(owner(unit: "user@1000.service", userUnit: unit) == "1000:user:\(program)")
    }

    @Test(arguments: [
        "map.service", "snap.maps.viewer.service", "app-tracker.service", "app-my-tracker.service", "app@.service",
        "worker@3.service", "dbus-org.gnome.Maps@0.service", "dbus.service", "app-@5f3c.service",
    ])
    func `a service that is no desktop program keeps its name`(unit: String) {
        #expect(owner(unit: "user@1000.service", userUnit: unit) == "1000:user:\(unit)")
        #expect(owner(unit: unit) == "1000:\(unit)")
    }

    @Test func `a system service named like a desktop program keeps its name`() {
        #expect(owner(unit: "app-org.gnome.Maps@1.service") == "1000:app-org.gnome.Maps@1.service")
        let scope = "snap.maps.viewer-0f0e0d0c-0b0a-4909-8807-060504030201.scope"
        #expect(owner(unit: scope) == "1000:snap.maps.viewer.service")
    }

    @Test func `an owner is parsed back from its text`() {
        for text in ["0:a.service", "1000:user:x.service", "1000"] { #expect(ProgramID(text)?.description == text) }
        #expect(ProgramID("1000:user:x.service")?.user == 1000)
        for text in ["", "a", ":x", "-1:x", "99999999999"] { #expect(ProgramID(text) == nil, "\(text)") }
    }

    @Test(arguments: [
        "02002", "+2002", "2002:", "2002:x1", "2002:x.scope", "2002:user:", "2002:user:x", "2002:.service", " 2002",
        "2002 ",
        "2002:a b.service", "2002:a\u{1}.service", "2002:a.service\n", "2002:a.service\0", "2002:\u{e4}.service",
        "2002:a/b.service", "4294967296", "0x7d2", "2002::.service ",
    ])
    func `a program has only one spelling`(_ text: String) {
        #expect(ProgramID(text) == nil)
    }

    @Test(arguments: ["1000", "1000:user:x.service", "998:navigator.service"])
    func `a namespace belongs to the same program`(_ text: String) throws {
        let program = try #require(ProgramID(text))
        let part = try #require(program.with(namespace: "org.example.Boat-2"))
        #expect(part.description == "\(text)/org.example.Boat-2" && ProgramID(part.description) == part)
        #expect(ProgramID(stored: part.description) == part)
        #expect(part.program == program && part.namespace == "org.example.Boat-2")
        #expect(part.unit == program.unit && part.user == program.user && part.isUserUnit == program.isUserUnit)
        #expect(program.namespace == nil && program.program == program)
        #expect(part.with(namespace: "x") == nil, "a second namespace")
        for invalid in ["", "a b", "a/b", "a:b", "a@b", "\u{e4}", String(repeating: "a", count: 129)] {
            #expect(program.with(namespace: invalid) == nil && ProgramID("\(text)/\(invalid)") == nil, "\(invalid)")
        }
    }

    @Test func `a program of an earlier version keeps its spelling`() {
        for text in ["+2002", "02002:x1", "2002:x1"] {
            #expect(ProgramID(stored: text)?.description == text && ProgramID(stored: text)?.user == 2002)
        }
        for text in ["", "x", ":2002"] { #expect(ProgramID(stored: text) == nil) }
    }
}
