#!/usr/bin/env python3
"""Judges exported meshes with software that is not Pliant's own.

    python3 -m venv .venv && .venv/bin/pip install -r tools/judge/requirements.txt
    .venv/bin/python tools/judge/judge.py FOLDER_OR_FILE... [--every N]
    .venv/bin/python tools/judge/judge.py --self-test

Every mesh (PLY, OBJ, GLB; folders are searched) must be the boundary of a solid:

- closed and edge-manifold: every edge has exactly two triangles;
- consistently oriented: the two pass along the edge in opposite directions;
- vertex-manifold: every vertex has one fan, of three triangles or more;
- outward: every piece has positive volume, but for cavities, which lie in a larger piece;
- manifold3d accepts it without complaint.

One line for each bad file, and a summary. The exit code is 0 if all are good, 1 if one is bad, 2 if the arguments are
unusable.

Seams: a PLY or GLB vertex has one texture coordinate, so `pliant run` has to write a vertex several times along a seam. In
such files, and only in them, vertices at open edges that agree in everything but the texture coordinate are made one again.
OBJ has indices of their own for texture coordinates; it is read here line by line, because trimesh would split the vertices.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

import manifold3d
import numpy as np
import trimesh

ENDINGS = (".ply", ".obj", ".glb")


class Bad(Exception):
    """Why a mesh is not the boundary of a solid."""


# Reading


def read_obj(path):
    """Positions and triangles of an OBJ file as Pliant writes it: triangles only, indices from one."""
    positions, triangles = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("v "):
                positions.append(line.split()[1:4])
            elif line.startswith("f "):
                corners = line.split()[1:]
                if len(corners) != 3:
                    raise Bad(f"a face has {len(corners)} corners")
                triangles.append([corner.partition("/")[0] for corner in corners])
    # Numbers are rounded as the writer's are, so that no two positions become one.
    return (
        np.array(positions, dtype=np.float32).reshape(-1, 3),
        np.array(triangles, dtype=np.int64).reshape(-1, 3) - 1,
    )


def read_scene(path):
    """Positions and triangles of a PLY or GLB file, with vertices joined at texture seams."""
    scene = trimesh.load_scene(str(path), process=False)
    geometries = [g for g in scene.geometry.values() if isinstance(g, trimesh.Trimesh)]
    if not geometries:
        raise Bad("there is no triangle in it")
    positions = np.asarray(geometries[0].vertices)
    if len(geometries) > 1:
        # The parts of a GLB file refer to the same vertices; trimesh reads them once for each part.
        for other in geometries[1:]:
            if not np.array_equal(other.vertices, positions):
                raise Bad("its parts do not share their vertices")
    triangles = np.concatenate([np.asarray(g.faces, dtype=np.int64) for g in geometries])
    if getattr(geometries[0].visual, "uv", None) is not None or has_glb_texture(path):
        normals = np.asarray(geometries[0].vertex_normals)
        triangles = join_seams(np.hstack([positions, normals]).astype(np.float32), triangles)
    return positions, triangles


def has_glb_texture(path):
    """Whether it is a GLB file with texture coordinates. Without a material, trimesh leaves them out."""
    with open(path, "rb") as file:
        mark, _, _, length, _ = struct.unpack("<4sIIII", file.read(20).ljust(20))
        if mark != b"glTF":
            return False
        meshes = json.loads(file.read(length)).get("meshes", [])
    return any("TEXCOORD_0" in p["attributes"] for mesh in meshes for p in mesh["primitives"])


def join_seams(attributes, triangles):
    """Makes vertices at open edges one if their attributes are equal."""
    count = len(attributes)
    starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    forth, back = starts * count + ends, ends * count + starts
    is_open = ~np.isin(forth, back)
    at_open = np.unique(np.concatenate([starts[is_open], ends[is_open]]))
    if not len(at_open):
        return triangles
    # Adding zero makes −0 and 0 equal; bytes compare faster than rows.
    rows = np.ascontiguousarray(attributes[at_open] + np.float32(0))
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    number = np.arange(count)
    number[at_open] = at_open[first[which]]
    return number[triangles]


def read(path):
    if path.suffix.lower() == ".obj":
        return read_obj(path)
    return read_scene(path)


# Judging


def smallest_on_cycles(step):
    """For each element of a permutation, the smallest element of its cycle."""
    label = np.arange(len(step))
    while True:
        lower = np.minimum(label, label[step])
        if np.array_equal(lower, label):
            return label
        label, step = lower, step[step]


def pieces(count, triangles):
    """For each vertex, the smallest vertex it is connected to."""
    label = np.arange(count)
    starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    while True:
        lower = label.copy()
        np.minimum.at(lower, label[starts], label[ends])
        while True:
            shorter = lower[lower]
            if np.array_equal(shorter, lower):
                break
            lower = shorter
        if np.array_equal(lower, label):
            return label
        label = lower


def winding(point, corners):
    """How often a closed surface goes around a point."""
    a, b, c = (corners - point).transpose(1, 0, 2)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    dot = lambda x, y: np.einsum("ij,ij->i", x, y)
    above = dot(a, np.cross(b, c))
    below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.arctan2(above, below).sum() / (2 * np.pi)


def plural(number, one, many):
    return f"{number} {one if number == 1 else many}"


def judge(positions, triangles):
    """Raises Bad unless the mesh is the boundary of a solid."""
    if not len(triangles):
        raise Bad("there is no triangle in it")
    if not np.isfinite(positions).all():
        raise Bad("a position is not finite")
    if triangles.min() < 0 or triangles.max() >= len(positions):
        raise Bad("a triangle refers to a vertex that does not exist")
    # Vertices that no triangle uses are no part of the surface.
    used, triangles = np.unique(triangles, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    positions = np.asarray(positions, dtype=np.float64)[used]
    count = len(positions)

    starts, ends = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    if (starts == ends).any():
        raise Bad(f"{plural((starts == ends).sum(), 'triangle names', 'triangles name')} a vertex twice")
    _, sizes = np.unique(np.minimum(starts, ends) * count + np.maximum(starts, ends), return_counts=True)
    if (sizes == 1).any():
        raise Bad(f"{plural((sizes == 1).sum(), 'edge is', 'edges are')} open")
    if (sizes > 2).any():
        raise Bad(f"{plural((sizes > 2).sum(), 'edge has', 'edges have')} more than two triangles")
    forth, back = starts * count + ends, ends * count + starts
    order = np.argsort(forth)
    same = (np.diff(forth[order]) == 0).sum()
    if same:
        raise Bad(f"{plural(same, 'edge lies', 'edges lie')} between triangles that face opposite ways")

    # Around a vertex: from a side that begins there, back over the side before it, to the next that begins there.
    twin = order[np.searchsorted(forth, back, sorter=order)]
    side = np.arange(len(starts))
    before = side - side % 3 + (side + 2) % 3
    fans = smallest_on_cycles(twin[before])
    fan_sizes = np.bincount(fans, minlength=1)
    fan_count = np.count_nonzero(fan_sizes)
    if fan_count != count:
        vertices = starts[np.flatnonzero(fan_sizes)]
        pinched = (np.bincount(vertices) > 1).sum()
        raise Bad(f"{plural(pinched, 'vertex has', 'vertices have')} several fans of triangles")
    thin = ((fan_sizes > 0) & (fan_sizes < 3)).sum()
    if thin:
        raise Bad(f"{plural(thin, 'vertex has', 'vertices have')} only two triangles")

    judge_volumes(positions, triangles)
    solid = manifold3d.Manifold(
        manifold3d.Mesh(
            vert_properties=positions.astype(np.float32),
            tri_verts=triangles.astype(np.uint32),
        )
    )
    if solid.status() != manifold3d.Error.NoError:
        raise Bad(f"manifold3d says {solid.status().name}")


def judge_volumes(positions, triangles):
    """Raises Bad if a piece is flat or faces inward, unless it is a cavity of a larger one."""
    _, piece = np.unique(pieces(len(positions), triangles)[triangles[:, 0]], return_inverse=True)
    corners = positions[triangles]
    corners = corners - (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
    a, b, c = corners.transpose(1, 0, 2)
    volumes = np.bincount(piece, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6)
    if (volumes == 0).any():
        raise Bad(f"{plural((volumes == 0).sum(), 'piece has', 'pieces have')} no volume")
    for inner in np.flatnonzero(volumes < 0):
        own = corners[piece == inner]
        for outer in np.flatnonzero(volumes > -volumes[inner]):
            around = corners[piece == outer]
            boxed = (around.min(axis=(0, 1)) <= own.min(axis=(0, 1))).all() and (
                own.max(axis=(0, 1)) <= around.max(axis=(0, 1))
            ).all()
            if boxed and winding(own[0].mean(axis=0), around) > 0.5:
                break
        else:
            inward = "the mesh" if len(volumes) == 1 else f"piece {inner + 1} of {len(volumes)}"
            raise Bad(f"{inward} is inside out: its volume is {volumes[inner]:.3g}")


# The judge judged


def self_test():
    """Good and bad meshes must get the right verdicts."""
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], dtype=np.float32)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3]]
    faces = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    flipped = faces.copy()
    flipped[3] = flipped[3, ::-1]

    def both(shift, scale=1.0, second=faces, merge=False):
        """The cube and another one."""
        positions = np.vstack([corners, corners * np.float32(scale) + np.float32(shift)])
        triangles = np.vstack([faces, second + 8])
        if merge:
            _, first, which = np.unique(positions, axis=0, return_index=True, return_inverse=True)
            triangles = first[which.ravel()][triangles]
        return positions, triangles

    # A face whose first corner is a vertex of its own, as at a seam.
    seam_triangles = faces.copy()
    seam_triangles[:2][faces[:2] == 0] = 8
    seam = np.vstack([corners, corners[:1]])
    cases = [
        ("cube", (corners, faces), None),
        ("two cubes", both([3, 0, 0]), None),
        ("two cubes at one place", both([0, 0, 0]), None),
        ("cavity", both([0.25] * 3, 0.5, faces[:, ::-1]), None),
        ("joined seam", (seam, join_seams(seam, seam_triangles)), None),
        ("seam", (seam, seam_triangles), "open"),
        ("open cube", (corners, faces[:-1]), "open"),
        ("flipped face", (corners, flipped), "opposite ways"),
        ("three faces at an edge", both([1, 1, 0], merge=True), "more than two"),
        ("bow-tie vertex", both([1, 1, 1], merge=True), "several fans"),
        ("inside out", (corners, faces[:, ::-1]), "inside out"),
        ("inside out beside another", both([3, 0, 0], 1.0, faces[:, ::-1]), "inside out"),
        ("pillow", (corners, np.array([[0, 1, 2], [2, 1, 0]])), "only two triangles"),
        ("flat tetrahedron", (corners, np.array([[0, 1, 2], [1, 3, 2], [0, 3, 1], [0, 2, 3]])), "no volume"),
        ("twice the same vertex", (corners, np.vstack([faces, [[0, 0, 1]]])), "twice"),
        ("vertex that is not there", (corners[:7], faces), "does not exist"),
        ("nothing", (corners, faces[:0]), "no triangle"),
        ("not a number", (corners * np.float32(np.nan), faces), "not finite"),
    ]
    failures = 0
    for name, (positions, triangles), expected in cases:
        try:
            judge(positions, triangles)
            verdict = None
        except Bad as bad:
            verdict = str(bad)
        right = verdict is None if expected is None else verdict is not None and expected in verdict
        if not right:
            failures += 1
            print(f"{name}: the verdict is {verdict or 'good'}, expected was {expected or 'good'}")
    print(f"self-test: {len(cases) - failures} of {len(cases)} verdicts are right")
    return 1 if failures else 0


# The command


def unusable(reason):
    print(f"judge: {reason}", file=sys.stderr)
    sys.exit(2)


def find(arguments, every):
    """The files to judge: all that are named, and every n-th of each folder."""
    files = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            found = sorted(p for p in path.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
            if not found:
                unusable(f"{path}: there is no PLY, OBJ or GLB file in this folder")
            files += found[::every]
        elif not path.is_file():
            unusable(f"{path}: there is no such file or folder")
        elif path.suffix.lower() not in ENDINGS:
            unusable(f"{path}: a PLY, OBJ or GLB file was expected")
        else:
            files.append(path)
    return files


def main():
    parser = argparse.ArgumentParser(description="Judges exported meshes with software that is not Pliant's own.")
    parser.add_argument("paths", nargs="*", metavar="FOLDER_OR_FILE", help="meshes, or folders to search for them")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="judge only every n-th file of a folder")
    parser.add_argument("--self-test", action="store_true", help="judge meshes whose verdict is known")
    arguments = parser.parse_args()
    if arguments.every < 1:
        unusable(f"--every {arguments.every}: a number above zero was expected")
    if arguments.self_test:
        return self_test()
    if not arguments.paths:
        unusable("a folder or a file is needed, or --self-test")
    files = find(arguments.paths, arguments.every)
    bad_count = 0
    for path in files:
        try:
            judge(*read(path))
        except Bad as bad:
            bad_count += 1
            print(f"{path}: {bad}")
        except Exception as error:  # A file that a reader chokes on is a bad file, whatever the reader says.
            bad_count += 1
            print(f"{path}: cannot be read: {type(error).__name__}: {' '.join(str(error).split())}")
    print(f"{plural(len(files), 'mesh', 'meshes')} judged, {bad_count} bad")
    return 1 if bad_count else 0


if __name__ == "__main__":
    sys.exit(main())
