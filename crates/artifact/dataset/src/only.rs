//! A dataset restricted to features that somebody lists: of the kinds that the list names, only what it names.
//!
//! A list of blocks leaves methods, opcodes, inputs and everything else alone; the changes of a branch's outcome go with its block. Lata
//! 2016 has blocks and methods counted by such lists.

use std::collections::BTreeSet;

use crate::model::{Dataset, Feature, FeatureId, FeatureKind, Part};

/// Class, method, descriptor and number of a block.
type Place<'f> = [Option<&'f str>; 3];

fn place(feature: &Feature) -> (Place<'_>, Option<u32>) {
    let code = [&feature.class, &feature.method, &feature.descriptor];
    (code.map(Option::as_deref), feature.block)
}

impl Dataset {
    /// The same dataset with, of every kind of which `names` has a feature, only those features.
    ///
    /// # Errors
    /// The first name that no feature has.
    pub fn with_only(mut self, names: &BTreeSet<String>) -> Result<Self, String> {
        let known: BTreeSet<&str> = self.features.iter().map(|f| f.name.as_str()).collect();
        if let Some(odd) = names.iter().find(|name| !known.contains(name.as_str())) {
            return Err(odd.clone());
        }
        let listed = || self.features.iter().filter(|f| names.contains(&f.name));
        let kinds: BTreeSet<FeatureKind> = listed().map(|f| f.kind).collect();
        let blocks: BTreeSet<_> = listed()
            .filter(|f| f.kind == FeatureKind::Block)
            .map(place)
            .collect();
        let keep = |feature: &Feature| {
            let of_block = [
                FeatureKind::Transition,
                FeatureKind::Stride,
                FeatureKind::Turn,
            ]
            .contains(&feature.kind);
            if kinds.contains(&feature.kind) {
                names.contains(&feature.name)
            } else if of_block && kinds.contains(&FeatureKind::Block) {
                blocks.contains(&place(feature))
            } else {
                true
            }
        };
        let kept: Vec<bool> = self.features.iter().map(keep).collect();
        if self.stored_digest.is_none() {
            self.stored_digest = Some(self.digest());
        }
        self.retain(&kept);
        Ok(self)
    }

    /// Leaves out features, and with them the parts of and by them.
    fn retain(&mut self, kept: &[bool]) {
        let mut next = 0;
        let numbers: Vec<Option<FeatureId>> = kept
            .iter()
            .map(|&kept| {
                kept.then(|| {
                    next += 1;
                    FeatureId(next - 1)
                })
            })
            .collect();
        let mut flags = kept.iter();
        self.features.retain(|_| *flags.next().unwrap_or(&true));
        let mut flags = kept.iter();
        self.columns.retain(|_| *flags.next().unwrap_or(&true));
        let number = |id: FeatureId| numbers.get(id.0 as usize).copied().flatten();
        let parts = self.parts.iter().filter_map(|part| {
            Some(Part {
                whole: number(part.whole)?,
                part: number(part.part)?,
                amount: part.amount,
            })
        });
        self.parts = parts.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ObservationId;

    fn feature(name: &str, kind: FeatureKind, block: Option<u32>) -> Feature {
        Feature {
            name: name.to_owned(),
            kind,
            block,
            method: block.map(|_| "m".to_owned()),
            ..Feature::default()
        }
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn dataset() -> Dataset {
        let features = vec![
            feature("b0", FeatureKind::Block, Some(0)),
            feature("opcode add", FeatureKind::Opcode, None),
            feature("b1", FeatureKind::Block, Some(1)),
            feature("b0 turns", FeatureKind::Turn, Some(0)),
            feature("b1 turns", FeatureKind::Turn, Some(1)),
        ];
        let part = |whole, part| Part {
            whole: FeatureId(whole),
            part: FeatureId(part),
            amount: f64::from(whole) + 1.0,
        };
        Dataset {
            columns: (0..5)
                .map(|i| vec![(ObservationId(0), f64::from(i))])
                .collect(),
            features,
            parts: vec![part(0, 1), part(2, 1)],
            ..Dataset::default()
        }
    }

    #[test]
    fn a_list_of_blocks_leaves_other_kinds_alone() {
        let some = dataset().with_only(&names(&["b1"])).unwrap();
        let left: Vec<&str> = some.features.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(left, ["opcode add", "b1", "b1 turns"]);
        let cells: Vec<f64> = some.columns.iter().map(|column| column[0].1).collect();
        assert_eq!(cells, [1.0, 2.0, 4.0]);
        let parts: Vec<_> = some
            .parts
            .iter()
            .map(|p| (p.whole.0, p.part.0, p.amount))
            .collect();
        assert_eq!(parts, [(1, 0, 3.0)], "of the block that is left");
        assert_eq!(
            some.digest(),
            dataset().digest(),
            "it is still the data that are stored"
        );
    }

    #[test]
    fn several_kinds_can_be_listed_and_an_unknown_name_is_told() {
        let some = dataset().with_only(&names(&["b0", "b1 turns"])).unwrap();
        let left: Vec<&str> = some.features.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(left, ["b0", "opcode add", "b1 turns"]);
        assert_eq!(
            dataset().with_only(&names(&["b0", "b9"])).unwrap_err(),
            "b9"
        );
    }
}
