# Foreign Parquet files for `tests/foreign.rs`, made with pyarrow 26.0.1: `python3 make.py`.
import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

rows = 5
table = pa.table(
    {
        "time": pa.array([1.5, 2.5, None, 4.5, 5.5], pa.float64()),
        "i8": pa.array([1, -2, 3, -4, 5], pa.int8()),
        "u32": pa.array([1, 2, 3, 4, 4294967295], pa.uint32()),
        "u64": pa.array([1, 2, 3, 4, 18446744073709551615], pa.uint64()),
        "f32": pa.array([0.5, 1.5, 2.5, 3.5, 4.5], pa.float32()),
        "f16": pa.array([0.5, -1.5, 2.5, 0.0, 65504.0], pa.float16()),
        "flag": pa.array([True, False, True, True, False]),
        "dec": pa.array([decimal.Decimal(x) for x in ["1.25", "-2.50", "3.75", "0.00", "99999999.99"]], pa.decimal128(20, 2)),
        "text": pa.array(["a", "b", None, "a", "c"]),
        "dict": pa.array(["x", "y", "x", "y", "x"]).dictionary_encode(),
    }
)
for codec in ["none", "snappy", "zstd", "gzip", "lz4", "brotli"]:
    pq.write_table(table, f"{codec}.parquet", compression=codec, row_group_size=2)
pq.write_table(table, "v2.parquet", data_page_version="2.0", column_encoding={"u64": "DELTA_BINARY_PACKED"}, use_dictionary=["text"])
odd = table.append_column("day", pa.array([datetime.date(2026, 1, i + 1) for i in range(rows)]))
odd = odd.append_column("list", pa.array([[1.0], [], None, [2.0, 3.0], [None]]))
odd = odd.append_column("pair", pa.array([{"x": i, "y": "q"} for i in range(rows)]))
pq.write_table(odd, "odd.parquet")
pq.write_table(table.slice(0, 0), "empty.parquet")
