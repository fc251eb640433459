"""What tools/plot-* share: measuring programs run, and simple SVG plots. Needs nothing but Python's own library."""
import collections
import csv
import math
import pathlib
import subprocess

HOME = pathlib.Path(__file__).resolve().parent.parent
IMAGES = HOME / "docs/images"
WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 78, 22, 52, 60
INK, PALE, GRID = "#222222", "#666666", "#e4e4e4"
BLUE, ORANGE, GREY = "#0b62a8", "#d1590a", "#555555"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Axis:
    """Values to pixels, linear or logarithmic, with ticks."""

    def __init__(self, low, high, start, end, log, marks=None):
        self.log, self.marks = log, marks
        self.low, self.high = (math.log10(low), math.log10(high)) if log else (low, high)
        self.start, self.end = start, end

    def at(self, value):
        value = math.log10(value) if self.log else value
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        """(value, label or None)"""
        if self.marks:
            yield from ((value, f"{value:g}") for value in self.marks)
            return
        if self.log:
            for power in range(math.floor(self.low), math.ceil(self.high) + 1):
                for digit in range(1, 10):
                    value = digit * 10.0**power
                    if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9:
                        wide = self.high - self.low > 2.2
                        yield value, f"{value:g}" if digit == 1 or (digit in (2, 5) and not wide) else None
            return
        step = 10 ** math.floor(math.log10(self.high - self.low))
        if (self.high - self.low) / step < 3:
            step /= 5 if (self.high - self.low) / step <= 1.2 else 2
        value = math.ceil(self.low / step) * step
        while value <= self.high + 1e-9 * step:
            yield value, f"{value:.6g}"
            value += step


class Plot:
    def __init__(self, title, x_label, y_label, x_range, y_range, x_log=True, y_log=True, x_marks=None,
                 y_marks=None):
        self.x = Axis(*x_range, LEFT, WIDTH - RIGHT, x_log, x_marks)
        self.y = Axis(*y_range, HEIGHT - BOTTOM, TOP, y_log, y_marks)
        self.parts, self.legend = [], []
        self.frame(title, x_label, y_label)

    def text(self, x, y, text, size=13, anchor="middle", colour=INK, weight="normal", turn=None):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-weight="{weight}"{turned}>{escape(text)}</text>')

    def line(self, points, colour, width=1.0, dash=None):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                          f'stroke-linejoin="round"{dashed}/>')

    def mark(self, x, y, colour, shape):
        if shape == "circle":
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.2" fill="{colour}"/>')
        elif shape == "dot":
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')
        elif shape == "square":
            self.parts.append(f'<rect x="{x - 3.8:.1f}" y="{y - 3.8:.1f}" width="7.6" height="7.6" fill="{colour}"/>')
        elif shape == "diamond":
            self.parts.append(f'<path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z" fill="white" stroke="{colour}" '
                              f'stroke-width="1.8"/>')

    def frame(self, title, x_label, y_label):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for value, label in self.x.ticks():
            at = self.x.at(value)
            self.line([(at, TOP), (at, bottom)], GRID, 1.0 if label else 0.5)
            if label:
                self.text(at, bottom + 18, label, 12, colour=PALE)
        for value, label in self.y.ticks():
            at = self.y.at(value)
            self.line([(LEFT, at), (right, at)], GRID, 1.0 if label else 0.5)
            if label:
                self.text(LEFT - 8, at + 4, label, 12, "end", PALE)
        self.line([(LEFT, TOP), (LEFT, bottom), (right, bottom)], PALE)
        self.text(LEFT, 28, title, 16, "start", weight="bold")
        self.text((LEFT + right) / 2, HEIGHT - 16, x_label)
        self.text(20, (TOP + bottom) / 2, y_label, turn=-90)

    def series(self, name, points, colour, shape=None, dash=None, line=True, width=2.0):
        pixels = [(self.x.at(x), self.y.at(y)) for x, y in points]
        if line and pixels:
            self.line(pixels, colour, width, dash)
        if shape:
            for x, y in pixels:
                self.mark(x, y, colour, shape)
        if name:
            self.legend.append((name, colour, shape, dash, line))

    def note(self, x, y, text, colour, anchor="start"):
        self.text(self.x.at(x), self.y.at(y), text, 12, anchor, colour)

    def write(self, path, legend_x, legend_y):
        size = max(len(name) for name, *_ in self.legend) if self.legend else 0
        if size:
            self.parts.append(f'<rect x="{legend_x - 10}" y="{legend_y - 18}" width="{52 + 6.9 * size:.0f}" '
                              f'height="{21 * len(self.legend) + 12}" rx="4" fill="white" stroke="{GRID}"/>')
        for row, (name, colour, shape, dash, line) in enumerate(self.legend):
            y = legend_y + 21 * row
            if line:
                self.line([(legend_x, y), (legend_x + 28, y)], colour, 2.0, dash)
            if shape:
                self.mark(legend_x + 14, y, colour, shape)
            self.text(legend_x + 36, y + 4.5, name, 12.5, "start")
        body = "\n".join(self.parts)
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
                        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, Verdana, sans-serif">\n'
                        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n')
        print(path.relative_to(HOME))


def measured(target):
    """Builds and runs build/TARGET; its rows as {plot: {series: [(x, y)]}}."""
    subprocess.run(["cmake", "--build", "build", "--target", target], cwd=HOME, check=True, stdout=subprocess.DEVNULL)
    output = subprocess.run([HOME / "build" / target], check=True, capture_output=True, text=True).stdout
    plots = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(output.splitlines()):
        plots[row["plot"]][row["series"]].append((float(row["x"]), float(row["y"])))
    return plots


def scaled(points, x=1.0, y=1.0):
    return [(a * x, b * y) for a, b in points]
