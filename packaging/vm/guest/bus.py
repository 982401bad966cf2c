#!/usr/bin/python3
"""bus.py INTERFACE [IDENTIFIER]: sends a CAN frame, or prints the identifier of each frame that any program sends, until it is killed."""
import socket
import struct
import sys

bus = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
bus.bind((sys.argv[1],))
if len(sys.argv) == 3:
    bus.send(struct.pack("=IB3x8s", int(sys.argv[2], 16), 8, b"sextant."))
    sys.exit()
while True:
    try:
        print(f"{struct.unpack_from('=I', bus.recv(72))[0]:X}", flush=True)
    except OSError:
        pass  # the interface is down: the socket stays bound
