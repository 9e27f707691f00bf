"""KeyedJaggedTensors against real TorchRec: what they say, and what models make of them."""

import copy
import json
import random
import subprocess
import sys
from dataclasses import replace

import dsi
import pytest
import torch

pytest.importorskip("torchrec", reason="torchrec and fbgemm-gpu-cpu are not installed")

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torchrec.distributed.train_pipeline import TrainPipelineBase
from torchrec.models.dlrm import DLRM, DLRMTrain
from torchrec.modules.embedding_configs import EmbeddingBagConfig, PoolingType
from torchrec.modules.embedding_modules import EmbeddingBagCollection
from torchrec.sparse.jagged_tensor import KeyedJaggedTensor

ROWS, TABLE_ROWS, DIM = 3000, 20_000, 16
KEYS = ["user.hist_item", "item.id", "context.query", "user.none", "user.segments"]
WEIGHTED = ["user.topics", "item.marks"]


def rows_with_gaps(lines):
    """Rows of a generated table, some without a list, with a list that is always empty, and with
    weighted ones of the user and the item."""
    draw = random.Random(5)
    for line in lines:
        row = json.loads(line)
        user, item = row["user"], row["item"]
        user["none"] = []
        user["topics"] = weighted(user.get("interests", []))
        item["marks"] = weighted(item.get("cats", []))
        if row["user_id"] % 4 == 0:
            user.pop("hist_item", None)
        if draw.random() < 0.1:
            del item["marks"]
            item.pop("id", None)
        yield row


def weighted(ids):
    return {"ids": ids, "weights": [1 / (1 + i % 7) for i in ids]}


@pytest.fixture(scope="module")
def table(dsictl, tmp_path_factory):
    """The rows as Python has them, and the file that has them in the same order."""
    folder = tmp_path_factory.mktemp("torchrec")
    made, schema, file = folder / "rows.jsonl", folder / "schema.json", folder / "rows.dsi"
    dsictl("generate", made, "--rows", ROWS, "--seed", 3, "--write-schema", schema, "-q")
    rows = list(rows_with_gaps(made.read_text().splitlines()))
    made.write_text("\n".join(map(json.dumps, rows)))
    declared = json.loads(schema.read_text())
    declared["features"] += [
        {"name": "user.none", "kind": "list", "type": "int64"},
        {"name": "user.topics", "kind": "weighted", "type": "int64", "weight_type": "float32"},
        {"name": "item.marks", "kind": "weighted", "type": "int64", "weight_type": "float32"},
    ]
    schema.write_text(json.dumps(declared))
    dsictl("convert", made, file, "--schema", schema, "--keep-order", "-q")
    return rows, dsi.open(file)


def batches(table, form, keys=KEYS, batch_size=700, **keywords):
    features = [dsi.Kjt(keys, form=form), dsi.Dense("dense.*", pad_value=0), "label"]
    return table[1].scan(features, framework="torch", batch_size=batch_size, **keywords)


def lists_of(rows, key):
    """The lists of a column as Python has them; a missing one is empty."""
    name, _, part = key.split(".", 1)[1].partition(".")
    found = [row[key.split(".")[0]].get(name) or [] for row in rows]
    return [one and one[part] for one in found] if part else found


def made_by_hand(rows, keys):
    """What TorchRec makes of the rows of a batch, from values and lengths alone."""
    lists = [one for key in keys for one in lists_of(rows, key)]
    values = torch.tensor([value for one in lists for value in one])
    lengths = torch.tensor([len(one) for one in lists])
    return KeyedJaggedTensor(list(keys), values, lengths=lengths)


def collection(keys, pooling=PoolingType.SUM, is_weighted=False):
    torch.manual_seed(9)
    tables = [
        EmbeddingBagConfig(
            name=key.replace(".", "_"),
            embedding_dim=DIM,
            num_embeddings=TABLE_ROWS,
            feature_names=[key],
            pooling=pooling,
        )
        for key in keys
    ]
    return EmbeddingBagCollection(tables, is_weighted=is_weighted)


CACHED = (
    "stride",
    "stride_per_key",
    "stride_per_key_per_rank",
    "length_per_key",
    "offset_per_key",
    "lengths_offset_per_key",
    "index_per_key",
)


@pytest.mark.parametrize("keys", [KEYS, KEYS[::-1]], ids=["keys", "reversed"])
@pytest.mark.parametrize("index_dtype", ["int64", "int32"])
def test_expanded_is_what_torchrec_makes_of_the_rows(table, keys, index_dtype):
    first = 0
    for batch in batches(table, "expanded", keys, index_dtype=index_dtype):
        kjt = batch.kjt()
        expected = made_by_hand(table[0][first : first + batch.num_rows], keys)
        first += batch.num_rows
        dtype = getattr(torch, index_dtype)
        assert kjt.keys() == keys
        assert kjt.values().dtype == kjt.lengths().dtype == kjt.offsets().dtype == dtype
        assert torch.equal(kjt.values().long(), expected.values())
        assert torch.equal(kjt.lengths().long(), expected.lengths())
        assert torch.equal(kjt.offsets().long(), expected.offsets())
        for name in CACHED:
            assert getattr(kjt, name)() == getattr(expected, name)(), name
    assert first == ROWS


@pytest.mark.parametrize("keys", [KEYS, KEYS[::-1]], ids=["keys", "reversed"])
@pytest.mark.parametrize("index_dtype", ["int64", "int32"])
def test_vbe_has_unique_rows_that_expand_to_the_rows(table, keys, index_dtype):
    first = values = expanded = 0
    for batch in batches(table, "vbe", keys, index_dtype=index_dtype):
        kjt = batch.kjt()
        rows = table[0][first : first + batch.num_rows]
        first += batch.num_rows
        names, inverse = kjt.inverse_indices()
        assert names == kjt.keys() == keys and inverse.shape == (len(keys), batch.num_rows)
        assert inverse.dtype == torch.int64
        for key, of_row in zip(keys, inverse.tolist(), strict=True):
            unique = [one.tolist() for one in kjt[key].to_dense()]
            assert [unique[u] for u in of_row] == lists_of(rows, key)
        # TorchRec computes the same from values, lengths and strides alone.
        expected = KeyedJaggedTensor(
            keys,
            kjt.values(),
            lengths=kjt.lengths(),
            stride_per_key_per_rank=kjt.stride_per_key_per_rank(),
            inverse_indices=kjt.inverse_indices(),
        )
        assert torch.equal(kjt.offsets(), expected.offsets())
        for name in CACHED:
            assert getattr(kjt, name)() == getattr(expected, name)(), name
        values += kjt.values().numel()
        expanded += sum(len(one) for key in keys for one in lists_of(rows, key))
    assert first == ROWS and values * 2 < expanded


@pytest.mark.parametrize("pooling", [PoolingType.SUM, PoolingType.MEAN])
@pytest.mark.parametrize("index_dtype", ["int64", "int32"])
def test_pooled_embeddings_of_both_forms_are_equal_bit_for_bit(table, pooling, index_dtype):
    tables = collection(KEYS[::-1], pooling)  # Tables in another order than keys.
    pairs = zip(
        batches(table, "vbe", index_dtype=index_dtype),
        batches(table, "expanded", index_dtype=index_dtype),
        strict=True,
    )
    for vbe, expanded in pairs:
        pooled, expected = tables(vbe.kjt()), tables(expanded.kjt())
        assert pooled.keys() == expected.keys() == KEYS[::-1]
        assert pooled.values().shape == (vbe.num_rows, DIM * len(KEYS))
        assert torch.equal(pooled.values(), expected.values())


def gradients(module, kjt, upstream):
    module.zero_grad()
    module(kjt).values().backward(upstream)
    return [parameter.grad.clone() for parameter in module.parameters()]


def test_gradients_are_equal_where_sums_are_exact_and_else_to_rounding(table):
    """A table's gradient is a sum over rows, in VBE over those of a unique row first. Sums of small
    whole numbers are exact in any order."""
    tables = collection(KEYS)
    vbe = next(batches(table, "vbe"))
    expanded = next(batches(table, "expanded"))
    shape = (vbe.num_rows, DIM * len(KEYS))
    whole = torch.randint(-4, 5, shape).float()
    for one, other in zip(
        gradients(tables, vbe.kjt(), whole),
        gradients(tables, expanded.kjt(), whole),
        strict=True,
    ):
        assert torch.equal(one, other)
    real = torch.randn(shape)
    for one, other in zip(
        gradients(tables, vbe.kjt(), real), gradients(tables, expanded.kjt(), real), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def test_weighted_keys_pool_to_the_same(table):
    keys = [name + ".ids" for name in WEIGHTED]
    tables = collection(keys, is_weighted=True)
    vbe = next(batches(table, "vbe", WEIGHTED)).kjt()
    expanded = next(batches(table, "expanded", WEIGHTED)).kjt()
    rows = table[0][:700]
    weights = [w for key in WEIGHTED for one in lists_of(rows, key + ".weights") for w in one]
    assert torch.equal(expanded.weights(), torch.tensor(weights))
    assert torch.equal(expanded.values(), made_by_hand(rows, keys).values())
    assert vbe.weights().shape == vbe.values().shape
    assert torch.equal(tables(vbe).values(), tables(expanded).values())
    whole = torch.randint(-4, 5, (700, DIM * len(keys))).float()
    for one, other in zip(
        gradients(tables, vbe, whole), gradients(tables, expanded, whole), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def test_a_step_of_a_dlrm_is_the_same(table):
    """The loss before the step bit for bit, weights after it to the rounding of gradients."""
    torch.manual_seed(4)
    first = next(batches(table, "vbe"))
    model = DLRM(collection(KEYS), first.dense.shape[1], [32, DIM], [32, 1])
    losses, stepped = {}, {}
    for form in ("vbe", "expanded"):
        mine = copy.deepcopy(model)
        optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)
        for batch in list(batches(table, form))[:2]:
            dense = torch.log1p(batch.dense.clamp(min=0))
            logits = mine(dense, batch.kjt()).squeeze(1)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
            losses.setdefault(form, []).append(loss.detach())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            stepped.setdefault(form, copy.deepcopy(mine.state_dict()))
    assert torch.equal(losses["vbe"][0], losses["expanded"][0])
    torch.testing.assert_close(losses["vbe"][1], losses["expanded"][1], rtol=1e-5, atol=1e-6)
    for name, weight in stepped["vbe"].items():
        torch.testing.assert_close(weight, stepped["expanded"][name], rtol=1e-5, atol=1e-6)
    before = model.state_dict()
    assert any(not torch.equal(before[name], weight) for name, weight in stepped["vbe"].items())


def test_train_pipelines_of_torchrec_take_batches_as_they_are(table):
    first = next(batches(table, "vbe"))
    torch.manual_seed(4)
    model = DLRMTrain(DLRM(collection(KEYS), first.dense.shape[1], [32, DIM], [32, 1]))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    pipeline = TrainPipelineBase(model, optimizer, torch.device("cpu"))
    scan = batches(table, "vbe", batch_size=1000)
    steps = [pipeline.progress(scan) for _ in range(3)]
    assert [len(labels) for _, _, labels in steps] == [1000, 1000, 1000]
    assert all(loss.isfinite() for loss, _, _ in steps)
    with pytest.raises(StopIteration):
        pipeline.progress(scan)


class NothingIsRead(TorchFunctionMode):
    """Fails where a value of a tensor comes to Python, which on a GPU waits for all before it."""

    READS = frozenset(
        {"tolist", "item", "cpu", "numpy", "__bool__", "__int__", "__float__", "__index__"}
    )

    def __torch_function__(self, func, types, args=(), kwargs=None):
        assert getattr(func, "__name__", "") not in self.READS, func
        return func(*args, **(kwargs or {}))


class NothingIsReadBelow(TorchDispatchMode):
    """The same of operators that other operators call."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert func is not torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("form", ["vbe", "expanded"])
def test_nothing_waits_for_a_device(table, form):
    kjt = next(batches(table, form)).kjt()
    tables = collection(KEYS)
    with NothingIsRead(), NothingIsReadBelow():
        kjt.sync()
        moved = kjt.to(torch.device("cpu"), non_blocking=True)
        for one in (kjt, moved, kjt.to(torch.device("meta"))):
            one.sync()
            for name in set(CACHED) - {"stride_per_key_per_rank"}:
                getattr(one, name)()
        kjt["item.id"]
        kjt.to_dict()
        tables(moved)
    # TorchRec's own computation is seen: what the batch did not say would be read.
    with pytest.raises(AssertionError, match="tolist"), NothingIsRead():
        kjt.unsync().sync()


@pytest.mark.parametrize("form", ["vbe", "expanded"])
def test_parts_of_it_pool_to_the_same(table, form):
    """split and permute drop inverse_indices: of a variable batch they give unique rows."""
    kjt = next(batches(table, form)).kjt()
    whole = {key: [one.tolist() for one in kjt[key].to_dense()] for key in KEYS}
    left, right = kjt.split([2, 3])
    assert left.keys() + right.keys() == KEYS
    turned = kjt.permute([4, 0, 3])
    assert turned.keys() == [KEYS[4], KEYS[0], KEYS[3]]
    for part in (left, right, turned):
        for key in list(part.keys()):
            assert [one.tolist() for one in part[key].to_dense()] == whole[key]


def test_nothing_is_copied_and_tensors_outlive_the_batch(table):
    scan = batches(table, "vbe")
    batch = next(scan)
    parts, kjt = batch.kjt_parts(), batch.kjt()
    for one, other in [
        (parts.values, kjt.values()),
        (parts.lengths, kjt.lengths()),
        (parts.offsets, kjt.offsets()),
        (parts.inverse, kjt.inverse_indices()[1]),
    ]:
        assert one.data_ptr() == other.data_ptr()
    before = kjt.values().clone()
    del parts, batch
    for later in scan:
        later.kjt().values().fill_(-1)
    assert torch.equal(kjt.values(), before)


def test_form_ikjt_has_one_inverse_per_group(table):
    kjt = next(batches(table, "vbe")).kjt()
    ikjts = next(batches(table, "ikjt")).kjt()
    assert list(ikjts) == KEYS
    for f, key in enumerate(KEYS):
        one = ikjts[key]
        assert torch.equal(one.values, kjt[key].values())
        assert torch.equal(one.offsets, kjt[key].offsets().long())
        assert torch.equal(one.inverse.long(), kjt.inverse_indices()[1][f])


def test_arrays_of_another_framework_are_refused(table):
    batch = next(table[1].scan([dsi.Kjt("item.id")], framework="numpy"))
    with pytest.raises(dsi.InvalidArgument, match="framework='torch'"):
        batch.kjt()
    parts = batch.kjt_parts()
    from dsi.torchrec import make_kjt

    as_torch = {
        name: torch.from_numpy(getattr(parts, name)) for name in ("values", "lengths", "offsets")
    }
    assert make_kjt(replace(parts, **as_torch)).keys() == ["item.id"]


def test_without_torchrec_the_error_says_what_to_install(table):
    program = (
        "import sys; sys.modules['torchrec'] = None\n"
        "import dsi; scan = dsi.open(sys.argv[1]).scan(dsi.Kjt('item.id'), framework='torch')\n"
        "batch = next(scan); batch.kjt_parts(); batch.kjt()"
    )
    path = table[1].files[0].path
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: batch.kjt() needs TorchRec" in done.stderr
    assert "pip install --no-deps torchrec fbgemm-gpu-cpu" in done.stderr
