//! Why a class or a method is not instrumented.

use pricetag_classfile::ClassFileError;

/// Why a class is not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError {
    /// The bytes are no class file, or it cannot take what has to be added.
    #[error(transparent)]
    Class(#[from] ClassFileError),
    /// The plan belongs to other bytes.
    #[error("the plan for class {plan} was not made for these bytes of class {class}")]
    ForeignPlan {
        /// Name in the class file.
        class: String,
        /// Name in the plan.
        plan: String,
    },
    /// `java.lang.Thread` already has the fields.
    #[error("class {class} already has a field {field}")]
    FieldExists {
        /// The class.
        class: String,
        /// The field.
        field: &'static str,
    },
}

/// Why a method is left as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MethodError {
    #[error(transparent)]
    Class(#[from] ClassFileError),
    #[error("abstract or native")]
    NoCode,
    #[error("control falls off the end of the code")]
    FallsOff,
    #[error("bytecode offset {pc}: no stack map frame at a jump target or handler")]
    MissingFrame { pc: u16 },
    #[error("bytecode offset {pc}: {what}")]
    Plan { pc: u16, what: &'static str },
    #[error("malformed descriptor")]
    Descriptor,
}
