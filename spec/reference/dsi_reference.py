#!/usr/bin/env python3
"""The reference decoder of dsi files: slow, small, written from the specification alone.

It refuses everything that `spec/format.md` and `spec/encodings.md` forbid. Each check names the
rule it holds; `Damage` and `Unsupported` carry that rule, the place and what was found.

    with open("day.dsi", "rb") as f:
        for row in File(f.read()).rows(["clicks"]):
            print(row["clicks"])

A `File` proves what needs no decoding of a value: seals, tiling, tables, directory, stream and
page records. `rows` decodes the columns asked for, whole streams at a time; `verify` all.
"""

from __future__ import annotations

import argparse
import json
import sys

from dsi_nodes import Budget, Damage, Exhausted, Unsupported, need
from dsi_records import BUDGET, FLOATS, TYPE_WIDTH, is_known
from dsi_statistics import statistics_of
from dsi_values import Values


class File(Values):
    """`budget`: values that are made before `Exhausted`, those of all calls together (F-090)."""

    def __init__(self, data, budget=BUDGET):
        self.budget = Budget(budget)
        self.data, self.extents, self.metadata, self.precisions = bytes(data), [], {}, {}
        self.contents = {}  # Of compressed pages (F-065), by stripe and page.
        self.statistics, self.deleted, self.overlay = {}, [], None
        self._read_header_and_trailer()
        self._read_directory()
        self._check_columns()
        self._check_slots()
        self._read_sections()
        self._read_stripes()
        self._check_tiling()

    def rows(self, column_names=None, raw_bits=False):
        """Yields one dict per row: column name -> value, None where missing. By default of all columns
        whose kind and type are known (S-010, S-011).

        With raw_bits a float is the integer of its bits; without, a signalling float32 NaN may be
        quieted by Python.
        """
        by_name = {c.name: c for c in self.columns}
        columns = [c for c in self.columns if is_known(c)] if column_names is None else [
            by_name[n] for n in column_names]
        for stripe in self.stripes:
            indexes = {g: self.index(stripe, g) for g in {c.group for c in columns}}
            values = [(c.name, self._column(stripe, c, raw_bits), indexes[c.group])
                      for c in columns]
            deleted = self.is_deleted(stripe)
            for row in range(stripe.num_rows):
                if not deleted[row]:
                    yield {name: unique[index[row]] for name, unique, index in values}

    def verify(self):
        """Decodes everything."""
        for _ in self.decode():
            pass

    def decode(self):
        """Yields every stripe with its indexes by group and, by column, the values of its unique
        rows, floats as bits. Damage anywhere is preferred over what is merely unsupported, which is
        raised at the end."""
        unsupported = None

        def tried(check, *arguments):
            nonlocal unsupported
            try:
                return check(*arguments)
            except Unsupported as error:
                unsupported = unsupported or error
                return None
        for c in self.columns:
            tried(self._need_known, c)
        for s in self.stripes:
            needed = self._needed(s)
            indexes = []
            for g in range(len(self.groups)):
                whole = s.groups[g][0] not in (4, 5, 6) or g in needed  # F-004
                indexes.append(tried(self.index, s, g) if whole else
                               tried(self._index, s, g, None))
            for i in range(len(self.id_spaces)):
                tried(self.dictionary, s, i)
            columns = [tried(self._column, s, c, True) for c in self.columns]
            tried(self.is_deleted, s)
            self._check_statistics(s, indexes, columns)
            yield s, indexes, columns
            for slot in range(len(s.streams) if unsupported else 0):  # F-004
                tried(self._nodes, s, slot)
            for c in self.columns if unsupported else ():  # F-004
                self._column_records(s, c)
        if unsupported:
            raise unsupported

    def _check_statistics(self, stripe, indexes, columns):  # F-083
        for ordinal, of_stripes in self.statistics.items():
            unique, index = columns[ordinal], indexes[self.columns[ordinal].group]
            if unique is None or index is None and None in unique:
                continue  # Unsupported.
            found = statistics_of(self.columns[ordinal].type, unique, index)
            need(found == of_stripes[stripe.ordinal], "F-083",
                 f"statistics of stripe {stripe.ordinal} column {ordinal}",
                 f"{of_stripes[stripe.ordinal]}, the values say {found}")

    def _needed(self, stripe):
        """Groups whose indexes say where the values of known columns stand (F-004)."""
        needed = set()
        for c in self.columns:
            g = c.group if is_known(c) else 0
            needed.add(g)
            while g and stripe.groups[g][0] in (4, 5, 6):
                g = self.groups[g].parent
                needed.add(g)
        return needed

    def readable(self):
        """Names of the columns that need nothing newer than this decoder in any stripe."""
        names = []
        for c in self.columns:
            try:
                self._need_known(c)
                for s in self.stripes:
                    self.index(s, c.group)
                    self._column(s, c, True)
                names.append(c.name)
            except Unsupported:
                pass
        return names


def main():
    parser = argparse.ArgumentParser(description="Reference decoder of dsi files.")
    parser.add_argument("file")
    parser.add_argument("--verify", action="store_true", help="print nothing, only check")
    parser.add_argument("--raw-bits", action="store_true", help="floats as hex bit patterns")
    options = parser.parse_args()
    try:
        with open(options.file, "rb") as f:
            file = File(f.read())
        names, code = None, 0
        try:
            file.verify()
        except Unsupported as error:  # It concerns the columns that need it.
            print(f"unsupported: {error}", file=sys.stderr)
            names, code = file.readable(), 2
        if options.verify:
            return code
        digits = {c.name: 2 * TYPE_WIDTH[c.type] for c in file.columns if c.type in FLOATS}
        for row in file.rows(names, raw_bits=options.raw_bits):
            for name, value in list(row.items()):
                if value is None:
                    del row[name]
                elif isinstance(value, bytes):
                    row[name] = value.decode("utf-8", "surrogateescape")
                elif options.raw_bits and name in digits:
                    form = f"0x{{:0{digits[name]}x}}".format
                    row[name] = [*map(form, value)] if isinstance(value, list) else form(value)
            print(json.dumps(row))
        return code
    except Damage as error:
        print(f"damage: {error}", file=sys.stderr)
        return 1
    except Unsupported as error:
        print(f"unsupported: {error}", file=sys.stderr)
        return 2
    except Exhausted as error:
        print(f"over the budget of this decoder: {error}", file=sys.stderr)
        return 4
    except OSError as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
