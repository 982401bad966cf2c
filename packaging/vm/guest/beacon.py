#!/usr/bin/python3
"""beacon.py INDEX DATA: sends advertising data (hex) from a virtual Bluetooth adapter until it is killed.

btvirt passes an advertisement on once, when it is enabled: so it is enabled again five times a second, by commands of HCI
(Bluetooth Core 5.4, vol. 4, part E, 7.8.53 to 7.8.56).
"""
import socket
import struct
import sys
import time

HANDLE, NOT_CONNECTABLE = 1, 0x10
PARAMETERS, DATA, ENABLE = 0x2036, 0x2037, 0x2039
adapter = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
adapter.bind((int(sys.argv[1]),))
data = bytes.fromhex(sys.argv[2])


def command(code, parameters):
    adapter.send(struct.pack("<BHB", 1, code, len(parameters)) + parameters)
    time.sleep(0.1)


# Intervals of 100 ms, channels 37 to 39, the adapter's own address, 1M PHY.
command(PARAMETERS, struct.pack("<BH3s3sBBB6sBbBBBBB", HANDLE, NOT_CONNECTABLE, b"\xa0\0\0", b"\xa0\0\0", 7, 0, 0, bytes(6), 0, 0, 1, 0, 1, 0, 0))
command(DATA, struct.pack("<BBBB", HANDLE, 3, 1, len(data)) + data)
while True:
    for is_enabled in (0, 1):
        command(ENABLE, struct.pack("<BBBHB", is_enabled, 1, HANDLE, 0, 0))
