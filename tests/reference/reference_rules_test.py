"""Files that break one rule under valid seals are refused with that rule's id, by the reference
decoder and by the library; random edits under valid seals never end in anything but rows or one of
the reference decoder's errors.
"""

import random
import struct
import sys
import unittest

sys.dont_write_bytecode = True
from example_files import editor, everything  # First: may skip.
from answers import outcome_of_both as outcome
import encode_nodes as en
from build_example import (Alias, Builder, Col, Field, Grp, Ids, Rows, joined, name_hash, smallest,
                           three)
from dsi_footer import Footer
from dsi_nodes import Damage, Unsupported
from dsi_reference import File

# (expected rule, part to edit, record ordinal or None, fields to set), on `everything`. Behind bars:
# rules that are broken as well, which the library may find first.
# Slots there: three for each of the 13 columns, 39 dictionary, 40 … 42 indexes.
EDITS = [
    ("F-020", "header", None, {"header_size": 72}),
    ("F-003", "header", None, {"reserved": b"x" * 32}),
    ("F-020!", "header", None, {"major": 2}), ("F-030", "trailer", None, {"salt": 1}),
    ("F-030", "trailer", None, {"minor": 1}), ("F-030!", "trailer", None, {"incompat": 1}),
    ("F-031", "trailer", None, {"file_size": 8}), ("F-030", "trailer", None, {"footer_size": 4}),
    ("F-032", "trailer", None, {"footer_size": 64}), (None, "trailer", None, {"compat": 2**63}),
    (None, "trailer", None, {"read_only_compat": 2**63}),
    ("F-050", "footer", None, {"num_rows": 5}), ("F-050", "footer", None, {"num_sessions": 5}),
    ("F-050", "footer", None, {"num_features": 5}), ("F-078", "footer", None, {"num_slots": 44}),
    ("F-076", "footer", None, {"num_slots": 42}), ("F-078|F-060", "footer", None, {"num_slots": 46}),
    ("F-050", "footer", None, {"page_values": 1000}),
    ("F-050", "footer", None, {"cluster_keys": [99]}), (None, "footer", None, {"tuning": 0}),
    (None, "footer", None, {"tuning": 255}),
    ("F-041", "footer.columns", None, {"record_size": 100}),
    ("F-041", "footer.columns", None, {"record_size": 4104}),
    ("F-041", "footer.names", None, {"record_size": 8}),
    ("F-041", "footer.columns", None, {"record_size": 64}),
    ("F-041", "footer.names", None, {"offset": 2**40}),
    ("F-040", "footer.names", None, {"seal": 1}),
    ("F-040", "footer.names", None, {"count": 0}),
    ("F-040|F-060", "footer.groups", None, {"count": 3}),
    ("F-002", "footer.groups", None, {"offset": 68}),
    ("F-080", "footer.sections", 0, {"seal": 0}), ("F-080", "footer.sections", 0, {"flags": 2}),
    ("F-080!", "footer.sections", 1, {"flags": 1}), ("F-080", "footer.sections", 1, {"kind": 1}),
    ("F-002", "footer.sections", 0, {"size": 9}),
    ("F-051", "footer.stripes", 0, {"first_row": 1}), ("F-051", "footer", None, {"cluster_keys": []}),
    ("F-051", "footer.stripes", 0, {"num_rows": 0}),
    ("F-052", "footer.stripes", 0, {"num_rows": 2**24 + 1}),
    ("F-051", "footer.stripes", 1, {"flags": 2}), ("F-003", "footer.stripes", 0, {"reserved": 1}),
    ("F-051", "footer.stripes", 0, {"data_offset": 72}),
    ("F-062", "footer.stripes", 1, {"data_size": 8}),
    ("F-073", "stripe 0 groups", 0, {"form": 1}),
    ("D-003", "stripe 0 groups", 1, {"num_unique": 0}),
    ("D-003", "stripe 0 groups", 1, {"num_unique": 1501}),
    ("D-001", "stripe 0 groups", 0, {"num_unique": 7}),
    ("D-001!", "stripe 0 groups", 1, {"form": 7}),
    ("D-001", "stripe 0 groups", 1, {"form": 4}), ("D-001", "stripe 0 groups", 1, {"form": 5}),
    ("D-001", "stripe 0 groups", 1, {"num_unique": 699}),
    ("D-001", "stripe 0 groups", 2, {"num_unique": 599}),
    ("D-001", "stripe 0 groups", 3, {"num_unique": 39}),
    ("D-002", "stripe 0 groups", 3, {"num_unique": 41}),
    ("F-061", "stripe 0 streams", 0, {"form": 5, "num_values": 0}), ("F-061", "stripe 0 streams", 0, {"form": 4}),
    ("F-061", "stripe 0 streams", 0, {"width": 3}),
    ("F-003", "stripe 0 streams", 0, {"reserved": 1}), ("F-061", "stripe 0 streams", 0, {"max": 1}),
    ("D-010", "stripe 0 streams", 1, {"max": 2}), ("F-061", "stripe 0 streams", 0, {"form": 0}),
    ("F-066", "stripe 0 streams", 0, {"constant": 1}),
    ("F-066", "stripe 0 streams", 0, {"constant": 2**32}),
    ("F-061", "stripe 0 streams", 0, {"num_pages": 3}),
    ("F-061", "stripe 0 streams", 0, {"first_page": 999}),
    ("F-090", "stripe 0 streams", 0, {"num_values": 2**32}),
    ("F-063", "stripe 0 streams", 30, {"first_page": 1}),
    ("F-061", "stripe 0 streams", 40, {"offset_in_page": 4}),
    ("F-064", "stripe 0 streams", 40, {"offset_in_page": 2**20}),
    ("F-064", "stripe 0 streams", 40, {"offset_in_page": 0}),
    ("F-061", "stripe 1 streams", 7, {"constant": 256}),
    # What is nobody's: windows of one number, the shape of a second column, what fills the record.
    ("F-078", "stripe 0 streams", 2, {"width": 4}),
    ("F-078", "stripe 0 streams", 16, {"form": 1, "num_values": 1}),
    ("F-078", "stripe 0 streams", 43, {"width": 8}),
    ("F-062", "stripe 0 pages", 1, {"offset": 64}),
    ("F-062", "stripe 0 pages", 1, {"stored_size": 12}),
    ("F-090", "stripe 0 pages", 1, {"stored_size": 2**28 + 8}),
    ("F-010", "stripe 0 pages", 1, {"seal": 1}),
    ("F-062", "stripe 0 pages", 1, {"num_values": 1}),
    ("F-003", "columns", 0, {"reserved": 1}), ("F-003|F-070", "columns", 0, {"flags": 16}),
    ("F-003", "columns", 0, {"reserved_2": 1}),
    ("F-076", "columns", 3, {"tiers_slot": 42, "num_tiers": 2}),
    ("F-076", "columns", 3, {"tiers_slot": 43, "num_tiers": 2}),
    ("F-079", "columns", 5, {"max_length": 5}), ("F-079", "columns", 7, {"flags": 0}),
    ("F-070", "columns", 12, {"flags": 0}), ("S-012", "columns", 0, {"time_unit": 1}),
    ("S-012", "columns", 3, {"time_unit": 1}), ("S-012", "columns", 4, {"time_unit": 1}),
    (None, "columns", 6, {"time_unit": 1}), ("S-012", "columns", 6, {"time_unit": 1, "flags": 9}),
    ("F-079", "columns", 5, {"id_less_hash": 1}), ("F-071", "columns", 0, {"name_offset": 999}),
    ("S-013|F-070", "columns", 0, {"name_size": 0}), ("S-013|F-070", "columns", 0, {"name_size": 4096}),
    ("F-070", "columns", 0, {"feature_name_size": 3}), ("F-070|S-012", "columns", 5, {"place": 0}),
    ("F-070", "columns", 6, {"feature_name_size": 9}),
    ("F-070|F-079|S-012", "columns", 0, {"num_columns": 2}), ("F-073|F-079", "columns", 5, {"group": 2}),
    ("F-070", "columns", 1, {"id_less_hash": (1 - name_hash("count")) % 2**64}),
    ("F-070", "columns", 4, {"place": 2}),
    ("F-070", "columns", 0, {"stored_bytes": 1}), ("F-070", "columns", 0, {"num_values": 1}),
    ("F-070", "columns", 0, {"default_bits": 2**32}),
    ("S-011", "columns", 2, {"default_bits": 2, "flags": 4}), ("S-015", "columns", 0, {"flags": 8}),
    ("F-074", "columns", 3, {"id_space": 1}), ("F-074", "columns", 7, {"id_space": 0}),
    ("S-010!", "columns", 0, {"kind": 10}), ("S-011!", "columns", 0, {"type": 13}),
    ("S-011!", "columns", 5, {"type": 13}), ("S-011!", "columns", 7, {"type": 13}),
    ("S-012", "columns", 11, {"type": 2}), ("S-012", "columns", 3, {"type": 12}),
    ("S-012", "columns", 10, {"time_unit": 0}), ("S-012", "columns", 10, {"type": 9}),
    ("S-012", "columns", 4, {"type": 10}), ("S-012", "columns", 5, {"type": 8}),
    ("S-012", "columns", 8, {"fixed_length": 0}), ("S-012", "columns", 0, {"fixed_length": 1}),
    ("D-011", "columns", 8, {"fixed_length": 2}), ("D-010", "columns", 0, {"kind": 2}),
    ("F-072", "name index", 3, {"hash": 1}), ("F-072", "name index", 3, {"column": 999}),
    ("F-073", "groups", 0, {"source": 1}), ("F-073", "groups", 1, {"num_columns": 9}),
    ("F-073", "groups", 1, {"owner": 1000}), ("F-003", "groups", 1, {"reserved": 1}),
    ("F-003", "groups", 1, {"reserved_2": 1}), ("F-073", "groups", 1, {"source": 0}),
    ("F-073", "groups", 1, {"name_size": 0, "name_offset": 3}),
    ("F-073", "groups", 0, {"parent": 1}), ("F-073", "groups", 2, {"parent": 2}),
    (None, "groups", 2, {"parent": 1}),
    ("F-074", "id spaces", 0, {"width": 2}), ("F-003", "id spaces", 0, {"reserved": 1}),
]


class BrokenRulesUnderValidSeals(unittest.TestCase):
    def test_edited_records(self):
        for rule, part, ordinal, change in EDITS:
            with self.subTest(part=part, ordinal=ordinal, change=change):
                data = everything(edit=editor(part, ordinal, change))[0].bytes()
                first, *also = (rule or "").split("|")
                expected = rule and (("Unsupported", first[:-1]) if first.endswith("!") else
                                     ("Damage", first))
                self.assertEqual(outcome(data, also), expected)

    def test_larger_records(self):  # F-041
        plain = list(File(everything()[0].bytes()).rows())
        for unknown in 8, 4096 - 120:
            self.assertEqual(repr(list(File(everything(unknown=unknown)[0].bytes()).rows())),
                             repr(plain))
        self.assertEqual(outcome(everything(unknown=4)[0].bytes()), ("Damage", "F-041"))

    def test_heap(self):  # F-071, S-013, F-002
        for rule, heap in (("F-071", b"x\0"), ("F-071", b"x\xff"), ("F-072", b"y"),
                           ("F-071", b"x\xc1\xb8"), ("F-071", b"x\xed\xa0\x80"),
                           ("F-071", b"x\xf4\x90\x80\x80")):  # Overlong, surrogate, too large.
            def edit(name, value):
                return heap if name == "names" else value
            self.assertEqual(outcome(smallest(edit=edit).bytes()), ("Damage", rule))

    def test_names_twice(self):  # F-075
        a, b = Col("x", "dense", "int64"), Col("x.y", "sequence", "int64", feature="x")
        c = Col("x.z", "sequence", "int64", feature="x")
        def build(columns, edit=None):
            return Builder(columns, [], edit=edit).bytes()
        self.assertIsNone(outcome(build([b, c])))
        # F-072: the feature of one column that has a name of its own has an entry as well.
        self.assertEqual(len(list(struct.iter_unpack("<II", File(build([b]))._table(
            File(build([b])).footer.name_index, 8, "")))), 2)
        self.assertEqual(outcome(build([b], lambda name, value: [
            r for r in value if r["column"] < 2**31] if name == "name index" else value)),
            ("Damage", "F-072"))
        def same_name(name, value):
            if name == "columns":
                value[1].update({k: value[0][k] for k in (
                    "name_offset", "name_size", "feature_name_size")})
            return value
        self.assertEqual(outcome(build([a, Col("w", "dense", "int64")], same_name)),
                         ("Damage", "F-075"))
        def other_feature(name, value):
            if name == "columns":
                value[2].update(place=0, num_columns=1, feature_name_size=1)
            return value
        self.assertIsNotNone(outcome(build([b, c, a], other_feature), None))

    def test_user_metadata(self):  # F-080
        for content in (b"", b"[]", b'{"a": 1}', b'{"a": "\xff"}', b"[" * 100000,
                        b'{"a": "1", "a": "1"}', b'{"a": "\\ud800"}'):
            data = smallest(sections=[(1, 0, content)]).bytes()
            self.assertEqual(outcome(data), ("Damage", "F-080"))

    def test_precisions(self):  # F-081, S-014: of "everything", column 0 is a float32, 8 a float64.
        def build(*records, more=b"", twice=False):
            content = b"".join(struct.pack("<IId", *r) for r in records) + more
            columns = [Col("x", "dense", "float32"), Col("n", "dense", "int32"),
                       Col("l", "label", "float32"), Col("v", "embedding", "float64", fixed_length=2)]
            rows = Rows(2, {"x": [0, 1], "n": [0, 1], "l": [0, 1], "v": [[0, 1]] * 2})
            return Builder(columns, [rows], sections=[(2, 0, content)] * (1 + twice)).bytes()
        good = build((0, 1, 0.5), (3, 3, 0.0))
        self.assertIsNone(outcome(good))
        self.assertEqual(File(good).precisions, {0: ("fp16", 0.5), 3: ("int8", 0.0)})
        nan, inf = float("nan"), float("inf")
        for rule, data in (
                ("F-081", build()), ("F-081", build((0, 1, 0.5), more=b"x")),
                ("F-081", build((0, 0, 0.5))), ("F-081", build((0, 4, 0.5))),
                ("F-081", build((4, 1, 0.5))), ("F-081", build((0, 1, 0.5), (0, 1, 0.5))),
                ("F-081", build((3, 1, 0.5), (0, 1, 0.5))), ("F-081", build((0, 1, nan))),
                ("F-081", build((0, 1, inf))), ("F-081", build((0, 1, -0.0))),
                ("S-014", build((1, 1, 0.5))), ("S-014", build((2, 1, 0.5))),
                ("F-080", build((0, 1, 0.5), twice=True))):
            self.assertEqual(outcome(data), ("Damage", rule))

    def test_page_bytes(self):  # F-063, F-064: bytes of no node, a page of no stream
        def longer(name, value):
            return [(value[0][0] + b"\1" + bytes(7), 0)] if name == "pages" else value
        self.assertEqual(outcome(three(edit=longer).bytes()), ("Damage", "F-064"))
        def extra(name, value):
            return value + [(bytes(16), 3)] if name == "pages" else value
        self.assertEqual(outcome(three(edit=extra).bytes()), ("Damage", "F-063"))

    def test_values(self):
        cases = [  # D-001, D-002, D-010, D-011, S-011
            ("D-001", dict(groups=[(1, 2, [3, 0])])), ("D-001", dict(groups=[(1, 2, [2, 2])])),
            ("D-001", dict(groups=[(2, 2, [0, 1, 1])])),
            ("D-001", dict(groups=[(2, 2, [1, 2, 0])])),
            (None, dict(groups=[(3, 2, [1, 0, 0])])),
            ("D-002", dict(groups=[(3, 2, [1, 1, 1])])),
            ("D-002", dict(groups=[(3, 2, [0, 0, 0])])),
            ("D-001", dict(groups=[(3, 2, [0, 2, 1])])), (None, dict(groups=[(3, 2, [0, 1, 0])])),
            (None, dict(groups=[(2, 2, [1, 0, 1])])), ("D-001", dict(groups=[(0, 2, [])]))]
        for rule, change in cases:
            with self.subTest(change=change):
                rows = Rows(3, {"v": [[1], []]}, **change)
                data = Builder([Col("v", "list", "int64", group=1)], [rows], [Grp("g")]).bytes()
                self.assertEqual(outcome(data), rule and ("Damage", rule))
        data = Builder([Col("b", "label", "bool")], [Rows(2, {"b": [1, 2]})]).bytes()
        self.assertEqual(outcome(data), ("Damage", "S-011"))

    def test_parents(self):  # D-001 form 4, D-002, D-005
        cases = [  # Rows are of the owners 0, 1, 0, 1, 2; then what the child makes of them.
            ((4, 2, [0, 1, 0]), [0, 1, 0, 1, 0]), ((4, 3, [0, 1, 2]), [0, 1, 0, 1, 2]),
            ((4, 2, [0, 2, 1]), "D-001"), ((4, 2, [1, 0, 0]), [1, 0, 1, 0, 0]), ((4, 2, [0] * 3), "D-002"),
            ((4, 2, [0, 1, 0, 1, 0]), [0, 0, 0, 1, 0]), ((4, 2, [0, 1, 0, 1]), "D-001"), ((5, 3, [0] * 5), [0, 1, 0, 1, 2]),
            ((5, 5, [0, 0, 2, 2, 0]), [0, 2, 1, 3, 4]), ((5, 4, [2, 0, 1, 0, 0]), [1, 2, 0, 2, 3]),
            ((5, 5, [4, 0, 3, 0, 0]), "D-002"), ((5, 4, [2, 0, 0, 0, 0]), "D-002"),
            ((5, 4, [0, 0, 0, 0, 2]), "D-002"), ((5, 3, [0, 0, 2, 0, 0]), "D-005"),
            ((5, 5, [0, 0, 2, 0, 0]), "D-005"), ((5, 3, [1, 0, 2, 0, 0]), "D-005"),
            ((5, 3, [2**25, 0, 2**25 - 1, 0, 0]), "D-005"), ((5, 3, [2**32 - 1] * 5), "D-005"),
            ((5, 3, [0] * 3), "D-001")]
        for (form, n, values), expected in cases:
            with self.subTest(form=form, values=values):
                rows = Rows(5, {"v": [[k] for k in range(n)], "o": [1, 2, 3]},
                            groups=[(3, 3, [0, 1, 0, 1, 2]), (form, n, values)])
                data = Builder([Col("v", "list", "int64", group=2), Col("o", "key", "int8", group=1)],
                               [rows], [Grp("g"), Grp("h", parent=1)]).bytes()
                if isinstance(expected, str):
                    self.assertEqual(outcome(data), ("Damage", expected))
                else:
                    self.assertIsNone(outcome(data))
                    self.assertEqual([r["v"] for r in File(data).rows()], [[k] for k in expected])

    def test_parent_of_a_parent(self):  # D-001: unsupported wherever it is referred to
        def build(form, child=(0, 1, 2, 2)):
            groups = [(form, 2, [3, 2]), (5, 4, [0, 0, 2, 0, 2]), (4, 3, list(child))]
            rows = Rows(5, {"v": [[0], [1], [2]], "w": [1] * 5, "x": [1] * 2, "y": [1] * 4},
                        groups=groups)
            return Builder([Col("v", "list", "int64", group=3), Col("w", "dense", "int8"),
                            Col("x", "dense", "int8", group=1), Col("y", "dense", "int8", group=2)],
                           [rows], [Grp("g"), Grp("h", parent=1), Grp("i", parent=2)]).bytes()
        self.assertEqual([r["v"] for r in File(build(1)).rows()], [[0], [0], [1], [2], [2]])
        file = File(build(7))
        self.assertEqual([r["w"] for r in file.rows(["w"])], [1] * 5)
        for column in "vxy":
            with self.assertRaises(Unsupported):
                list(file.rows([column]))
        self.assertEqual(outcome(build(7)), ("Unsupported", "D-001"))
        # What is damaged is so whatever is unsupported beside it.
        self.assertEqual(outcome(build(7, (0, 1, 2, 3))), ("Damage", "D-001"))
        self.assertEqual(outcome(build(7, (0, 1, 1, 1))), ("Damage", "D-002"))

    def test_groups_have_columns(self):  # F-073
        data = Builder([Col("a", "dense", "int8")], [Rows(2, {"a": [1, 2]}, groups=[(0, 2, ())])],
                       [Grp("g")]).bytes()
        self.assertEqual(outcome(data), ("Damage", "F-073"))

    @staticmethod
    def pools(lists, codes, pool, kind="weighted", weights=None, tiers=0, top=0, flags=0,
              spread=None):
        """A file of a feature of two columns, given by its streams. `spread`: the tiers."""
        columns = [Col("l.i", kind, "int64", feature="l", tiers=tiers, flags=flags),
                   Col("l.w", kind, "float32", feature="l", tiers=tiers, flags=flags)]
        rows = Rows(len(lists), {"l.i": lists, "l.w": lists})
        builder, parts = Builder.__new__(Builder), spread or [pool] + [[]] * max(tiers - 1, 0)

        def streams(rows):
            for key, width, values, greatest, charge in Builder._streams(builder, rows):
                if key == ("l", "windows"):
                    values, greatest = codes, top
                elif isinstance(key, str) or key[0] == "tier":
                    values = parts[0 if isinstance(key, str) else key[2]]
                    if weights and key == "l.w":
                        values = weights
                yield key, width, values, greatest, charge
        builder._streams = streams
        builder.__init__(columns, [rows])
        return builder.bytes()

    def test_chains_of_parents(self):  # F-073, F-090: eight groups at most
        for length, expected in ((8, None), (9, ("Damage", "F-073"))):
            names = [Grp("g")] + [Grp(f"g{g}", parent=g) for g in range(1, length)]
            values = {"v": [[5]] * 3, **{f"w{g}": [1] * 3 for g in range(1, length)}}
            rows = Rows(3, values, groups=[(3, 3, [0, 1, 2])] +
                        [(4, 3, [0, 1, 2])] * (length - 1))
            columns = [Col("v", "list", "int64", group=length)]
            columns += [Col(f"w{g}", "dense", "int8", group=g) for g in range(1, length)]
            self.assertEqual(outcome(Builder(columns, [rows], names).bytes()), expected)

    def test_windows(self):  # D-013
        # A chain that grows in front and at its end, another, and a list that comes back.
        sound = dict(lists=[[6, 7], [5, 6, 7], None, [7, 8], [], [1, 2], [6, 7]],
                     codes=[2, 3, 0, 9, 0, 0, 11], pool=[5, 6, 7, 8, 1, 2])
        for more in ({}, {"kind": "sequence"}):
            data = self.pools(**sound, **more)
            self.assertIsNone(outcome(data))
            self.assertEqual([r["l.i"] for r in File(data).rows()], sound["lists"])
            self.assertEqual([r["l.w"] for r in File(data).rows(raw_bits=True)], sound["lists"])
        plain = self.pools(sound["lists"], [], [6, 7, 5, 6, 7, 7, 8, 1, 2, 6, 7])
        self.assertEqual([r["l.i"] for r in File(plain).rows()], sound["lists"])
        self.assertIsNone(outcome(self.pools([None, []], [0, 0], [])))
        pool = sound["pool"]
        for change in (
                {"codes": [2, 3, 2, 9, 0, 0, 11]},  # A window of nothing.
                {"codes": [3, 3, 0, 9, 0, 0, 11]},  # The first is odd.
                {"codes": [5, 3, 0, 9, 0, 0, 11]},
                {"codes": [0, 3, 0, 9, 0, 0, 11]},  # Before the pool.
                {"codes": [4, 3, 0, 9, 0, 0, 11], "pool": [0] + pool},  # A gap in front.
                {"codes": [2, 3, 0, 9, 0, 2, 13], "pool": pool[:4] + [0] + pool[4:]},
                {"codes": [2, 3, 0, 9, 0, 9, 11]},  # Begins no chain, shares nothing.
                {"codes": [2, 3, 0, 9, 0, 0, 3]},  # Across two chains.
                {"codes": [2, 3, 0, 9, 0, 0, 19]},  # Before the pool again.
                {"codes": [2, 3, 0, 9, 0, 0, 2**32 - 1]}, {"codes": [2, 3, 0, 9, 0, 0, 2**32 - 2]},
                {"codes": [2, 3, 0, 9, 0, 0]}, {"pool": pool[:-1]}, {"pool": pool + [1]},
                {"weights": pool + [1]}, {"weights": pool[:-1]},
                {"lists": [None, []], "codes": [0, 0], "pool": [1]}):
            with self.subTest(change=change):
                self.assertEqual(outcome(self.pools(**{**sound, **change})), ("Damage", "D-013"))

    def test_tiers(self):  # D-014
        long, more = list(range(1, 35)), list(range(7, 41))
        lists, codes, pool = [long, more, [90, 91]], [0, 25, 0], [*range(1, 41), 90, 91]
        newest_last = dict(lists=lists, codes=codes, pool=pool, tiers=2, top=7,
                           spread=[pool[8:40] + pool[40:], pool[:8]])
        newest_first = dict(newest_last, flags=1, top=7, spread=[pool[:32] + pool[40:], pool[32:40]])
        for sound in (newest_last, newest_first):
            data = self.pools(**sound)
            self.assertIsNone(outcome(data))
            self.assertEqual([r["l.i"] for r in File(data).rows()], lists)
            for change in ({"top": 6}, {"top": 8}, {"top": 0}, {"spread": [pool[:33], pool[33:]]},
                           {"spread": [pool, []]}):
                with self.subTest(change=change):
                    self.assertEqual(outcome(self.pools(**{**sound, **change})), ("Damage", "D-014"))
        # Without tiers there is no reach; without a reach no second tier.
        self.assertEqual(outcome(self.pools(lists, codes, pool, top=7)), ("Damage", "D-014"))
        self.assertIsNone(outcome(self.pools(lists, codes, pool, tiers=2)))
        self.assertEqual(outcome(self.pools(lists, [], sum(lists, [])[:-1], tiers=2,
                                            spread=[sum(lists, [])[:-1], [91]])), ("Damage", "D-014"))

    def test_aliases(self):  # F-061 form 4, E-051
        def build(change=None, slot=3, values=None, **nodes):
            columns = [Col(name, "dense", "int64", id_space=i) for i, name in enumerate("ab")]
            nodes = {"a": en.shared([5, 6]), "b": Alias("a"), ("b", "shape"): Alias(("a", "shape")),
                     ("a", "shape"): en.raw, ("ids", 0): en.raw, ("ids", 1): en.raw, **nodes}
            values = values or {"a": [5, 6, 6], "b": [7, 8, 8]}
            return Builder(columns, [Rows(3, values, nodes=nodes, ids={0: [5, 6], 1: [7, 8]})],
                           (), [Ids("i", 8), Ids("j", 8)],
                           edit=change and editor("stripe 0 streams", slot, change)).bytes()
        self.assertEqual([r["b"] for r in File(build()).rows()], [7, 8, 8])
        data = build(a=(en.shared([5, 6]), "paged"))
        self.assertEqual([r["b"] for r in File(data).rows()], [7, 8, 8])
        cases = [{"first_page": 3}, {"first_page": 6}, {"first_page": 2}, {"first_page": 4},
                 {"num_pages": 1}, {"offset_in_page": 8}, {"size": 8}, {"constant": 1},
                 {"num_values": 2}, {"width": 4}, {"max": 1}]
        for change in cases:
            with self.subTest(change=change):
                self.assertEqual(outcome(build(change)), ("Damage", "F-061"))
        self.assertEqual(outcome(build({"max": 2}, 4)), ("Damage", "F-061"))
        self.assertEqual(outcome(build(a=None, values={"a": [5] * 3, "b": [5] * 3})),
                         ("Damage", "F-061"))

    def test_unsupported_only_when_asked_for(self):  # E-005, D-001, S-010
        def unknown(values, width):
            return b"\x63" + en.raw(values, width)[1:]
        columns = [Col("a", "dense", "int8"), Col("b", "dense", "int8")]
        file = File(Builder(columns, [Rows(2, {"a": [1, 2], "b": [3, 4]},
            nodes={"b": unknown})]).bytes())
        self.assertEqual([r["a"] for r in file.rows(["a"])], [1, 2])
        with self.assertRaises(Unsupported):
            list(file.rows(["b"]))
        self.assertEqual(file.readable(), ["a"])

    def test_unknown_kinds_and_types(self):  # S-010, S-011
        names = [c.name for c in everything()[1]]
        for ordinal, change, left_out in ((0, {"kind": 10}, {"price"}), (7, {"type": 13}, {
                "hist.time"}), (5, {"type": 99}, {"cart.weights"})):
            file = File(everything(edit=editor("columns", ordinal, change))[0].bytes())
            self.assertEqual([c.name for c in file.columns], names)
            self.assertEqual(set(next(file.rows())), set(names) - left_out)
            with self.assertRaises(Unsupported):
                file.verify()

    def test_damage_beside_what_is_unsupported(self):  # F-004
        def unknown(values, width):
            return b"\x63" + en.raw(values, width)[1:]

        def build(change):
            columns = [Col("a", "dense", "int8"), Col("b", "dense", "int8")]
            return Builder(columns, [Rows(2, {"a": [1, 2], "b": [3, 4]}, nodes={
                "a": unknown})], edit=editor("columns", 0, change)).bytes()
        self.assertEqual(outcome(build({})), ("Unsupported", "E-005"))
        for change in ({"num_values": 3}, {"stored_bytes": 3}):
            self.assertEqual(outcome(build(change)), ("Damage", "F-070"))

    def test_random_edits(self):
        rng, seen = random.Random(3), {"rows": 0, "Damage": 0, "Unsupported": 0}
        numbers = [0, 1, 2, 3, 7, 8, 255, 4096, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
        for _ in range(3000):
            left = rng.randrange(14)

            def edit(name, value):
                nonlocal left
                left -= 1
                if left:
                    return value
                if isinstance(value, bytes):
                    return bytes(rng.choice(value) for _ in value)
                if name == "pages":
                    page = bytearray(value[0][0]) if value else bytearray()
                    for _ in range(rng.randrange(1, 4)):
                        if page:
                            page[rng.randrange(len(page))] = rng.choice(numbers) & 255
                    return [(bytes(page), value[0][1])] + value[1:] if value else value
                record = rng.choice(value) if isinstance(value, list) and value else value
                keys = [k for k, v in record.items() if isinstance(v, int)] if record else []
                if keys:
                    key = rng.choice(keys)
                    size = 1 << 8 * {"major": 2, "minor": 2}.get(key, 1)
                    record[key] = rng.choice(numbers) % size
                return value
            try:
                data = three(edit=edit).bytes()
            except (OverflowError, struct.error):
                continue
            found = outcome(data, None)
            seen[found[0] if found else "rows"] += 1
        self.assertTrue(seen["Damage"] > 300 and seen["rows"] > 50, seen)

    def test_stripes_at_the_limit(self):  # F-090, before the bytes of so many are looked for
        data = smallest().bytes()
        at, size = struct.unpack_from("<QI", data, len(data) - 80)
        for count, rule in ((2**19, "F-050"), (2**19 + 1, "F-090")):
            footer = bytearray(data[at:at + size])
            place = 200 + struct.unpack_from("<I", footer, 200)[0]
            struct.pack_into("<I", footer, place, count)
            with self.assertRaises(Damage) as caught:
                Footer(bytes(footer), canonical=True)
            self.assertEqual(caught.exception.rule, rule)

    def test_random_footers(self):  # F-050: the FlatBuffer is bounded whatever its bytes
        rng, seen = random.Random(4), set()
        original = Builder._footer
        try:
            for _ in range(3000):
                def broken(self, fields):
                    data = bytearray(joined(original(self, fields)))
                    for _ in range(rng.randrange(1, 4)):
                        data[rng.randrange(len(data))] = rng.choice([0, 1, 4, 127, 255])
                    return [Field(bytes(data), "broken")]
                Builder._footer = broken
                found = outcome(smallest().bytes(), None)
                seen.add(found and found[1])
        finally:
            Builder._footer = original
        self.assertTrue({"F-050", "F-041", None} <= seen, seen)


if __name__ == "__main__":
    unittest.main()
