#!/usr/bin/env python3
"""feed.py CAPTURE OUTPUT: generates a feed of any length from a capture.

Repeats the complete epochs of the capture with increasing UTC and new checksums. Writes OUTPUT as NMEA, and
OUTPUT.epochs with one line per epoch: its time in updates, its number of bytes, its number of sentences.
"""
import argparse
import collections
import datetime
import functools
import operator
import re

# The field with the time of day.
TIME_FIELD = {"GGA": 1, "GNS": 1, "RMC": 1, "GST": 1, "GBS": 1, "ZDA": 1, "GLL": 5}
SENTENCE = re.compile(r"\$([A-Z]{2})([A-Z]{3}),([^*$]*)\*[0-9A-Fa-f]{2}")


def kind(fields):
    return fields[0][2:]


def epochs_of(capture):
    """The epochs with the most common set of sentences, each a list of sentences as lists of fields."""
    epochs, time = [], None
    for line in open(capture, encoding="latin-1"):
        found = SENTENCE.match(line)
        if not found:
            continue
        fields = line[1:line.index("*")].split(",")
        index = TIME_FIELD.get(kind(fields))
        if index and len(fields) > index and fields[index] and fields[index] != time:
            time = fields[index]
            epochs.append([])
        if epochs:
            epochs[-1].append(fields)
    # The first and the last epoch can be incomplete. Sentences before the first timed sentence belong to the epoch before.
    epochs = [epoch for epoch in epochs[1:-1] if any(kind(f) == "RMC" and f[2] == "A" for f in epoch)]
    makeup = collections.Counter(frozenset(f[0] for f in epoch) for epoch in epochs)
    if not makeup:
        raise SystemExit(f"{capture}: no complete epoch with a valid RMC")
    usual = makeup.most_common(1)[0][0]
    return [epoch for epoch in epochs if frozenset(f[0] for f in epoch) == usual]


def at_time(fields, when):
    """The sentence as bytes, with another time."""
    fields = list(fields)
    index = TIME_FIELD.get(kind(fields))
    if index and len(fields) > index:
        fields[index] = when.strftime("%H%M%S.") + f"{when.microsecond // 10000:02d}"
    if kind(fields) == "RMC":
        fields[9] = when.strftime("%d%m%y")
    if kind(fields) == "ZDA":
        fields[2:5] = when.strftime("%d %m %Y").split()
    body = ",".join(fields).encode("latin-1")
    return b"$%s*%02X\r\n" % (body, functools.reduce(operator.xor, body))


def write_feed(capture, output, hertz=1.0, sentences=None, epochs=None, kinds=None):
    """Writes a feed with at least `sentences` sentences, or with `epochs` epochs. Returns (epochs, sentences)."""
    source = epochs_of(capture)
    if kinds:
        source = [[fields for fields in epoch if kind(fields) in kinds] for epoch in source]
    when, step = datetime.datetime(2026, 11, 20), datetime.timedelta(seconds=1 / hertz)
    count = written = 0
    with open(output, "wb") as feed, open(output + ".epochs", "w") as epoch_list:
        while count < epochs if epochs else written < sentences:
            epoch = source[count % len(source)]
            data = b"".join(at_time(fields, when) for fields in epoch)
            feed.write(data)
            epoch_list.write(f"{when.isoformat(timespec='milliseconds')}Z {len(data)} {len(epoch)}\n")
            count, written, when = count + 1, written + len(epoch), when + step
    return count, written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("output")
    parser.add_argument("--hertz", type=float, default=1)
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--sentences", type=int)
    length.add_argument("--epochs", type=int)
    parser.add_argument("--kinds", type=lambda text: set(text.split(",")), help="only these sentences, for example GGA,RMC")
    arguments = vars(parser.parse_args())
    print("%d epochs, %d sentences" % write_feed(**arguments))
