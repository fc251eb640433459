#!/usr/bin/env python3
"""Runs the command blocks of README and docs.  usage: test_docs.py RUNNEL SOURCES BUILD [PAGE ... | but PAGE | PART/PARTS but PAGE]

A block is one of commands if it is marked as sh, or has no language and begins with the name of a program. The blocks of a
page run in order, in a folder of their own that looks like the repository after a build. If the next block after one of
commands is ```text, that is what they print; "…" in it stands for anything. Comments before a block, which a reader does not see:

  <!-- not run: REASON -->    the block is not run; the test lists it with its reason
  <!-- fails -->              the block must exit with an error; what it prints to stderr is compared too
  <!-- file: NAME -->         the block is the contents of that file; files without a block are as FILES makes them

tests/small_runnel.sh stands in for the command: blocks run with few frames, but at full length if their output is shown, or if
RUNNEL_LONG is set (make nightly).
Options, scenes and rows of commands within a sentence are compared with those that there are, and links must lead somewhere.
"""
import gzip
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

RUNNEL, SOURCES, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
TESTS = SOURCES / "tests"
LENGTH = "whole" if "RUNNEL_LONG" in os.environ else "small"
COMMANDS = ("run", "view", "render", "inspect", "figures", "compare", "scenes", "schema", "validate", "bench")
PROGRAM = re.compile(rf"(\$ )?([A-Z_]+=\S+ )*(runnel (-|{'|'.join(COMMANDS)})|make |cmake |ctest |cc |git |sudo |pacman |brew |xvfb-run |python3 |"
                     r"\./\w|build/\w|(tools|tests|bench|fuzz)/[\w.-]+ )")


class Block:
    def __init__(self, page, line, language, text, note):
        self.page, self.line, self.language, self.text, self.note = page, line, language, text, note
        self.output = None  # the block ```text after it

    @property
    def is_command(self):
        return self.language == "sh" or (not self.language and PROGRAM.match(self.text))

    def noted(self, key):
        found = re.fullmatch(rf"<!-- {key}(?:: (.+))? -->", self.note, re.DOTALL)
        return found and (found[1] or True)

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    """All blocks of a page, fenced and indented, each with the comment before it."""
    lines = text.split("\n")
    found, note, i = [], "", 0
    while i < len(lines):
        fence = re.match(r"```(\w*)", lines[i])
        indented = lines[i].startswith("    ") and lines[i].strip() and (i == 0 or not lines[i - 1].strip())
        end = i + 1
        if fence:
            while lines[end] != "```":
                end += 1
            found.append(Block(page, i + 1, fence[1], "\n".join(lines[i + 1:end]), note))
            end += 1
        elif indented:
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            found.append(Block(page, i + 1, "", "\n".join(line[4:] for line in lines[i:end]).rstrip(), note))
        if lines[i].strip():
            note = lines[i] if lines[i].startswith("<!--") else ""
        if fence and fence[1] == "text" and len(found) > 1 and found[-2].is_command:
            found[-2].output = found[-1].text
        if fence or indented:
            note = ""
        i = end
    return found


def write_stl(path):
    """A dish with a hollow in it, closed, 60 mm wide, in mm."""
    def quad(a, b, c, d):
        return [(a, b, c), (a, c, d)]

    def ring(half, z):
        return [(-half, -half, z), (half, -half, z), (half, half, z), (-half, half, z)]

    rings = [ring(30, 0), ring(30, 20), ring(24, 20), ring(12, 8)]
    triangles = quad(*reversed(rings[0])) + quad(*rings[-1])
    for low, high in zip(rings, rings[1:]):
        for k in range(4):
            triangles += quad(low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k])
    rows = (struct.pack("<12fH", 0, 0, 0, *[number for corner in triangle for number in corner], 0) for triangle in triangles)
    path.write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + b"".join(rows))


def write_obj(path):
    """A cup without thickness, in metres, y up: a floor and four walls."""
    ring = [(-0.04, -0.04), (0.04, -0.04), (0.04, 0.04), (-0.04, 0.04)]
    vertices = [f"v {x} {y} {z}" for y in (0, 0.09) for x, z in ring]
    path.write_text("\n".join(vertices + ["f 1 2 3 4", "f 1 2 6 5", "f 2 3 7 6", "f 3 4 8 7", "f 4 1 5 8"]) + "\n")


def write_nifti(path):
    """A CT of 24 x 24 x 24 samples, 1 mm apart: a block of bone with a groove."""
    n = 24
    head = bytearray(352)
    struct.pack_into("<i8h", head, 0, 348, *(0,) * 8)
    struct.pack_into("<8h", head, 40, 3, n, n, n, 1, 1, 1, 1)
    struct.pack_into("<hh", head, 70, 4, 16)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<ff", head, 108, 352, 1)
    head[123] = 2
    head[344:348] = b"n+1\0"
    bone = [1000 if 3 <= x < n - 3 and 3 <= y < n - 3 and 3 <= z < (9 if 9 <= y < 15 else 15) else -1000
            for z in range(n) for y in range(n) for x in range(n)]
    path.write_bytes(gzip.compress(bytes(head) + struct.pack(f"<{n ** 3}h", *bone)))


def write_survey(path):
    """An elevation model of 60 x 40 pixels of 10 m that falls to the east, with a channel."""
    rows = [" ".join(f"{40 - 0.5 * x + 0.3 * abs(y - 20):.1f}" for x in range(60)) for y in range(40)]
    path.write_text("ncols 60\nnrows 40\nxllcorner 500000\nyllcorner 5200000\ncellsize 10\nNODATA_value -9999\n" + "\n".join(rows) + "\n")


# What a reader would have, by name.
FILES = {"part.stl": write_stl, "scan.stl": write_stl, "cup.obj": write_obj, "ct.nii.gz": write_nifti, "survey.asc": write_survey}


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


# make, without building what is built: installs below the home folder or, with any other prefix, below DESTDIR; of other
# targets it checks that they are there.
MAKE = f"""#!/bin/bash
set -e
prefix=/usr/local
for word in "$@"; do case $word in PREFIX=*) prefix=${{word#PREFIX=}} ;; esac; done
/usr/bin/make -C {SOURCES} --dry-run "$@" >/dev/null
case " $* " in *" install "*)
    case $prefix in "$HOME"/*) ;; *) export DESTDIR=$HOME/destdir ;; esac
    cmake --install {BUILD} --prefix "$prefix" >/dev/null
    cd "$DESTDIR$prefix/bin"
    mv runnel runnel-itself
    ln -s {TESTS}/small_runnel.sh runnel ;;
esac
"""


def scratch_of(folder):
    """Makes a folder like the repository after a build. Folders that commands on the pages write into are copies."""
    root = pathlib.Path(folder) / "runnel"
    for name in ("bench", "docs/images/scripts", "examples", "scenes"):
        shutil.copytree(SOURCES / name, root / name)
    for name in ("cmake", "completions", "fuzz", "include", "src", "tests", "tools", "Makefile"):
        (root / name).symlink_to(SOURCES / name)
    (root / "build/tests").mkdir(parents=True)
    for path in BUILD.glob("tests/test_*"):  # make test runs these
        write_program(root / "build/tests" / path.name, "#!/bin/sh\n")
    for name in ("hello", "hello-bodies"):
        (root / "build" / name).symlink_to(BUILD / name)
    write_program(root.parent / "bin/make", MAKE)
    for place in (root / "build/runnel", root.parent / "bin/runnel"):
        place.symlink_to(TESTS / "small_runnel.sh")
    for name, write in FILES.items():
        write(root / name)
    return root


def environment_of(root):
    dropped = ("RUNNEL_SCENES", "RUNNEL_DATA", "DISPLAY", "MAKEFLAGS", "MAKELEVEL")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "RUNNEL": str(RUNNEL), "HOME": str(root.parent / "home"), "PATH": f"{root.parent}/bin:{kept['PATH']}",
            "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8"}


def matches(shown, printed):
    """True if `printed` is what the page shows; "…" stands for anything, also for lines."""
    shown = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", shown.strip()))
    return re.fullmatch(shown, printed.strip(), re.DOTALL)


def run_block(block, root, variables):
    """Runs a block in the folder and with the variables that the block before left. Returns an error message, or None."""
    length = LENGTH if block.output is None else "whole"
    state = root.parent / "state"
    fails = bool(block.noted("fails"))
    told = "" if fails else "trap 'echo \"line $((LINENO)): $BASH_COMMAND\" >&2' ERR; "
    script = (f"{told}set -eEo pipefail\n"
              f"if [ -e {state} ]; then . {state}; fi\n{'exec 2>&1' if fails else ''}\n{block.text}\n"
              f"{{ export -p | grep -E ' (PATH|PKG_CONFIG_PATH|LD_LIBRARY_PATH)='; pwd | sed 's/^/cd /'; }} >{state}\n")
    done = subprocess.run(["bash", "-c", script], cwd=root, env={**variables, "LENGTH": length}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if (done.returncode != 0) != fails:
        return f"{block}: ends with {done.returncode}:\n{block.text}\n--- printed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    if block.output is not None and not matches(block.output, done.stdout):
        return f"{block}: the page shows:\n{block.output}\n--- but this is printed:\n{done.stdout}{done.stderr[-2000:]}"
    return None


def current_folder(root):
    """Where the last block ended."""
    state = root.parent / "state"
    return pathlib.Path(state.read_text().split("\ncd ")[1].split("\n")[0]) if state.exists() else root


def run_page(page, blocks, left_out):
    """Runs the blocks of a page. Returns error messages; a page ends at its first."""
    with tempfile.TemporaryDirectory() as folder:
        root = scratch_of(folder)
        (root.parent / "home").mkdir()
        variables = environment_of(root)
        for block in blocks:
            if block.noted("file"):
                (current_folder(root) / block.noted("file")).write_text(block.text + "\n")
            if not block.is_command:
                continue
            if block.noted("not run"):
                left_out.append(f"{block}: {block.noted('not run')}")
                continue
            start = os.times()
            error = run_block(block, root, variables)
            end = os.times()
            print(f"{block}: {end.elapsed - start.elapsed:.1f} s, {end.children_user - start.children_user:.1f} s of a processor", flush=True)
            if error:
                return [error]
    return []


def ask(*arguments):
    return subprocess.run([RUNNEL, *arguments], capture_output=True, text=True, check=True).stdout


def known_words():
    """The help of every command, the scenes, and the rows and figures that --only may name."""
    def first_words(text):
        return set(re.findall(r"^ *([\w-]+)", text, re.M))
    return {"help": {name: ask(name, "--help") for name in COMMANDS},
            "scenes": {path.stem for path in (SOURCES / "scenes").glob("*.json")},
            "rows": {"validate": first_words(ask("validate", "--list")), "figures": first_words(ask("figures", "--list")),
                     "bench": first_words(ask("bench", "--help").split("Rows:")[1])}}


def check_quoted(page, text, known):
    """Options, scenes and rows in `runnel COMMAND …` between backquotes exist. Capitals stand for something else."""
    errors = []
    for quoted in re.findall(r"`((?:build/)?runnel [^`]+)`", text):
        command, words = quoted.split()[1], quoted.split()[2:]
        if command not in COMMANDS:
            continue
        errors += [f"`{quoted}`: runnel {command} has no {option}" for option in re.findall(r"(?<!\S)--[a-z-]+", quoted)
                   if option not in known["help"][command] and option != "--help"]
        if command in ("run", "view", "compare") and words and re.fullmatch(r"[a-z][\w-]*", words[0]) and words[0] not in known["scenes"]:
            errors.append(f"`{quoted}`: there is no scene {words[0]}")
        if command in known["rows"]:
            errors += [f"`{quoted}`: there is no {name}" for names in re.findall(r"--only[ =]([a-z][\w,-]*)", quoted) for name in names.split(",")
                       if not any(row == name or row.startswith(name + "-") for row in known["rows"][command])]
    return [f"{page}: {error}" for error in errors]


def without_fences(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors_of(path):
    """The names by which links reach the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", without_fences(path.read_text(encoding="utf-8")), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def check_links(page, text):
    """Links to files and headings of the repository lead somewhere."""
    errors = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_fences(text)):
        name, _, anchor = link.partition("#")
        path = (SOURCES / page).parent / name if name else SOURCES / page
        if "://" not in link and (not path.exists() or (anchor and anchor not in anchors_of(path))):
            errors.append(f"{page}: the link {link} leads nowhere")
    return errors


def check_unmarked(blocks):
    """No block of commands hides in another language."""
    hidden = [block for block in blocks if block.language not in ("sh", "") and PROGRAM.match(block.text)]
    return [f"{block}: commands in a block that is marked as {block.language}; mark it as sh" for block in hidden]


def chosen_pages(words):
    """The pages that the arguments name: these, all but these, or all. The page of the interface has code alone."""
    every = sorted(str(path.relative_to(SOURCES)) for pattern in ("*.md", "docs/*.md", "docs/gallery/*.md") for path in SOURCES.glob(pattern)
                   if path.name not in ("CHANGELOG.md", "api.md"))
    part, parts = 1, 1
    if words and re.fullmatch(r"\d+/\d+", words[0]):
        part, parts = map(int, words.pop(0).split("/"))
    if words and words[0] == "but":
        return [page for page in every if page not in words[1:]][part - 1::parts]
    return (words or every)[part - 1::parts]


def main():
    pages = chosen_pages(sys.argv[4:])
    known = known_words()
    errors, left_out, count = [], [], 0
    for page in pages:
        text = (SOURCES / page).read_text(encoding="utf-8")
        blocks = blocks_of(page, text)
        errors += check_quoted(page, text, known) + check_links(page, text) + check_unmarked(blocks)
        if any(block.is_command for block in blocks):
            errors += run_page(page, blocks, left_out)
        count += sum(bool(block.is_command) for block in blocks)
    for line in left_out:
        print("not run:", line)
    for error in errors:
        print("FAILED:", error)
    print(f"{count} blocks of commands on {len(pages)} pages, {len(left_out)} of them not run, {len(errors)} failures")
    return 1 if errors else 0


sys.exit(main())
