"""Random polygons in a plane, and what shapely says of random points: a line a polygon, `P` ring `H` hole..., then `Q` x y inside distance.

usage: containment.py SEED COUNT
"""
import math
import random
import sys

from shapely.geometry import Point, Polygon


def star(radius, corners, centre=(0, 0)):
    """A ring that need not be convex, and does not cross itself: corners in order of their bearing."""
    angles = sorted(random.uniform(0, 2 * math.pi) for _ in range(corners))
    lengths = [radius * random.uniform(0.25, 1) for _ in angles]
    return [(centre[0] + r * math.cos(a), centre[1] + r * math.sin(a)) for a, r in zip(angles, lengths)]


def numbers(ring):
    return " ".join(f"{x:.6f} {y:.6f}" for x, y in ring)


def drawn():
    while True:
        size = 10 ** random.uniform(1, 4)
        ring = star(size, random.choice([3, 4, 5, 8, 20, 100]))
        holes = [h for h in [star(size / 8, 6, (random.uniform(-1, 1) * size / 3, random.uniform(-1, 1) * size / 3)) for _ in range(2)]
                 if Polygon(ring).is_valid and Polygon(ring).contains(Polygon(h))]
        if len(holes) == 2 and Polygon(holes[0]).intersects(Polygon(holes[1])):
            holes.pop()
        shape = Polygon(ring, holes)
        if shape.is_valid and shape.area > 1:
            return ring, holes, shape, size


random.seed(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    ring, holes, shape, size = drawn()
    print("P", numbers(ring))
    for hole in holes:
        print("H", numbers(hole))
    for _ in range(40):
        x, y = random.uniform(-1.2, 1.2) * size, random.uniform(-1.2, 1.2) * size
        print(f"Q {x:.6f} {y:.6f} {int(shape.contains(Point(x, y)))} {shape.boundary.distance(Point(x, y)):.6f}")
