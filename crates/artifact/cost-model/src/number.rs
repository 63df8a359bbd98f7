//! Numbers in JSON that may be NaN or infinite.
//!
//! JSON has no such numbers and `serde_json` writes `null`, which cannot be read back as a number. A saturated fit has a
//! NaN residual error and a perfect one an infinite F, so these are written as the strings `"NaN"`, `"inf"`, `"-inf"`.
//! Use with `#[serde(with = "crate::number")]`.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number as it stands in JSON.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Finite(f64),
    Other(String),
}

/// Types made of numbers that know how they are written.
pub(crate) trait Numeric: Sized {
    type Written: Serialize + DeserializeOwned;
    fn write(&self) -> Self::Written;
    fn read(written: Self::Written) -> Result<Self, String>;
}

impl Numeric for f64 {
    type Written = Written;
    fn write(&self) -> Written {
        if self.is_finite() {
            Written::Finite(*self)
        } else {
            Written::Other(self.to_string())
        }
    }
    fn read(written: Written) -> Result<Self, String> {
        match written {
            Written::Finite(x) => Ok(x),
            Written::Other(s) => match s.as_str() {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(format!("{s:?} is not a number")),
            },
        }
    }
}

impl Numeric for u32 {
    type Written = u32;
    fn write(&self) -> u32 {
        *self
    }
    fn read(written: u32) -> Result<Self, String> {
        Ok(written)
    }
}

impl<T: Numeric> Numeric for Option<T> {
    type Written = Option<T::Written>;
    fn write(&self) -> Self::Written {
        self.as_ref().map(Numeric::write)
    }
    fn read(written: Self::Written) -> Result<Self, String> {
        written.map(T::read).transpose()
    }
}

impl<A: Numeric, B: Numeric> Numeric for (A, B) {
    type Written = (A::Written, B::Written);
    fn write(&self) -> Self::Written {
        (self.0.write(), self.1.write())
    }
    fn read(w: Self::Written) -> Result<Self, String> {
        Ok((A::read(w.0)?, B::read(w.1)?))
    }
}

impl<A: Numeric, B: Numeric, C: Numeric, D: Numeric> Numeric for (A, B, C, D) {
    type Written = (A::Written, B::Written, C::Written, D::Written);
    fn write(&self) -> Self::Written {
        (
            self.0.write(),
            self.1.write(),
            self.2.write(),
            self.3.write(),
        )
    }
    fn read(w: Self::Written) -> Result<Self, String> {
        Ok((A::read(w.0)?, B::read(w.1)?, C::read(w.2)?, D::read(w.3)?))
    }
}

impl Numeric for [f64; 5] {
    type Written = [Written; 5];
    fn write(&self) -> Self::Written {
        self.map(|x| x.write())
    }
    fn read(w: Self::Written) -> Result<Self, String> {
        let mut out = [0.0; 5];
        for (slot, written) in out.iter_mut().zip(w) {
            *slot = f64::read(written)?;
        }
        Ok(out)
    }
}

/// For `#[serde(with)]`.
pub(crate) fn serialize<T: Numeric, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.write().serialize(to)
}

/// For `#[serde(with)]`.
pub(crate) fn deserialize<'de, T: Numeric, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(T::Written::deserialize(from)?).map_err(D::Error::custom)
}
