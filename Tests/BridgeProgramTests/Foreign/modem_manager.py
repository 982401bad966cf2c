"""A template of python-dbusmock: ModemManager with modems that have GNSS.

Debian 12's python-dbusmock has no template for ModemManager, and later ones have no interface for the location.
`Setup` and `GetLocation` behave as those of ModemManager 1.20 (src/mm-iface-modem-location.c).
"""

import dbus

from dbusmock import MOCK_IFACE, get_object

BUS_NAME = "org.freedesktop.ModemManager1"
MAIN_OBJ = "/org/freedesktop/ModemManager1"
MAIN_IFACE = BUS_NAME
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

MODEM = BUS_NAME + ".Modem"
LOCATION = MODEM + ".Location"

SETUP = """
if self.props[MODEM]['State'] < 6:
    raise dbus.exceptions.DBusException('Cannot setup location: device not yet enabled',
                                        name='org.freedesktop.ModemManager1.Error.Core.WrongState')
if args[0] & 16 and args[0] & 6:
    raise dbus.exceptions.DBusException(
        'Cannot have both unmanaged GPS and raw/nmea GPS enabled at the same time',
        name='org.freedesktop.ModemManager1.Error.Core.Failed')
self.UpdateProperties(LOCATION, {'Enabled': dbus.UInt32(args[0]), 'SignalsLocation': dbus.Boolean(args[1])})
""".replace("MODEM", repr(MODEM)).replace("LOCATION", repr(LOCATION))

GET_LOCATION = """
ret = dbus.Dictionary(signature='uv')
if self.props[LOCATION]['Enabled'] & 4 and self.nmea:
    ret[dbus.UInt32(4)] = dbus.String(self.nmea, variant_level=1)
""".replace("LOCATION", repr(LOCATION))


def load(mock, _parameters):
    mock.AddProperty(MAIN_IFACE, "Version", "1.20.4")


@dbus.service.method(MOCK_IFACE, in_signature="ssiuu", out_signature="")
def AddModem(self, path, tty, state, capabilities, enabled):
    """Adds a modem; tty is the name of its NMEA port, empty for none."""
    ports = [dbus.Struct(("cdc-wdm0", dbus.UInt32(6))), dbus.Struct(("ttyUSB2", dbus.UInt32(3)))]
    if tty:
        ports.append(dbus.Struct((tty, dbus.UInt32(5))))
    self.AddObject(path, MODEM, {
        "Manufacturer": "QUALCOMM INCORPORATED",
        "Model": "QUECTEL Mobile Broadband Module",
        "State": dbus.Int32(state),
        "StateFailedReason": dbus.UInt32(0),
        "UnlockRequired": dbus.UInt32(1),
        "SignalQuality": dbus.Struct((dbus.UInt32(70), True)),
        "Ports": dbus.Array(ports, signature="(su)"),
    }, [])
    modem = get_object(path)
    modem.nmea = ""
    modem.AddProperties(LOCATION, {
        "Capabilities": dbus.UInt32(capabilities),
        "Enabled": dbus.UInt32(enabled),
        "SignalsLocation": False,
    })
    modem.AddMethods(LOCATION, [("Setup", "ub", "", SETUP), ("GetLocation", "", "a{uv}", GET_LOCATION)])
    self.object_manager_emit_added(path)


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SetNMEA(self, path, text):
    """Sets the sentences that the modem has sent last."""
    get_object(path).nmea = str(text).replace("|", "\r\n")


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def RemoveModem(self, path):
    """Removes a modem, as when it is unplugged."""
    self.object_manager_emit_removed(path)
    self.RemoveObject(path)
