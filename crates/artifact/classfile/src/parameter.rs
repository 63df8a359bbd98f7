//! What a method's parameters are called.
//!
//! A parameter is the local variable that lives in its slot from the first instruction on (`LocalVariableTable`, JVMS §4.7.13, written by `javac -g`); without
//! one, what the `MethodParameters` attribute (§4.7.24, `javac -parameters`) says. Tables that make no sense give no names.

use crate::class::{ACC_STATIC, Member};
use crate::cursor::Cursor;
use crate::descriptor;
use crate::error::ClassFileError;
use crate::pool::ConstantPool;

impl Member<'_> {
    /// The names of a method's parameters as far as the class file has them, without `this`; empty if it is no method.
    pub fn parameter_names(&self, constants: &ConstantPool<'_>) -> Vec<Option<String>> {
        let descriptor = self.descriptor(constants);
        let Some((parameters, _)) = descriptor::split(&descriptor) else {
            return Vec::new();
        };
        let mut names = self
            .listed_names(constants, parameters.len())
            .unwrap_or_else(|_| vec![None; parameters.len()]);
        let code = self.code(constants).ok().flatten();
        let variables = code.and_then(|code| code.local_variables(constants).ok());
        let mut slot = u16::from(self.access & ACC_STATIC == 0);
        for (name, parameter) in names.iter_mut().zip(&parameters) {
            let mut here = variables
                .iter()
                .flatten()
                .filter(|v| v.slot == slot && v.start == 0 && v.descriptor == **parameter);
            if let Some(variable) = here.next() {
                *name = here
                    .all(|v| v.name == variable.name)
                    .then(|| variable.name.clone());
            }
            slot = slot.saturating_add(descriptor::slots(parameter));
        }
        names
    }

    /// What `MethodParameters` says, if it speaks of as many parameters as the descriptor.
    fn listed_names(
        &self,
        constants: &ConstantPool<'_>,
        parameters: usize,
    ) -> Result<Vec<Option<String>>, ClassFileError> {
        let what = "a method parameter";
        let mut names = Vec::new();
        if let Some(attribute) = self.attributes.find(constants, "MethodParameters") {
            let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
            for _ in 0..cursor.u8(what)? {
                let index = cursor.u16(what)?;
                cursor.u16(what)?;
                names.push((index != 0).then(|| constants.utf8(index)).transpose()?);
            }
        }
        if names.len() != parameters {
            names = vec![None; parameters];
        }
        Ok(names)
    }
}
