#!/usr/bin/python3
"""button.py: an input device "vm-button" with two keys until it is killed. SIGUSR1 presses the first one, SIGUSR2 the other.

Numbers are those of linux/uinput.h and linux/input-event-codes.h.
"""
import fcntl
import os
import signal
import struct

UI_SET_EVBIT, UI_SET_KEYBIT, UI_DEV_SETUP, UI_DEV_CREATE = 0x40045564, 0x40045565, 0x405C5503, 0x5501
EV_SYN, EV_KEY, BUS_VIRTUAL = 0, 1, 6
KEYS = {signal.SIGUSR1: 148, signal.SIGUSR2: 149}

device = os.open("/dev/uinput", os.O_WRONLY)
fcntl.ioctl(device, UI_SET_EVBIT, EV_KEY)
for key in KEYS.values():
    fcntl.ioctl(device, UI_SET_KEYBIT, key)


def press(number, _):
    for value in (1, 0):
        for event in ((EV_KEY, KEYS[number], value), (EV_SYN, 0, 0)):
            os.write(device, struct.pack("llHHi", 0, 0, *event))


for number in KEYS:
    signal.signal(number, press)
fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("4H80sI", BUS_VIRTUAL, 1, 1, 1, b"vm-button", 0))
fcntl.ioctl(device, UI_DEV_CREATE)
while True:
    signal.pause()
