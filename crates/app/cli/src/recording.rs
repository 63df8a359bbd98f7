//! How the dataset of a model was recorded, so that what it is asked of is counted alike; and opcode categories by name or file.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_flow::{Categories, CategoryError};
use pricetag_trace::{BlockName, Listed, MethodName, Pattern};

use crate::failure::Failure;

/// Key of the opcode categories among the options of a recording.
pub const CATEGORIES: &str = "categories";

/// `fine`, `lata` or a file.
pub fn categories(choice: &str) -> Result<Categories, Failure> {
    let found = Categories::named(choice);
    found.map_or_else(
        || Categories::load(Path::new(choice)).map_err(|e| refused(&e)),
        Ok,
    )
}

/// The categories that a recording names.
pub fn written(text: &str) -> Result<Categories, Failure> {
    Categories::from_text(text).map_err(|e| refused(&e))
}

fn refused(error: &CategoryError) -> Failure {
    let failure = match error {
        CategoryError::Read { .. } => Failure::new(error.to_string()),
        _ => Failure::usage(error.to_string()),
    };
    failure.advice(error.advice())
}

/// What the provenance of a model says of its recording.
pub struct Recording<'m> {
    options: &'m BTreeMap<String, String>,
    /// Its command, with placeholders.
    pub subject: &'m [String],
}

impl<'m> Recording<'m> {
    /// Of a model; one of an older version says nothing.
    pub fn of(model: &'m CostModel) -> Self {
        Self {
            options: &model.provenance.recording,
            subject: &model.provenance.subject,
        }
    }

    fn words(&self, key: &str) -> impl Iterator<Item = &'m str> {
        let text = self.options.get(key).map_or("", String::as_str);
        text.split(' ').filter(|word| !word.is_empty())
    }

    /// What stood for the standard input, with placeholders, if the program read one.
    pub fn stdin(&self) -> Option<&'m str> {
        let text = self.options.get("stdin").map(String::as_str);
        text.filter(|text| !text.is_empty())
    }

    /// Whether an option had this value.
    pub fn was(&self, key: &str, value: &str) -> bool {
        self.options.get(key).is_some_and(|found| found == value)
    }

    /// Patterns of `include` or `exclude`: those of the command line, else those of the recording.
    pub fn patterns(&self, key: &str, given: &[Pattern]) -> Result<Vec<Pattern>, Failure> {
        if !given.is_empty() {
            return Ok(given.to_vec());
        }
        let recorded = self.words(key).map(Pattern::new);
        recorded.collect::<Result<_, _>>().map_err(|e| {
            Failure::new(format!("the model's option `{key}` is unreadable: {e}"))
                .advice(format!("give --{key} as when recording"))
        })
    }

    /// The methods or blocks that were counted: those of the command line, else those of the recording.
    pub fn listed(&self, given: Listed) -> Result<Listed, Failure> {
        if given != Listed::Everything {
            return Ok(given);
        }
        let unreadable = |kind: &str| {
            Failure::new(format!("the model's list of counted {kind} is unreadable"))
                .advice(format!("give the file of --{kind} as when recording"))
        };
        // A method's name may have a space in it.
        let methods = self.words("methods").map(str::parse);
        let methods: Vec<MethodName> = methods
            .collect::<Result<_, _>>()
            .map_err(|_| unreadable("methods"))?;
        let blocks = self.options.get("blocks").map_or("", String::as_str);
        let blocks = blocks.lines().map(str::parse);
        let blocks: Vec<BlockName> = blocks
            .collect::<Result<_, _>>()
            .map_err(|_| unreadable("blocks"))?;
        Listed::of(methods, blocks).ok_or_else(|| unreadable("blocks"))
    }

    /// How opcodes were grouped, as text.
    pub fn categories(&self) -> &'m str {
        self.options.get(CATEGORIES).map_or("fine", String::as_str)
    }
}

/// Refuses a dataset whose opcodes are grouped otherwise than those a model prices: their counts would be taken for 0.
pub fn check_categories(model: &CostModel, dataset: &Dataset) -> Result<(), Failure> {
    let theirs = dataset.meta.options.get(CATEGORIES);
    let ours = model.provenance.recording.get(CATEGORIES);
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        return Ok(());
    };
    let priced = model.domain.keys().any(|name| name.starts_with("opcode "));
    if !priced || theirs == ours {
        return Ok(());
    }
    let short = |text: &str| match Categories::named(text) {
        Some(_) => format!("`{text}`"),
        None => "a table of its own".to_owned(),
    };
    let why = format!(
        "the model's opcodes are grouped by {}, the dataset's by {}",
        short(ours),
        short(theirs)
    );
    Err(Failure::new(why)
        .advice("record the dataset with the --categories of the model's, or fit a model to it"))
}
