"""Keeps one zvec collection and answers requests of the process that started it.

A request on standard input is an operation of one byte, the length of its body
as a 32-bit number, and the body. A reply on standard output is a status of one
byte (k: done, f: the answer is spoiled, e: error), the milliseconds that the
operation took in here as a 64-bit float, the length of its body, and the body.
All numbers are little-endian. The end of the input ends this process.

    v               versions of zvec and Python, as text
    c  JSON         create a collection: path, dim, m, ef_construction
    i  float32s     insert rows; their keys count on
    o               build the index
    r               open the collection again, read-only: the name of its search
    s  k, ef, exact as 32-bit numbers, then one vector as float32s:
                    the rows as 64-bit numbers, then their distances as float32s
"""

import json
import platform
import struct
import sys
import time
from importlib.metadata import version

import numpy as np
import zvec

FIELD = "embedding"
BATCH = 1000
# Older versions have another name for it.
QUERY = getattr(zvec, "Query", None) or zvec.VectorQuery


class Spoiled(Exception):
    """An answer without keys."""


class Keeper:
    def __init__(self):
        self.collection = None
        self.rows = 0
        self.fast = False

    def create(self, body):
        shape = json.loads(body)
        self.path, self.dim, self.rows, self.fast = shape["path"], shape["dim"], 0, False
        index = zvec.HnswIndexParam(
            metric_type=zvec.MetricType.COSINE, m=shape["m"], ef_construction=shape["ef_construction"]
        )
        vectors = zvec.VectorSchema(FIELD, zvec.DataType.VECTOR_FP32, self.dim, index_param=index)
        self.collection = zvec.create_and_open(
            path=self.path, schema=zvec.CollectionSchema(name="facts", vectors=vectors)
        )
        return b""

    def insert(self, body):
        rows = np.frombuffer(body, dtype="<f4").reshape(-1, self.dim)
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            docs = [zvec.Doc(id=str(self.rows + i), vectors={FIELD: row}) for i, row in enumerate(batch)]
            for status in self.collection.insert(docs):
                if not status.ok():
                    raise RuntimeError(f"insert: {status.message()}")
            self.rows += len(batch)
        return b""

    def optimize(self, _):
        self.collection.optimize()
        return b""

    def reopen(self, _):
        # Read-only collections have a faster search, where the version knows it.
        self.collection.close() if hasattr(self.collection, "close") else None
        self.collection = None
        self.collection = zvec.open(path=self.path, option=zvec.CollectionOption(read_only=True))
        self.fast = hasattr(self.collection, "query_internal_ids")
        if self.fast:
            # Internal ids are asked for; the keys behind them are told once.
            keys = self.collection.resolve_internal_ids(list(range(self.rows)))
            self.keys = np.array([-1 if key is None else int(key) for key in keys], dtype=np.int64)
        return b"query_internal_ids" if self.fast else b"query"

    def search(self, body):
        k, ef, exact = struct.unpack_from("<III", body)
        vector = np.frombuffer(body, dtype="<f4", offset=12)
        if len(vector) != self.dim:
            raise ValueError(f"the vector has {len(vector)} components, the collection {self.dim}")
        param = zvec.HnswQueryParam(ef=ef, is_linear=bool(exact))
        query = QUERY(field_name=FIELD, vector=vector, param=param)
        if self.fast:
            ids, scores = self.collection.query_internal_ids(query, topk=k, return_scores=True)
            ids, scores = ids[ids >= 0], scores[ids >= 0]
            keys = self.keys[ids]
        else:
            docs = self.collection.query(query, topk=k, output_fields=[])
            empty = sum(not doc.id for doc in docs)
            if empty:
                raise Spoiled(f"zvec returned {len(docs)} rows, {empty} of them with an empty id")
            keys = np.array([int(doc.id) for doc in docs], dtype=np.int64)
            scores = np.array([doc.score for doc in docs], dtype=np.float32)
        if (keys < 0).any():
            raise Spoiled(f"zvec returned {len(keys)} rows, {(keys < 0).sum()} of them without a key")
        return keys.astype("<i8").tobytes() + scores.astype("<f4").tobytes()

    def versions(self, _):
        return f"{version('zvec')}, Python {platform.python_version()}".encode()


def main():
    keeper = Keeper()
    operations = {
        b"v": keeper.versions,
        b"c": keeper.create,
        b"i": keeper.insert,
        b"o": keeper.optimize,
        b"r": keeper.reopen,
        b"s": keeper.search,
    }
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing else may write into the replies
    while head := source.read(5):
        body = source.read(struct.unpack("<I", head[1:])[0])
        started = time.perf_counter()
        try:
            status, reply = b"k", operations[head[:1]](body)
        except Spoiled as spoiled:
            status, reply = b"f", str(spoiled).encode()
        except Exception as error:
            status, reply = b"e", f"{type(error).__name__}: {error}".encode()
        took = 1000 * (time.perf_counter() - started)
        sink.write(status + struct.pack("<dI", took, len(reply)) + reply)
        sink.flush()


main()
