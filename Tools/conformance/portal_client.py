#!/usr/bin/env python3
"""portal_client.py: asks the portal org.freedesktop.portal.Location for one exact position, and prints it as JSON."""
import json
import sys

from gi.repository import Gio, GLib

NAME, PATH, INTERFACE = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Location"
SECONDS, EXACT = 30, 5


def main():
    bus, loop, found = Gio.bus_get_sync(Gio.BusType.SESSION), GLib.MainLoop(), {}

    def updated(_bus, _sender, _path, _interface, _signal, arguments):
        found.update(arguments.unpack()[1])
        loop.quit()

    def responded(_bus, _sender, _path, _interface, _signal, arguments):
        if code := arguments.unpack()[0]:
            sys.exit(f"the portal refused the request: {code}")

    bus.signal_subscribe(NAME, INTERFACE, "LocationUpdated", PATH, None, Gio.DBusSignalFlags.NONE, updated)
    bus.signal_subscribe(NAME, "org.freedesktop.portal.Request", "Response", None, None, Gio.DBusSignalFlags.NONE, responded)

    def call(method, arguments):
        return bus.call_sync(NAME, PATH, INTERFACE, method, arguments, None, Gio.DBusCallFlags.NONE, 20_000).unpack()

    options = {"session_handle_token": GLib.Variant("s", "sextant"), "accuracy": GLib.Variant("u", EXACT)}
    session, = call("CreateSession", GLib.Variant("(a{sv})", (options,)))
    call("Start", GLib.Variant("(osa{sv})", (session, "", {})))
    GLib.timeout_add_seconds(SECONDS, loop.quit)
    loop.run()
    if not found:
        sys.exit(f"no location in {SECONDS} s")
    print(json.dumps({name: found[name] for name in ("Latitude", "Longitude", "Accuracy")}))


if __name__ == "__main__":
    main()
