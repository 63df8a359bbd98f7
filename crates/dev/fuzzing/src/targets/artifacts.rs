//! Files of Pricetag: traces, plans, options, formulas and models.
//!
//! Checksums would keep a fuzzer out, so traces and plans are also tried with the checksum put right.

use std::path::Path;

use pricetag_cost_model::{CostModel, Formula};
use pricetag_probe_plan::{ClassPlan, PLAN_VERSION};
use pricetag_trace::{AgentOptions, Record, TRACE_VERSION, Trace, TraceWriter};
use twox_hash::XxHash3_128;

/// Reading a trace stops at its first damage; what was read is written and read again as the same records.
///
/// # Panics
/// If that does not hold.
pub fn trace(bytes: &[u8]) {
    one_trace(bytes);
    one_trace(&with_frames(bytes));
}

fn one_trace(bytes: &[u8]) {
    let path = Path::new("fuzz.trace");
    let Ok(trace) = Trace::from_bytes(bytes, path) else {
        return;
    };
    let _ = (trace.to_string(), trace.incomplete_reason());
    assert_eq!(
        trace.complete,
        trace.damage.is_none() && trace.records.last() == Some(&Record::End)
    );
    let written = records_of(&trace);
    let again = Trace::from_bytes(&written, path).expect("what was just written");
    assert!(again.damage.is_none() && again.records.len() == trace.records.len());
    // NaN is not equal to itself: what is compared is the bytes.
    assert_eq!(records_of(&again), written);
}

fn records_of(trace: &Trace) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), Path::new("fuzz.trace"));
    for record in &trace.records {
        writer.write(record).expect("a record that was read");
    }
    writer.finish().expect("memory")
}

/// `bytes` as frames with right checksums: kind, length (one byte), payload, and so on.
fn with_frames(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"PTRACE\r\n".to_vec();
    out.extend(TRACE_VERSION.to_le_bytes());
    let mut rest = bytes;
    while let [kind, length, tail @ ..] = rest {
        let (payload, tail) = tail.split_at(tail.len().min(usize::from(*length)));
        let length = (payload.len() as u32).to_le_bytes();
        let kind = kind % 13;
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&[kind]);
        checksum.update(&length);
        checksum.update(payload);
        out.push(kind);
        out.extend(length);
        out.extend(checksum.finalize().to_le_bytes());
        out.extend(payload);
        rest = tail;
    }
    out
}

/// A plan is read or refused, also where someone forged the checksum; what was read is stored as the same plan, and
/// deriving counts from whatever it says never panics.
///
/// # Panics
/// If that does not hold.
pub fn plan(bytes: &[u8]) {
    one_plan(bytes);
    let mut forged = b"PTPLAN\0\x01".to_vec();
    forged.extend(PLAN_VERSION.to_le_bytes());
    forged.extend((bytes.len() as u32).to_le_bytes());
    forged.extend(bytes);
    let checksum = XxHash3_128::oneshot(&forged);
    forged.extend(checksum.to_le_bytes());
    one_plan(&forged);
}

fn one_plan(bytes: &[u8]) {
    let Ok(plan) = ClassPlan::from_bytes(bytes) else {
        return;
    };
    let stored = plan.to_bytes().expect("a plan is stored");
    assert_eq!(ClassPlan::from_bytes(&stored).as_ref(), Ok(&plan));
    let _ = plan.to_string();
    let counters: Vec<u64> = (0..u64::from(plan.counters.min(64))).collect();
    for method in &plan.methods {
        if let Ok(counts) = method.derive(&counters, &[]) {
            let _ = (method.invocations(&counts), method.returns(&counts));
            let _ = (
                method.loop_counts(&counts),
                method.opcodes(&counts),
                method.calls(&counts),
            );
        }
        let _ = method.uncounted_throws();
    }
}

/// Options are read or refused; what was read is written and read again as the same options.
///
/// # Panics
/// If that does not hold.
pub fn agent_options(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(options) = text.parse::<AgentOptions>() {
        let _ = (options.selects("java/util/List"), options.selects(&text));
        assert_eq!(
            options.to_text().parse::<AgentOptions>().as_ref().ok(),
            Some(&options)
        );
    }
}

/// A formula is read or refused. What was read prints to a formula of the same values, and can be simplified and
/// derived.
///
/// # Panics
/// If that does not hold.
pub fn formula(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(formula) = Formula::parse(text) else {
        return;
    };
    let _ = formula.text();
    let names = formula.features();
    let printed = formula.source();
    let again = Formula::parse(&printed);
    if !formula.is_finite() {
        return;
    }
    let again = again.unwrap_or_else(|error| panic!("`{printed}` cannot be read again: {error}"));
    for scale in [1.0, -3.0, 0.25] {
        let value = |name: &str| {
            let index = names.iter().position(|n| *n == name)?;
            Some(scale * (index as f64 + 1.5))
        };
        let (first, second) = (formula.evaluate(&value), again.evaluate(&value));
        let bits = |v: f64| if v.is_nan() { None } else { Some(v.to_bits()) };
        if let (Ok(first), Ok(second)) = (&first, &second) {
            assert_eq!(
                bits(*first),
                bits(*second),
                "`{text}` and `{printed}` differ"
            );
        } else {
            assert_eq!(
                first.is_ok(),
                second.is_ok(),
                "`{text}` and `{printed}` differ"
            );
        }
    }
}

/// A model is read or refused; what was read is written and read again as the same model.
///
/// # Panics
/// If that does not hold.
pub fn model(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(model) = CostModel::from_json(text) {
        let written = model.to_json().expect("a model that was read");
        let again = CostModel::from_json(&written).expect("a model just written");
        assert_eq!(again.to_json().expect("a model just read"), written);
    }
}
