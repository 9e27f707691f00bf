"""Criteo's click logs and TFRecord of tf.Example through dsictl; the latter as protobuf's own writer writes them."""

import json
import random
import struct

from cli_case import DAMAGED, OK, USAGE, CliTest, main


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc32c(length)) + data + struct.pack("<I", masked_crc32c(data))


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(row):
    """The wire format by hand: ints, floats or text by the type of the first value."""
    entries = b""
    for name, values in row.items():
        if isinstance(values, str):
            feature = field(1, field(1, values.encode()))
        elif values and isinstance(values[0], float):
            feature = field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            feature = field(3, field(1, b"".join(map(varint, values))))
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def example_class():
    """tf.Example as protocol buffers have it, without TensorFlow."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="tensorflow", syntax="proto3")
    F = descriptor_pb2.FieldDescriptorProto
    for name, kind in (("BytesList", F.TYPE_BYTES), ("FloatList", F.TYPE_FLOAT), ("Int64List", F.TYPE_INT64)):
        file.message_type.add(name=name).field.add(name="value", number=1, label=F.LABEL_REPEATED, type=kind)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, name in enumerate(("bytes_list", "float_list", "int64_list"), 1):
        feature.field.add(name=name, number=number, label=F.LABEL_OPTIONAL, type=F.TYPE_MESSAGE, oneof_index=0,
                          type_name=f".tensorflow.{['BytesList', 'FloatList', 'Int64List'][number - 1]}")
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL, type=F.TYPE_STRING)
    entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL, type=F.TYPE_MESSAGE, type_name=".tensorflow.Feature")
    features.field.add(name="feature", number=1, label=F.LABEL_REPEATED, type=F.TYPE_MESSAGE,
                       type_name=".tensorflow.Features.FeatureEntry")
    file.message_type.add(name="Example").field.add(name="features", number=1, label=F.LABEL_OPTIONAL, type=F.TYPE_MESSAGE,
                                                    type_name=".tensorflow.Features")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.Example"))


def rows_at_random(count):
    rng = random.Random(8)
    for n in range(count):
        row = {"session_id": [n // 4], "clicks": [rng.getrandbits(rng.randrange(63)) for _ in range(rng.randrange(6))],
               "negative": [-rng.getrandbits(62), 1], "score": [rng.randrange(64) / 64],
               "vector": [0.5, -1.25], "query": rng.choice(["a", "käse", ""])}
        yield {name: row[name] for name in row if rng.random() < 0.9}


class TfRecordTest(CliTest):
    def cat(self, path):
        return [json.loads(line) for line in self.expect(OK, "cat", path).stdout.splitlines()]

    def expected(self, rows):
        one = ("session_id", "score")
        return [{name: value[0] if name in one else value for name, value in row.items()} for row in rows]

    def convert(self, messages):
        path, out = self.write("a.tfrecord", b"".join(map(record, messages))), self.path("o.dsi")
        self.expect(OK, "convert", path, out, "--keep-order", "--force", "-q")
        return self.cat(out)

    def test_rows_come_back(self):
        rows = list(rows_at_random(300))
        self.assertEqual(self.convert(map(example, rows)), self.expected(rows))

    def test_as_protobuf_writes_them(self):
        try:
            Example = example_class()
        except ImportError:
            self.skipTest("protobuf is not installed")
        rows, messages = list(rows_at_random(300)), []
        for row in rows:
            message = Example()
            for name, values in row.items():
                feature = message.features.feature[name]
                if isinstance(values, str):
                    feature.bytes_list.value.append(values.encode())
                elif values and isinstance(values[0], float):
                    feature.float_list.value.extend(values)
                else:
                    feature.int64_list.SetInParent()
                    feature.int64_list.value.extend(values)
            messages.append(message.SerializeToString())
        self.assertEqual(self.convert(messages), self.expected(rows))

    def test_damage(self):
        rows = [example({"x": [n]}) for n in range(3)]
        data = bytearray(b"".join(map(record, rows)))
        size = len(record(rows[0]))
        out = self.path("o.dsi")
        cut = self.write("cut.tfrecord", bytes(data[:-1]))
        self.assertIn("cut.tfrecord:3", self.expect(DAMAGED, "convert", cut, out).said)
        data[size + 13] ^= 1
        bad = self.write("bad.tfrecord", bytes(data))
        self.assertIn(f"bad.tfrecord:2: damaged TFRecord data at byte {size}", self.expect(USAGE, "convert", bad, out).said)
        rejects = self.path("r.jsonl")
        self.expect(OK, "convert", bad, out, "-q", "--on-error", "skip", "--rejects", rejects, warns=True)
        self.assertEqual([row["x"] for row in self.cat(out)], [0, 2])
        self.assertEqual(json.loads(rejects.read_text())["line"], 2)
        text = self.write("text.tfrecord", '{"x": 1}\n{"x": 2}\n{"x": 3}\n')
        self.assertIn("does not fit its checksum", self.expect(USAGE, "convert", text, out, "--force").said)


class CriteoTest(CliTest):
    def test_lines_become_rows(self):
        rng = random.Random(3)
        lines, rows = [], []
        for _ in range(200):
            row = {"label": rng.randrange(2)}
            row |= {f"I{i}": rng.randrange(-3, 10**6) for i in range(1, 14) if rng.random() < 0.8}
            row |= {f"C{i}": [rng.getrandbits(32)] for i in range(1, 27) if rng.random() < 0.8}
            cells = [str(row["label"])] + [str(row.get(f"I{i}", "")) for i in range(1, 14)]
            cells += [f"{row[f'C{i}'][0]:08x}" if f"C{i}" in row else "" for i in range(1, 27)]
            lines.append("\t".join(cells))
            rows.append(row)
        path, out = self.write("day_0", "\n".join(lines) + "\n"), self.path("o.dsi")
        self.expect(OK, "convert", path, out, "--format", "criteo", "-q")
        found = [json.loads(line) for line in self.expect(OK, "cat", out).stdout.splitlines()]
        self.assertEqual(found, rows)
        schema = json.loads(self.expect(OK, "schema", path, "--format", "criteo").stdout)
        self.assertEqual(len(schema["features"]), 40)
        bad = self.write("day_1", lines[0] + "\n1\t2\n")
        self.assertIn("day_1:2: found 2 cells", self.expect(USAGE, "convert", path, bad, self.path("p.dsi"), "--format", "criteo").said)


if __name__ == "__main__":
    main()
