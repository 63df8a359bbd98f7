//! JSON that says whether it is what was written: an object with a digest of everything else in it.
//!
//! The digest is of what the JSON means, so that it may be laid out anew. It is XXH3-128: a defence against damage and mistaken
//! files, none against forgery. A second member says that there is a seal, so that damage to the name of one of the two is seen.

use serde_json::{Map, Value};
use twox_hash::XxHash3_128;

const MARK: &str = "sealed";
const SEAL: &str = "seal";

/// What a seal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// The text means what was written.
    Whole,
    /// There is none: an earlier version wrote it.
    Absent,
    /// It means something else.
    Broken,
}

/// Adds a seal to the text of a JSON object, behind its other members. Text that is none stays as it is.
pub fn seal(text: &str) -> String {
    let body = text.trim_end();
    let (Ok(Value::Object(members)), Some(open)) =
        (serde_json::from_str(body), body.strip_suffix('}'))
    else {
        return text.to_owned();
    };
    let open = open.trim_end();
    let comma = if members.is_empty() { "" } else { "," };
    let digest = digest_of(members);
    format!("{open}{comma}\n  \"{MARK}\": true,\n  \"{SEAL}\": \"{digest}\"\n}}\n")
}

/// Checks the seal of a JSON text.
pub fn check(text: &str) -> Seal {
    let Ok(Value::Object(mut members)) = serde_json::from_str(text) else {
        return Seal::Broken;
    };
    match (members.remove(MARK), members.remove(SEAL)) {
        (None, None) => Seal::Absent,
        (Some(Value::Bool(true)), Some(Value::String(seal))) if seal == digest_of(members) => {
            Seal::Whole
        }
        _ => Seal::Broken,
    }
}

/// 32 hexadecimal digits that identify bytes.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}

fn digest_of(mut members: Map<String, Value>) -> String {
    members.sort_keys();
    digest(Value::Object(members).to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"schema\": 1,\n  \"price\": 0.1234567890123456789,\n  \"names\": {\"b\": [], \"a\": 1e-7}\n}\n";

    #[test]
    fn every_change_of_meaning_breaks_the_seal() {
        assert_eq!(check(TEXT), Seal::Absent);
        let sealed = seal(TEXT);
        assert_eq!(check(&sealed), Seal::Whole);
        assert!(sealed.starts_with("{\n  \"schema\": 1,"), "{sealed}");
        let value: Value = serde_json::from_str(&sealed).unwrap();
        assert_eq!(check(&value.to_string()), Seal::Whole, "another layout");
        let mut kept = 0;
        for at in 0..sealed.len() {
            for bit in 0..7 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let text = String::from_utf8(bytes).unwrap();
                let same = |text: &str| serde_json::from_str::<Value>(text).ok();
                match check(&text) {
                    Seal::Whole => {
                        assert_eq!(same(&text), same(&sealed), "{text}");
                        kept += 1;
                    }
                    Seal::Broken => {}
                    Seal::Absent => panic!("{text}"),
                }
            }
        }
        assert!(kept < 60, "white space and digits beyond precision: {kept}");
        assert_eq!(check(&seal("{}")), Seal::Whole);
        assert_eq!(check("[]"), Seal::Broken);
        assert_eq!(check(&sealed[..sealed.len() / 2]), Seal::Broken);
    }
}
