"""A template of python-dbusmock: BlueZ with one adapter, advertisement monitors, discovery and advertising.

Debian 12's python-dbusmock has no advertisement monitors. `Advertise` behaves as BlueZ 5.66 does when it hears a device
(src/adv_monitor.c, src/adapter.c): a monitor is called for each matching advertisement, discovery reports each change. Without a monitor, the
kernel reports a device once per scan (net/bluetooth/hci_sync.c, `filter_dup`), which begins with StartDiscovery.
"""

import dbus

from dbusmock import MOCK_IFACE, get_object

BUS_NAME = "org.bluez"
MAIN_OBJ = "/"
MAIN_IFACE = "org.bluez.Mock"
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

ADAPTER = "/org/bluez/hci0"
ADAPTER_IFACE = "org.bluez.Adapter1"
MONITORS = "org.bluez.AdvertisementMonitorManager1"
DEVICE = "org.bluez.Device1"
PROPERTIES = "org.freedesktop.DBus.Properties"


def load(mock, _parameters):
    mock.calls_seen = []
    mock.failures = {}


def note(text):
    get_object(MAIN_OBJ).calls_seen.append(text)


START = """
get_object('/').calls_seen.append('StartDiscovery')
if get_object('/').failures.get('StartDiscovery', 0) > 0:
    get_object('/').failures['StartDiscovery'] -= 1
    raise dbus.exceptions.DBusException('not now', name='org.bluez.Error.Failed')
if self.discovering:
    raise dbus.exceptions.DBusException('Operation already in progress', name='org.bluez.Error.InProgress')
self.discovering = True
self.reported = set()
"""
STOP = """
get_object('/').calls_seen.append('StopDiscovery')
if get_object('/').failures.get('StopDiscovery', 0) > 0:
    get_object('/').failures['StopDiscovery'] -= 1
    raise dbus.exceptions.DBusException('Operation already in progress', name='org.bluez.Error.InProgress')
for held in self.held.values():
    get_object('/').Advertise(*held)
self.held = {}
self.discovering = False
"""


@dbus.service.method(MOCK_IFACE, in_signature="su", out_signature="")
def Fail(self, method, times):
    """The next calls of a method fail."""
    self.failures[str(method)] = int(times)


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="")
def Release(self):
    """The adapter ends its monitor."""
    adapter = get_object(ADAPTER)
    program = self.connection.get_object(adapter.monitor[0], adapter.monitor[1], introspect=False)
    adapter.monitor = None
    dbus.Interface(program, "org.bluez.AdvertisementMonitor1").Release(
        reply_handler=lambda: None, error_handler=lambda error: note(str(error)))


@dbus.service.method(MOCK_IFACE, in_signature="bb", out_signature="")
def AddAdapter(self, powered, monitors):
    self.AddObject(ADAPTER, ADAPTER_IFACE, {"Powered": dbus.Boolean(powered), "Address": "00:11:22:33:44:55"}, [
        ("SetDiscoveryFilter", "a{sv}", "", "self.filter = dict(args[0])"),
        ("StartDiscovery", "", "", START),
        ("StopDiscovery", "", "", STOP),
    ])
    adapter = get_object(ADAPTER)
    adapter.discovering, adapter.held = False, {}
    adapter.methods["org.bluez.LEAdvertisingManager1"] = {"RegisterAdvertisement": ("oa{sv}", "", "", RegisterAdvertisement)}
    adapter.methods[MONITORS] = {
        "RegisterMonitor": ("o", "", "", RegisterMonitor), "UnregisterMonitor": ("o", "", "", UnregisterMonitor)}
    if monitors:
        adapter.AddProperties(MONITORS, {"SupportedMonitorTypes": dbus.Array(["or_patterns"], signature="s")})
    self.object_manager_emit_added(ADAPTER)


def listen(adapter, sender, root):
    """Reads the monitors of a program, as BlueZ does."""
    program = get_object("/").connection.get_object(sender, root, introspect=False)
    manager = dbus.Interface(program, "org.freedesktop.DBus.ObjectManager")

    def read(objects):
        for path, interfaces in objects.items():
            patterns = interfaces["org.bluez.AdvertisementMonitor1"]["Patterns"]
            adapter.monitor = (sender, path, [(int(s), int(t), bytes(b)) for s, t, b in patterns])
            note("monitor of %d patterns" % len(patterns))

    manager.GetManagedObjects(reply_handler=read, error_handler=lambda error: note(str(error)))


@dbus.service.method(MONITORS, in_signature="o", out_signature="", sender_keyword="sender")
def RegisterMonitor(self, root, sender=None):
    note("RegisterMonitor")
    if get_object("/").failures.get("RegisterMonitor", 0) > 0:
        get_object("/").failures["RegisterMonitor"] -= 1
        raise dbus.exceptions.DBusException("not now", name="org.bluez.Error.Failed")
    listen(self, sender, root)


@dbus.service.method(MONITORS, in_signature="o", out_signature="")
def UnregisterMonitor(self, _root):
    note("UnregisterMonitor")
    self.monitor = None


@dbus.service.method("org.bluez.LEAdvertisingManager1", in_signature="oa{sv}", out_signature="", sender_keyword="sender")
def RegisterAdvertisement(self, path, _options, sender=None):
    program = dbus.Interface(get_object("/").connection.get_object(sender, path, introspect=False), PROPERTIES)

    def read(values):
        data = values["ManufacturerData"]
        note("%s %s" % (values["Type"], {int(k): bytes(v).hex() for k, v in data.items()}))

    program.GetAll("org.bluez.LEAdvertisement1", reply_handler=read, error_handler=lambda error: note(str(error)))


@dbus.service.method(MOCK_IFACE, in_signature="sqayn", out_signature="")
def Advertise(self, name, company, data, strength):
    """A device sends manufacturer data."""
    path = ADAPTER + "/dev_" + name
    adapter = get_object(ADAPTER)
    monitor = getattr(adapter, "monitor", None)
    whole = bytes([company & 0xFF, company >> 8]) + bytes(data)
    matches = monitor and any(t == 0xFF and whole[s:s + len(b)] == b for s, t, b in monitor[2])
    if not matches and (not adapter.discovering or path in adapter.reported and not monitor):
        return
    if adapter.discovering:
        adapter.reported.add(path)
    values = {
        "RSSI": dbus.Int16(strength, variant_level=1),
        "ManufacturerData": dbus.Dictionary({dbus.UInt16(company): dbus.Array(data, signature="y", variant_level=1)},
                                            signature="qv", variant_level=1),
    }
    try:
        get_object(path).EmitSignal(PROPERTIES, "PropertiesChanged", "sa{sv}as", [
            DEVICE, dbus.Dictionary(values, signature="sv"), dbus.Array([], signature="s")])
    except KeyError:
        self.AddObject(path, DEVICE, values, [])
        self.object_manager_emit_added(path)
    if matches:
        program = get_object("/").connection.get_object(monitor[0], monitor[1], introspect=False)
        dbus.Interface(program, "org.bluez.AdvertisementMonitor1").DeviceFound(
            dbus.ObjectPath(path), reply_handler=lambda: None, error_handler=lambda error: note(str(error)))


@dbus.service.method(MOCK_IFACE, in_signature="sqayn", out_signature="")
def AdvertiseLate(self, name, company, data, strength):
    """A device sends that can be asked for more and does not answer: the kernel reports it when the scan ends."""
    adapter = get_object(ADAPTER)
    if adapter.discovering:
        adapter.held[name] = (name, company, data, strength)


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="as")
def Seen(self):
    return dbus.Array(self.calls_seen, signature="s")
