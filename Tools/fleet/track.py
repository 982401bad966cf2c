"""The track that a stream with a tolerance draws from a recorded log, compared with the log's positions and with a reference."""
import bisect
import datetime
import json
import math
import statistics
import subprocess

TOLERANCE = 25.0
CONFIGURATION = "otherNavigation"
# A pause between two positions of a log that is longer belongs to no drive.
LONGEST_GAP = 65


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def replay(sextant, log, *words):
    """The locations of a replay as (time, latitude, longitude, R68)."""
    answer = subprocess.run([sextant, "replay", log, *words], check=True, stdout=subprocess.PIPE, text=True)
    found = []
    for line in answer.stdout.splitlines():
        value = json.loads(line)
        value = value.get("location") or value
        if "latitude" in value and "timestamp" in value:
            found.append((seconds(value["timestamp"]), value["latitude"], value["longitude"], value.get("horizontalAccuracy", 0)))
    return found


def reference(path, day):
    """The positions of a file of GGA sentences, whose checksums may be wrong, as (time, latitude, longitude)."""
    found = []
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            words = line.split(",")
            if len(words) < 7 or not words[0].endswith("GGA") or not words[2] or not words[4]:
                continue
            clock = words[1]
            time = day + int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + float(clock[4:])
            degrees = lambda text, sign, width: (int(text[:width]) + float(text[width:]) / 60) * (-1 if sign in "SW" else 1)
            found.append((time, degrees(words[2], words[3], 2), degrees(words[4], words[5], 3)))
    return found


def distance(track, times, time, latitude, longitude):
    """Metres from a position to the track at its own time; nil before, after and in gaps of the track."""
    after = bisect.bisect_left(times, time)
    if after < len(track) and times[after] == time:
        near = track[after][1:3]
    elif 0 < after < len(track) and times[after] - times[after - 1] <= LONGEST_GAP:
        (begin, end), share = track[after - 1:after + 1], (time - times[after - 1]) / (times[after] - times[after - 1])
        near = [begin[index] + share * (end[index] - begin[index]) for index in (1, 2)]
    else:
        return None
    return math.hypot((latitude - near[0]) * 111_200, (longitude - near[1]) * 111_200 * math.cos(math.radians(latitude)))


def antenna_at(truth, fixes):
    """The reference moved to the antenna of the receiver. The two antennas have a fixed distance in the vehicle: two numbers, the medians
    ahead and to the right of epochs above 3 m/s, as in docs/accuracy.md."""
    by_time = {round(entry[0], 1): entry for entry in fixes}
    ahead, right, courses = [], [], {}
    for before, entry in zip(truth, truth[1:]):
        scale = 111_200 * math.cos(math.radians(entry[1]))
        north, east = (entry[1] - before[1]) * 111_200, (entry[2] - before[2]) * scale
        if not 0 < entry[0] - before[0] < 2 or math.hypot(north, east) < 3 * (entry[0] - before[0]):
            continue
        courses[entry[0]] = course = math.atan2(east, north)
        fix = by_time.get(round(entry[0], 1))
        if fix:
            north, east = (fix[1] - entry[1]) * 111_200, (fix[2] - entry[2]) * scale
            ahead.append(north * math.cos(course) + east * math.sin(course))
            right.append(east * math.cos(course) - north * math.sin(course))
    forward, sideward, course, moved = statistics.median(ahead), statistics.median(right), 0.0, []
    for time, latitude, longitude in truth:
        # A vehicle at rest keeps its course.
        course = courses.get(time, course)
        north, east = forward * math.cos(course) - sideward * math.sin(course), forward * math.sin(course) + sideward * math.cos(course)
        moved.append((time, latitude + north / 111_200, longitude + east / (111_200 * math.cos(math.radians(latitude)))))
    return moved, math.hypot(forward, sideward)


def judge(sextant, log, reference_log=None):
    """The figures of one log: its hours, positions per hour, and the greatest distances in metres."""
    fixes = replay(sextant, log, "--emit", "updates", "--configuration", CONFIGURATION)
    track = replay(sextant, log, "--emit", "updates", "--configuration", CONFIGURATION, "--tolerance", str(TOLERANCE))
    times = [entry[0] for entry in track]
    hours = (fixes[-1][0] - fixes[0][0]) / 3600
    figures = {"hours": hours, "positions": len(track), "perHour": len(track) / hours if hours else math.inf}
    apart = [found for entry in fixes if (found := distance(track, times, *entry[:3])) is not None]
    figures |= {"compared": len(apart), "farthest": max(apart, default=0)}
    if reference_log:
        by_time, fix_times = {round(entry[0], 1): entry[3] for entry in fixes}, [entry[0] for entry in fixes]
        truth = reference(reference_log, fixes[0][0] // 86_400 * 86_400)
        moved, figures["antenna"] = antenna_at(truth, fixes)

        def beyond(path, path_times, tolerance, positions):
            """By how much positions with a known R68 are farther from a path than the tolerance and R68."""
            found = [(distance(path, path_times, *entry), by_time.get(round(entry[0], 1))) for entry in positions]
            return [apart - tolerance - radius for apart, radius in found if apart is not None and radius is not None]
        excess, raw, of_fixes = beyond(track, times, TOLERANCE, moved), beyond(track, times, TOLERANCE, truth), beyond(fixes, fix_times, 0, truth)
        figures |= {"references": len(excess), "beyond": sum(value > 0 for value in excess), "excess": max(excess, default=math.inf),
                    "beyondRaw": sum(value > 0 for value in raw), "excessRaw": max(raw, default=math.inf),
                    "fixesBeyondRaw": sum(value > 0 for value in of_fixes)}
    return figures
