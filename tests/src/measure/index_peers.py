"""faiss-cpu flat and sqlite-vec on one file of vectors; one question a line: `PEER NUMBER`."""
import json
import os
import sys
import time

import apsw
import faiss
import numpy
import sqlite_vec

vectors_file, queries_file, database, dimension, limit = sys.argv[1:6]
dimension, limit = int(dimension), int(limit)
vectors = numpy.fromfile(vectors_file, dtype="<f4").reshape(-1, dimension)
queries = numpy.fromfile(queries_file, dtype="<f4").reshape(-1, dimension)

faiss.omp_set_num_threads(1)
flat = faiss.IndexFlatIP(dimension)
flat.add(vectors)

# Python's own sqlite3 module often cannot load extensions.
connection = apsw.Connection(database)
connection.enable_load_extension(True)
connection.load_extension(sqlite_vec.loadable_path())
connection.execute("PRAGMA journal_mode = OFF")
connection.execute(
    f"CREATE VIRTUAL TABLE rows USING vec0(vector float[{dimension}] distance_metric=cosine)"
)
with connection:
    connection.executemany(
        "INSERT INTO rows (rowid, vector) VALUES (?, ?)",
        ((number, vector.tobytes()) for number, vector in enumerate(vectors)),
    )
del vectors


def ask_faiss(number):
    return [int(row) for row in flat.search(queries[number : number + 1], limit)[1][0]]


def ask_sqlite_vec(number):
    found = connection.execute(
        "SELECT rowid FROM rows WHERE vector MATCH ? AND k = ? ORDER BY distance",
        (queries[number].tobytes(), limit),
    )
    return [row for (row,) in found]


ask = {"faiss": ask_faiss, "sqlite_vec": ask_sqlite_vec}
print(json.dumps({"ready": os.getpid()}), flush=True)
for line in sys.stdin:
    peer, number = line.split()
    wall, cpu = time.perf_counter(), time.process_time()
    rows = ask[peer](int(number))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"rows": rows, "ms": wall * 1000, "cpu_ms": cpu * 1000}), flush=True)
