#!/usr/bin/env python3
"""Freezes what a second parser says of every program here: whether the grammar tree-sitter-ocaml accepts it, that is, whether its tree
has neither errors nor missing tokens. Writes FILE.trees, a line `accepts NAME` or `rejects NAME` for each program of FILE.ml, behind the
versions. The tests need neither Python nor tree-sitter; `scripts/goldens.sh` installs both and runs this.
"""
from importlib.metadata import version
from pathlib import Path
import re

import tree_sitter_ocaml
from tree_sitter import Language, Parser

parser = Parser(Language(tree_sitter_ocaml.language_ocaml()))
head = re.compile(r"^\(\*\*\* (.*) \*\*\*\)$")
for file in sorted(Path(__file__).parent.glob("*.ml")):
    programs = []
    for line in file.read_text().splitlines(keepends=True):
        if name := head.match(line.rstrip()):
            programs.append((name[1], []))
        elif programs:
            programs[-1][1].append(line)
    lines = [f"tree-sitter {version('tree-sitter')}, tree-sitter-ocaml {version('tree-sitter-ocaml')}"]
    for name, text in programs:
        tree = parser.parse("".join(text).encode())
        lines.append(f"{'rejects' if tree.root_node.has_error else 'accepts'} {name}")
    file.with_suffix(".trees").write_text("\n".join(lines) + "\n")
