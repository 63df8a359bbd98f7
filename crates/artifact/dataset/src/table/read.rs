//! Parquet to tables: every column that can be a number, a text or a list of numbers; the others by what they hold.
//!
//! The file may be damaged on purpose: sizes are never trusted for allocation beyond one batch, columns of differing
//! length are an error, and a panic of the decoder is caught and reported as damage.

use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::room::Room;
use super::{Column, Table, Values};
use crate::error::{DatasetError, Result};

/// Records decoded at a time.
const BATCH: usize = 1 << 16;

pub(super) type Decoded<T> = std::result::Result<T, ParquetError>;

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Table> {
    let mut whole: Option<Table> = None;
    groups(path, true, |group| {
        let Some(table) = &mut whole else {
            whole = Some(group);
            return Ok(());
        };
        for (column, more) in table.columns.iter_mut().zip(group.columns) {
            if !column.values.append(more.values) {
                return Err(damaged(path, "a column changes its type"));
            }
        }
        Ok(())
    })?;
    Ok(whole.unwrap_or_default())
}

/// Reads row group after row group; a file without any yields one table without rows.
pub fn read_groups(path: &Path, use_group: impl FnMut(Table) -> Result<()>) -> Result<()> {
    groups(path, false, use_group)
}

/// `held`: all groups are kept, so that they share the room of one table.
fn groups(path: &Path, held: bool, mut use_group: impl FnMut(Table) -> Result<()>) -> Result<()> {
    let room = Room::of(path);
    let file = File::open(path).map_err(DatasetError::io("read", path))?;
    let reader = guarded(path, || SerializedFileReader::new(file))?;
    let groups = reader.num_row_groups();
    for index in (0..groups).filter(|_| held) {
        room.take_group(&reader, index)?;
    }
    for index in 0..groups.max(1) {
        if !held && groups > 0 {
            room.clear();
            room.take_group(&reader, index)?;
        }
        let group = guarded(path, || {
            let schema = reader.metadata().file_metadata().schema_descr();
            let columns = (0..schema.num_columns()).map(|column| {
                let descriptor = schema.column(column);
                let values = if groups == 0 {
                    empty(&descriptor)
                } else {
                    let group = reader.get_row_group(index)?;
                    decode(group.get_column_reader(column)?, &descriptor, &room)?
                };
                Ok(Column {
                    name: name_of(&descriptor),
                    values,
                })
            });
            Ok(Table {
                columns: columns.collect::<Decoded<_>>()?,
            })
        })
        .map_err(|error| room.judge(error))?;
        let rows = group.rows();
        if let Some(short) = group
            .columns
            .iter()
            .find(|c| c.values.len().is_some_and(|n| n != rows))
        {
            let reason = format!("column `{}` is shorter than others", short.name);
            return Err(damaged(path, &reason));
        }
        use_group(group)?;
    }
    Ok(())
}

pub(super) fn damaged(path: &Path, reason: &str) -> DatasetError {
    DatasetError::NotParquet {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    }
}

thread_local! {
    /// Whether this thread is decoding, so that a panic is expected and reported as an error.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the messages of expected panics off standard error; all others go to the hook that was there before.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODING.get() {
                previous(info);
            }
        }));
    });
}

/// The system's own errors are none of the file's: too many open files, a disk that fails.
fn told(path: &Path, error: ParquetError) -> DatasetError {
    let reason = error.to_string();
    let ParquetError::External(inner) = error else {
        return damaged(path, &reason);
    };
    match inner.downcast::<std::io::Error>() {
        Ok(source) if source.raw_os_error().is_some() => DatasetError::io("read", path)(*source),
        _ => damaged(path, &reason),
    }
}

/// Runs the decoder; its errors and panics become [`DatasetError::NotParquet`]. Parquet 60 panics on some damaged files
/// (negative offsets, missing dictionaries, short pages), as flipping bits of real ones shows.
pub(super) fn guarded<T>(path: &Path, decode: impl FnOnce() -> Decoded<T>) -> Result<T> {
    hush();
    let outer = DECODING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(outer);
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(told(path, error)),
        Err(_) => Err(damaged(path, "the file is damaged (the decoder gave up)")),
    }
}

/// `a.b` for nested columns; the inner levels of a list are left out.
pub(super) fn name_of(descriptor: &ColumnDescriptor) -> String {
    let parts = descriptor.path().parts();
    let kept = if descriptor.max_rep_level() > 0 && parts.len() >= 3 {
        &parts[..parts.len() - 2]
    } else {
        parts
    };
    kept.join(".")
}

/// What the cells of a column become.
pub(super) enum Meaning {
    Integer,
    Unsigned32,
    Unsigned64,
    Real,
    Decimal(i32),
    HalfReal,
    Text,
    Unsupported(String),
}

pub(super) fn meaning(descriptor: &ColumnDescriptor) -> Meaning {
    let unsupported = |what: &str| Meaning::Unsupported(what.to_owned());
    match descriptor.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => return Meaning::Decimal(decimal.scale),
        Some(LogicalType::Float16) => return Meaning::HalfReal,
        Some(LogicalType::Timestamp(_)) => return unsupported("points in time"),
        Some(LogicalType::Date) => return unsupported("dates"),
        Some(LogicalType::Time(_)) => return unsupported("times of day"),
        _ => {}
    }
    match descriptor.converted_type() {
        ConvertedType::DECIMAL => return Meaning::Decimal(descriptor.type_scale()),
        ConvertedType::DATE => return unsupported("dates"),
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => {
            return unsupported("times of day");
        }
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => {
            return unsupported("points in time");
        }
        ConvertedType::INTERVAL => return unsupported("intervals of time"),
        ConvertedType::UINT_64 => return Meaning::Unsigned64,
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 => {
            return Meaning::Unsigned32;
        }
        _ => {}
    }
    match descriptor.physical_type() {
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 => Meaning::Integer,
        Physical::FLOAT | Physical::DOUBLE => Meaning::Real,
        Physical::BYTE_ARRAY => Meaning::Text,
        Physical::INT96 => unsupported("points in time"),
        Physical::FIXED_LEN_BYTE_ARRAY => unsupported("fixed-length bytes"),
    }
}

fn empty(descriptor: &ColumnDescriptor) -> Values {
    match meaning(descriptor) {
        Meaning::Unsupported(what) => Values::Unsupported(what),
        _ if descriptor.max_rep_level() > 0 => Values::Lists(Vec::new()),
        Meaning::Text => Values::Texts(Vec::new()),
        Meaning::Integer | Meaning::Unsigned32 => Values::Integers(Vec::new()),
        _ => Values::Reals(Vec::new()),
    }
}

fn decode(reader: ColumnReader, descriptor: &ColumnDescriptor, room: &Room<'_>) -> Decoded<Values> {
    use Meaning as M;
    let meaning = meaning(descriptor);
    if let M::Unsupported(what) = meaning {
        return Ok(Values::Unsupported(what));
    }
    if descriptor.max_rep_level() > 0 {
        return lists(reader, descriptor, &meaning);
    }
    let shape = Shape::of(descriptor);
    Ok(match (reader, meaning) {
        (ColumnReader::BoolColumnReader(r), _) => {
            Values::Integers(shape.cells(r, |b| Ok(i64::from(*b)))?)
        }
        (ColumnReader::Int32ColumnReader(r), M::Decimal(scale)) => {
            Values::Reals(shape.cells(r, |v| Ok(f64::from(*v) / power_of_ten(scale)))?)
        }
        (ColumnReader::Int32ColumnReader(r), M::Unsigned32) => {
            Values::Integers(shape.cells(r, |v| Ok(i64::from(*v as u32)))?)
        }
        (ColumnReader::Int32ColumnReader(r), _) => {
            Values::Integers(shape.cells(r, |v| Ok(i64::from(*v)))?)
        }
        (ColumnReader::Int64ColumnReader(r), M::Decimal(scale)) => {
            Values::Reals(shape.cells(r, |v| Ok(*v as f64 / power_of_ten(scale)))?)
        }
        (ColumnReader::Int64ColumnReader(r), M::Unsigned64) => {
            Values::Reals(shape.cells(r, |v| Ok((*v as u64) as f64))?)
        }
        (ColumnReader::Int64ColumnReader(r), _) => Values::Integers(shape.cells(r, |v| Ok(*v))?),
        (ColumnReader::FloatColumnReader(r), _) => {
            Values::Reals(shape.cells(r, |v| Ok(f64::from(*v)))?)
        }
        (ColumnReader::DoubleColumnReader(r), _) => Values::Reals(shape.cells(r, |v| Ok(*v))?),
        (ColumnReader::ByteArrayColumnReader(r), M::Decimal(scale)) => {
            Values::Reals(shape.cells(r, |v| Ok(big_endian(v.data()) / power_of_ten(scale)))?)
        }
        (ColumnReader::FixedLenByteArrayColumnReader(r), M::Decimal(scale)) => {
            Values::Reals(shape.cells(r, |v| Ok(big_endian(v.data()) / power_of_ten(scale)))?)
        }
        (ColumnReader::FixedLenByteArrayColumnReader(r), M::HalfReal) => {
            Values::Reals(shape.cells(r, |v| half_real(v.data()))?)
        }
        (ColumnReader::ByteArrayColumnReader(r), _) => Values::Texts(shape.cells(r, |v| {
            room.take(v.len() as u64)?;
            v.as_utf8().map(str::to_owned)
        })?),
        _ => Values::Unsupported("values of an unknown type".to_owned()),
    })
}

pub(super) fn power_of_ten(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

/// Two's complement, big-endian, any length.
pub(super) fn big_endian(bytes: &[u8]) -> f64 {
    let start = match bytes.first() {
        Some(first) if first & 0x80 != 0 => -1.0,
        _ => 0.0,
    };
    bytes
        .iter()
        .fold(start, |sum, byte| sum * 256.0 + f64::from(*byte))
}

/// IEEE 754 binary16, little-endian.
pub(super) fn half_real(bytes: &[u8]) -> Decoded<f64> {
    let &[low, high] = bytes else {
        let reason = format!("a half-precision number of {} bytes", bytes.len());
        return Err(ParquetError::General(reason));
    };
    let bits = u16::from_le_bytes([low, high]);
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    Ok(if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    })
}

/// The levels at which a column's values are defined.
struct Shape {
    defined: i16,
    nullable: bool,
}

impl Shape {
    fn of(descriptor: &ColumnDescriptor) -> Self {
        Self {
            defined: descriptor.max_def_level(),
            nullable: descriptor.max_def_level() > 0,
        }
    }

    fn cells<T: DataType, V>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        convert: impl Fn(&T::T) -> Decoded<V>,
    ) -> Decoded<Vec<Option<V>>> {
        let mut cells = Vec::new();
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            values.clear();
            levels.clear();
            let (records, _, _) =
                reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Ok(cells);
            }
            if !self.nullable {
                for value in &values {
                    cells.push(Some(convert(value)?));
                }
                continue;
            }
            let mut present = values.iter();
            for level in &levels {
                cells.push(if *level < self.defined {
                    None
                } else {
                    let value = present.next().ok_or_else(missing_value)?;
                    Some(convert(value)?)
                });
            }
        }
    }
}

pub(super) fn missing_value() -> ParquetError {
    ParquetError::General("fewer values than the levels announce".to_owned())
}

fn lists(
    reader: ColumnReader,
    descriptor: &ColumnDescriptor,
    meaning: &Meaning,
) -> Decoded<Values> {
    let unsupported = || Values::Unsupported("nested values".to_owned());
    if descriptor.max_rep_level() != 1 || descriptor.path().parts().len() != 3 {
        return Ok(unsupported());
    }
    let scale = match meaning {
        Meaning::Real | Meaning::Integer => 1.0,
        Meaning::Decimal(scale) => power_of_ten(*scale),
        _ => return Ok(unsupported()),
    };
    let lists = match reader {
        ColumnReader::Int32ColumnReader(r) => list_cells(r, descriptor, |v| f64::from(*v) / scale),
        ColumnReader::Int64ColumnReader(r) => list_cells(r, descriptor, |v| *v as f64 / scale),
        ColumnReader::FloatColumnReader(r) => list_cells(r, descriptor, |v| f64::from(*v)),
        ColumnReader::DoubleColumnReader(r) => list_cells(r, descriptor, |v| *v),
        _ => return Ok(unsupported()),
    };
    lists.map(Values::Lists)
}

/// A null element becomes NaN: it is seen and refused where the list is used.
fn list_cells<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    descriptor: &ColumnDescriptor,
    convert: impl Fn(&T::T) -> f64,
) -> Decoded<Vec<Option<Vec<f64>>>> {
    let element = descriptor.max_def_level();
    let element_nullable = descriptor.self_type().is_optional();
    let list_level = element - i16::from(element_nullable) - 1; // defined, but empty
    let mut cells: Vec<Option<Vec<f64>>> = Vec::new();
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        values.clear();
        defined.clear();
        repeated.clear();
        let (records, _, _) =
            reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut values)?;
        if records == 0 {
            return Ok(cells);
        }
        let mut present = values.iter();
        for (level, repetition) in defined.iter().zip(&repeated) {
            if *repetition == 0 {
                cells.push((*level >= list_level).then(Vec::new));
            }
            if *level > list_level {
                let value = if *level == element {
                    convert(present.next().ok_or_else(missing_value)?)
                } else {
                    f64::NAN
                };
                if let Some(Some(list)) = cells.last_mut() {
                    list.push(value);
                }
            }
        }
    }
}
