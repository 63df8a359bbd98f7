//! Tables to Parquet: optional columns, Snappy, one row group per [`TableWriter::write`].

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::{Table, Values};
use crate::error::{DatasetError, Result, lacks_room};

/// Writes a file row group by row group; all groups have the columns of the first.
pub struct TableWriter {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
}

/// Writes one table to one file and forces it to disk.
pub fn write(path: &Path, table: &Table) -> Result<()> {
    let mut writer = TableWriter::create(path, table)?;
    writer.write(table)?;
    writer.close()
}

impl TableWriter {
    /// Creates the file with the columns of `shape`, whose cells are ignored.
    pub fn create(path: &Path, shape: &Table) -> Result<Self> {
        let fail = |error: ParquetError| failed(path, &error);
        let fields = shape
            .columns
            .iter()
            .map(|column| field(&column.name, &column.values).map(Arc::new))
            .collect::<std::result::Result<Vec<TypePtr>, _>>()
            .map_err(fail)?;
        let schema = Type::group_type_builder("pricetag")
            .with_fields(fields)
            .build()
            .map_err(fail)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("pricetag ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = File::create(path).map_err(DatasetError::io("create", path))?;
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(fail)?;
        Ok(Self {
            path: path.to_path_buf(),
            writer,
        })
    }

    /// Appends a row group.
    pub fn write(&mut self, table: &Table) -> Result<()> {
        let path = &self.path;
        let fail = |error: ParquetError| failed(path, &error);
        let mut group = self.writer.next_row_group().map_err(fail)?;
        for column in &table.columns {
            let Some(mut writer) = group.next_column().map_err(fail)? else {
                return Err(DatasetError::WriteParquet {
                    path: path.clone(),
                    full: false,
                    reason: format!("row group has no column `{}`", column.name),
                });
            };
            write_column(&mut writer, &column.values).map_err(fail)?;
            writer.close().map_err(fail)?;
        }
        group.close().map_err(fail)?;
        Ok(())
    }

    /// Writes the footer and forces the file to disk.
    pub fn close(self) -> Result<()> {
        let path = self.path;
        let file = self
            .writer
            .into_inner()
            .map_err(|error| failed(&path, &error))?;
        // A pipe or device cannot be forced to disk.
        if file.metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        file.sync_all().map_err(DatasetError::io("write", &path))
    }
}

fn failed(path: &Path, error: &ParquetError) -> DatasetError {
    let system = match error {
        ParquetError::External(source) => source.downcast_ref::<std::io::Error>(),
        _ => None,
    };
    DatasetError::WriteParquet {
        path: path.to_path_buf(),
        reason: system.map_or_else(|| error.to_string(), ToString::to_string),
        full: system.is_some_and(lacks_room),
    }
}

fn field(name: &str, values: &Values) -> std::result::Result<Type, ParquetError> {
    let optional = |physical, logical| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    };
    match values {
        Values::Integers(_) => optional(Physical::INT64, None),
        Values::Reals(_) => optional(Physical::DOUBLE, None),
        Values::Texts(_) => optional(Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Lists(_) => {
            let element = Type::primitive_type_builder("element", Physical::DOUBLE)
                .with_repetition(Repetition::REQUIRED)
                .build()?;
            let list = Type::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![Arc::new(element)])
                .build()?;
            Type::group_type_builder(name)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::List))
                .with_fields(vec![Arc::new(list)])
                .build()
        }
        Values::Unsupported(what) => Err(ParquetError::General(format!(
            "column `{name}` holds {what}"
        ))),
    }
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    values: &Values,
) -> std::result::Result<(), ParquetError> {
    match values {
        Values::Integers(cells) => write_cells::<Int64Type, _>(writer, cells, |v| *v),
        Values::Reals(cells) => write_cells::<DoubleType, _>(writer, cells, |v| *v),
        Values::Texts(cells) => {
            write_cells::<ByteArrayType, _>(writer, cells, |v| ByteArray::from(v.as_str()))
        }
        Values::Lists(cells) => write_lists(writer, cells),
        Values::Unsupported(what) => Err(ParquetError::General(what.clone())),
    }
}

fn write_cells<T: DataType, V>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: &[Option<V>],
    convert: impl Fn(&V) -> T::T,
) -> std::result::Result<(), ParquetError> {
    let present: Vec<T::T> = cells.iter().flatten().map(convert).collect();
    let levels: Vec<i16> = cells.iter().map(|c| i16::from(c.is_some())).collect();
    writer
        .typed::<T>()
        .write_batch(&present, Some(&levels), None)?;
    Ok(())
}

/// Definition levels: 0 null, 1 empty list, 2 element. Repetition levels: 0 first of its row, 1 further element.
fn write_lists(
    writer: &mut SerializedColumnWriter<'_>,
    cells: &[Option<Vec<f64>>],
) -> std::result::Result<(), ParquetError> {
    let (mut elements, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        match cell.as_deref() {
            None => {
                defined.push(0);
                repeated.push(0);
            }
            Some([]) => {
                defined.push(1);
                repeated.push(0);
            }
            Some(list) => {
                for (index, &element) in list.iter().enumerate() {
                    elements.push(element);
                    defined.push(2);
                    repeated.push(i16::from(index > 0));
                }
            }
        }
    }
    writer
        .typed::<DoubleType>()
        .write_batch(&elements, Some(&defined), Some(&repeated))?;
    Ok(())
}
