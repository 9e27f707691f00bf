#!/usr/bin/env python3
"""Trains a TorchRec DLRM with a sequence tower on a raw log: JSON Lines to .dsi to AUC.

    train_dlrm.py                                # a generated log of news clicks
    train_dlrm.py clicks.jsonl --form both       # your own, in both forms, compared
    train_dlrm.py clicks.jsonl --without dense.quantity dense.price

Rows of a session share their user's lists. Form "deduplicated" hands each different list to the
model once, with the index of who uses it: tables are looked up and the tower runs once per unique
row. Form "expanded" hands every row its own copy, as other loaders do.

Needs torch, tqdm, torchmetrics, and torchrec with fbgemm-gpu-cpu (pip install --no-deps).
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import dsi
import torch
from torch import nn
from torchmetrics.functional.classification import binary_auroc
from torchrec.models.dlrm import DenseArch, InteractionArch, OverArch
from torchrec.modules.embedding_configs import EmbeddingBagConfig, PoolingType
from torchrec.modules.embedding_modules import EmbeddingBagCollection
from torchrec.sparse.jagged_tensor import KeyedJaggedTensor
from tqdm import tqdm

FORMS = ("deduplicated", "expanded")
STAGES = ("waiting", "copying", "forward", "backward", "optimizer")
# What generated and converted logs call the list of a user's clicked items.
SEQUENCES = ("user.clicked", "user.hist_item", "user.visited")
# Known after the click only, in the generated log of news: a model must not see them.
AFTER_THE_CLICK = ("dense.read_share", "dense.dwell_seconds", "dense.scrolls")


class ClickTower(nn.Module):
    """One vector per list of clicked items: what a transformer makes of a token in front of it."""

    def __init__(self, table_rows: int, dim: int, length: int):
        super().__init__()
        self.items = nn.Embedding(table_rows, dim)
        self.places = nn.Parameter(torch.randn(1 + length, dim) / dim)
        self.block = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """[N, L] ids, of which lengths [N] are real, to [N, dim]."""
        items = nn.functional.pad(self.items(ids), (0, 0, 1, 0))
        is_pad = torch.arange(items.shape[1], device=ids.device) > lengths[:, None]
        return self.block(items + self.places, src_key_padding_mask=is_pad)[:, 0]


class Lists(EmbeddingBagCollection):
    """TorchRec's collection of tables; its output [B, F * D], each table's features in turn.

    Only how pooled unique rows are spread differs: FBGEMM's operator adds up the gradients row by
    row on a CPU, which takes longer than all the rest. On a GPU use the collection as it is.
    """

    def forward(self, kjt: KeyedJaggedTensor) -> torch.Tensor:
        lists, inverse, vectors = kjt.to_dict(), {}, []
        if kjt.variable_stride_per_key():
            inverse = dict(zip(*kjt.inverse_indices(), strict=True))
        for config in self.embedding_bag_configs():
            for name in config.feature_names:
                ids = lists[name]
                pooled = self.embedding_bags[config.name](ids.values(), ids.offsets())
                vectors.append(pooled.index_select(0, inverse[name]) if inverse else pooled)
        return torch.cat(vectors, dim=1)


class SequenceDlrm(nn.Module):
    """TorchRec's DLRM, the tower's output one more feature. tables: the lists that share each."""

    def __init__(self, tables: list[list[str]], num_dense: int, args: argparse.Namespace):
        super().__init__()
        rows, dim = args.table_rows, args.dim
        vectors = sum(map(len, tables)) + 1
        table = partial(
            EmbeddingBagConfig,
            num_embeddings=rows,
            embedding_dim=dim,
            pooling=PoolingType.MEAN,
            init_fn=partial(nn.init.normal_, std=dim**-0.5),
        )
        self.lists = Lists(
            [table(name=f"table_{i}", feature_names=names) for i, names in enumerate(tables)]
        )
        self.dense = DenseArch(num_dense, [64, dim])
        self.tower = ClickTower(rows, dim, args.length)
        self.interaction = InteractionArch(vectors)
        self.over = OverArch(dim + vectors * (vectors + 1) // 2, [64, 1])

    def forward(self, dense, kjt, clicks, click_lengths, inverse):
        dense = self.dense(dense)
        user = self.tower(clicks, click_lengths)
        if inverse is not None:  # Deduplicated: from unique rows to all rows.
            user = user.index_select(0, inverse)
        vectors = torch.cat([self.lists(kjt), user], dim=1).view(len(dense), -1, dense.shape[1])
        return self.over(self.interaction(dense, vectors)).squeeze(1)


def convert(args: argparse.Namespace, folder: Path) -> Path:
    """The log as a .dsi file, its rows clustered by session; without a log, of made-up clicks."""
    log, schema, table = args.log, args.schema, folder / "clicks.dsi"
    if log is None:
        log, schema = folder / "clicks.jsonl", folder / "clicks.json"
        generate = f"dsictl generate --quiet --profile news --rows {args.rows}".split()
        subprocess.run([*generate, log, "--write-schema", schema], check=True)
    declared = [] if schema is None else ["--schema", schema]
    subprocess.run(["dsictl", "convert", "--quiet", log, table, *declared], check=True)
    return table


class Data:
    """One table, its batches in either form: a projection says all that differs."""

    def __init__(self, table: Path, args: argparse.Namespace):
        self.table = dsi.open(table)
        self.args = args
        columns = {c.name: c for c in self.table.columns() if c.name not in args.without}
        self.dense = [name for name, c in columns.items() if c.kind == "dense"]
        self.lists = [name for name, c in columns.items() if c.kind == "list"]
        found = (name for name in SEQUENCES if name in columns)
        self.sequence = args.sequence or next(found, None)
        if self.sequence not in columns:
            named = self.sequence or " or ".join(SEQUENCES)
            there = [name for name, c in columns.items() if c.kind in ("list", "sequence")]
            raise SystemExit(
                f"no list of clicked items is called {named}: --sequence NAME says which it is;"
                f" lists that there are: {', '.join(there) or 'none'}"
            )
        # Lists whose ids are of one space share a table; others have one of their own.
        tables = defaultdict(list)
        for name in self.lists:
            tables[columns[name].id_space or name].append(name)
        self.tables = list(tables.values())
        # Sessions lie in the order of their first rows: those at the end are the latest.
        self.split = self.table.num_rows * 4 // 5

    def batches(self, form: str, epoch: int | None) -> dsi.Scan:
        """The earlier rows, sessions in another order each epoch; without one, the later rows."""
        rows, order = (self.split, self.table.num_rows), {}
        if epoch is not None:
            rows = (0, self.split)
            order = {"shuffle": "block", "mixing_rows": 32 * self.args.batch_size}
            order.update(seed=self.args.seed, epoch=epoch)
        unique, length = form == "deduplicated", self.args.length
        return self.table.scan(
            [
                dsi.Dense(self.dense, pad_value=0),
                dsi.Kjt(self.lists, form="vbe" if unique else "expanded"),
                dsi.Padded(self.sequence, width=length, dtype="int64", unique=unique),
                "label",
            ],
            framework="torch",
            batch_size=self.args.batch_size,
            rows=[rows],
            threads=self.args.threads,
            read_ahead_bytes=64 << 20,
            **order,
        )

    def inputs(self, batch: dsi.Batch) -> tuple[tuple, torch.Tensor]:
        """What the model takes, on its device, and the labels."""
        batch = batch.to(self.args.device)
        kjt, clicks = batch.kjt(), batch.padded(self.sequence)
        kjt.values().remainder_(self.args.table_rows)  # Ids are any 64 bits.
        clicks.values.remainder_(self.args.table_rows)
        dense = torch.log1p(batch.dense.clamp(min=0))
        return (dense, kjt, clicks.values, clicks.lengths, clicks.inverse), batch.labels


@contextmanager
def timed(seconds: dict[str, float], stage: str):
    start = time.perf_counter()
    yield
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()  # A stage ends when the device is done with it.
    seconds[stage] += time.perf_counter() - start


def train(model: nn.Module, data: Data, form: str) -> tuple[list[float], dict[str, float]]:
    """The loss of every step, and seconds per stage."""
    optimizer = torch.optim.Adam(model.parameters(), lr=data.args.learning_rate)
    seconds, losses = dict.fromkeys(STAGES, 0.0), []
    for epoch in range(data.args.epochs):
        batches = data.batches(form, epoch)
        for _ in tqdm(range(len(batches)), desc=f"{form}, epoch {epoch}", unit="batch"):
            with timed(seconds, "waiting"):
                batch = next(batches)
            with timed(seconds, "copying"):
                inputs, labels = data.inputs(batch)
            with timed(seconds, "forward"):
                loss = nn.functional.binary_cross_entropy_with_logits(model(*inputs), labels)
            with timed(seconds, "backward"):
                optimizer.zero_grad()
                loss.backward()
            with timed(seconds, "optimizer"):
                optimizer.step()
            losses.append(loss.detach())
    return torch.stack(losses).tolist(), seconds


@torch.no_grad()
def predict(model: nn.Module, data: Data, form: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores and labels of the later rows."""
    model.eval()
    scores, labels = [], []
    for batch in data.batches(form, None):
        inputs, truth = data.inputs(batch)
        scores.append(model(*inputs))
        labels.append(truth)
    return torch.cat(scores), torch.cat(labels)


def run(data: Data, form: str) -> dict:
    """Trains from the same start for every form, and judges the model on the later rows."""
    torch.manual_seed(data.args.seed)
    model = SequenceDlrm(data.tables, len(data.dense), data.args).to(data.args.device)
    losses, seconds = train(model, data, form)
    scores, labels = predict(model, data, form)
    return {
        "form": form,
        "model": model,
        "losses": losses,
        "scores": scores,
        "auc": binary_auroc(scores.double(), labels.int()).item(),
        "seconds": seconds,
        "rows_per_second": data.split * data.args.epochs / sum(seconds.values()),
    }


def compare(data: Data, one: dict, other: dict) -> dict:
    """What both forms agree in.

    Forward, a row's numbers are the same bit for bit. Backward, gradients are added up in another
    order, by unique row first: after a step weights may differ in their last bits, and from then on
    training goes its own way, as after any rounding.
    """
    same, _ = predict(one["model"], data, other["form"])
    pairs = list(zip(one["losses"], other["losses"], strict=True))
    return {
        "first losses equal bit for bit": pairs[0][0] == pairs[0][1],
        "scores of one model in both forms equal bit for bit": torch.equal(same, one["scores"]),
        "steps with losses equal bit for bit": sum(a == b for a, b in pairs),
        "steps": len(pairs),
        "largest relative difference of losses": max(abs(a - b) / b for a, b in pairs),
    }


def print_report(results: list[dict], comparison: dict | None) -> None:
    print(f"\n{'seconds':<14}" + "".join(f"{stage:>11}" for stage in STAGES) + f"{'rows/s':>11}")
    for r in results:
        cells = "".join(f"{r['seconds'][stage]:>11.2f}" for stage in STAGES)
        print(f"{r['form']:<14}{cells}{r['rows_per_second']:>11,.0f}")
    for r in results:
        first, last = r["losses"][0], sum(r["losses"][-10:]) / len(r["losses"][-10:])
        print(f"{r['form']}: loss {first:.4f} to {last:.4f}, AUC on later rows {r['auc']:.4f}")
    for what, value in (comparison or {}).items():
        print(f"{what}: {value:.1e}" if isinstance(value, float) else f"{what}: {value}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("log", nargs="?", type=Path, help="JSON Lines; default: a generated log")
    add("--schema", type=Path, help="of the log, as JSON; default: inferred")
    add("--form", choices=[*FORMS, "both"], default="deduplicated")
    add("--rows", type=int, default=60_000, help="rows of the generated log")
    add("--without", nargs="*", default=AFTER_THE_CLICK, help="columns the model must not see")
    add("--sequence", help=f"the list of clicked items; default: one of {', '.join(SEQUENCES)}")
    add("--length", type=int, default=30, help="so many latest clicks")
    add("--epochs", type=int, default=1)
    add("--batch-size", type=int, default=512)
    add("--dim", type=int, default=16, help="of embeddings")
    add("--table-rows", type=int, default=5000, help="of each embedding table")
    add("--learning-rate", type=float, default=0.01)
    add("--threads", type=int, default=1, help="of the loader, and of torch")
    add("--device", default="cpu", help="of the model")
    add("--seed", type=int, default=1, help="of the model and of the order of rows")
    add("--json", action="store_true", help="print JSON instead of the table")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        data = Data(convert(args, Path(folder)), args)
        forms = FORMS if args.form == "both" else [args.form]
        results = [run(data, form) for form in forms]
        comparison = compare(data, *results) if args.form == "both" else None
    if args.json:
        printed = [{k: r[k] for k in r.keys() - {"model", "scores"}} for r in results]
        print(json.dumps({"forms": printed, "comparison": comparison}))
    else:
        print_report(results, comparison)


if __name__ == "__main__":
    main()
