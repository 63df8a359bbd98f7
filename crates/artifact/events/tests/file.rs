//! What is written is read, what is cut is read up to there, and no bytes make the reader fail.

use pricetag_events::{
    Class, ClassId, Edge, Ending, Extent, Flag, Flags, Kind, Limits, MAGIC, Mark, Method, MethodId,
    Part, Place, Reader, Symbol, ThreadId, Writer,
};
use proptest::prelude::*;

fn facts(writer: &mut Writer<Vec<u8>>, kinds: u32) {
    let object = Class {
        name: "java/lang/Object".to_owned(),
        ..Class::default()
    };
    writer.class(&object).unwrap();
    let list = Class {
        name: "a/List".to_owned(),
        interface: true,
        interfaces: vec![ClassId(7)],
        bytes: Some(0),
        ..Class::default()
    };
    writer.class(&list).unwrap();
    for number in 0..kinds {
        let method = Method {
            class: ClassId(number % 2),
            name: format!("m{number}"),
            descriptor: "(I)V".to_owned(),
            flags: Flags::default().with(Flag::Native).with(Flag::Abstract),
            bytes: Some(number),
            instructions: None,
        };
        let method = writer.method(&method).unwrap();
        let kind = Kind {
            receiver: ClassId(0),
            method,
        };
        assert_eq!(writer.kind(kind).unwrap(), Symbol(number));
        assert_eq!(writer.kind(kind).unwrap(), Symbol(number));
    }
}

/// A block of a thread.
type Written = (u64, Option<u64>, u64, Vec<u32>);

fn written(blocks: &[Written], kinds: u32) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    facts(&mut writer, kinds);
    for (thread, start_ns, left_out, events) in blocks {
        let place = Place {
            thread: ThreadId(*thread),
            start_ns: *start_ns,
            left_out: *left_out,
        };
        writer.block(place, &symbols(events)).unwrap();
    }
    writer.finish(Some(99)).unwrap()
}

fn symbols(events: &[u32]) -> Vec<Symbol> {
    events.iter().map(|&e| Symbol(e)).collect()
}

fn read(bytes: &[u8]) -> (Vec<Written>, Ending) {
    let mut reader = Reader::new(bytes).unwrap();
    let (mut blocks, mut events) = (Vec::new(), Vec::new());
    for block in reader.by_ref() {
        block.decode(&mut events).unwrap();
        let place = block.place;
        let events = events.iter().map(|e| e.0).collect();
        blocks.push((place.thread.0, place.start_ns, place.left_out, events));
    }
    (blocks, reader.ending().clone())
}

#[test]
fn facts_come_back() {
    let bytes = written(&[(3, Some(5), 2, vec![0, 1, 2, 0, 1, 2])], 3);
    let (extent, dictionary) = Extent::scan(bytes.as_slice()).unwrap();
    assert_eq!(dictionary.classes[1].interfaces, [ClassId(7)]);
    assert_eq!(dictionary.classes[1].bytes, Some(0));
    assert!(dictionary.methods[2].flags.has(Flag::Native));
    assert!(!dictionary.methods[2].flags.has(Flag::Static));
    assert_eq!(dictionary.method_class(Symbol(1)), Some(ClassId(1)));
    assert_eq!(dictionary.method_name(MethodId(1)), "a/List.m1(I)V");
    assert_eq!((extent.total(), extent.left_out()), (6, 2));
    assert_eq!(extent.time_ns, Some((5, 99)));
    assert_eq!(extent.ending, Ending::Whole(Some(99)));
}

#[test]
fn events_of_a_thread_are_numbered_with_those_left_out() {
    let bytes = written(
        &[
            (1, None, 0, vec![0; 5]),
            (2, None, 0, vec![0]),
            (1, None, 7, vec![0; 2]),
        ],
        1,
    );
    let firsts: Vec<u64> = Reader::new(bytes.as_slice())
        .unwrap()
        .map(|b| b.first)
        .collect();
    assert_eq!(firsts, [0, 0, 12]);
}

#[test]
fn what_is_not_declared_is_refused() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let kind = Kind::default();
    assert!(writer.method(&Method::default()).is_err());
    assert!(writer.kind(kind).is_err());
    assert!(writer.block(Place::default(), &[Symbol(0)]).is_err());
}

#[test]
fn a_cut_file_is_read_up_to_there() {
    let bytes = written(&[(0, None, 0, vec![0, 1, 0]), (0, None, 0, vec![1, 1])], 2);
    for length in 20..bytes.len() {
        let (blocks, ending) = read(&bytes[..length]);
        let Ending::Cut(stop) = ending else {
            panic!("{length} of {} bytes are not the whole", bytes.len());
        };
        assert!(stop.offset <= length as u64);
        assert!(blocks.len() <= 2);
    }
    assert!(Reader::new(&bytes[..19]).is_err());
    assert!(Reader::new(&b"something else, long enough"[..]).is_err());
}

#[test]
fn what_follows_the_last_frame_is_told() {
    let mut bytes = written(&[(1, None, 0, vec![0, 1, 0])], 2);
    assert!(matches!(read(&bytes).1, Ending::Whole(_)));
    bytes.push(0);
    let (blocks, ending) = read(&bytes);
    assert_eq!(blocks.len(), 1);
    assert!(!matches!(ending, Ending::Whole(_)), "{ending:?}");
}

#[test]
fn a_changed_byte_is_found() {
    let bytes = written(&[(0, None, 0, vec![0, 1, 0])], 2);
    for at in 20..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(matches!(read(&changed).1, Ending::Cut(_)), "byte {at}");
    }
}

#[test]
fn a_hostile_length_allocates_nothing() {
    let mut bytes = written(&[], 1);
    bytes.truncate(20);
    bytes.extend([2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1]);
    let (_, ending) = read(&bytes);
    assert!(ending.to_string().contains("are allowed"), "{ending}");
    let bytes = written(&[(0, None, 0, vec![0])], 1000);
    let limits = Limits {
        dictionary: 10_000,
        ..Limits::default()
    };
    let mut reader = Reader::with_limits(bytes.as_slice(), limits).unwrap();
    assert_eq!(reader.by_ref().count(), 0);
    assert!(reader.ending().to_string().contains("more memory"));
}

#[test]
fn loops_take_little_room() {
    let events: Vec<u32> = (0..100_000).map(|i| i % 7).collect();
    let bytes = written(&[(0, None, 0, events)], 7);
    assert!(bytes.len() < 1000, "{} bytes", bytes.len());
}

fn blocks() -> impl Strategy<Value = Vec<Written>> {
    let events = prop_oneof![
        prop::collection::vec(0..40_u32, 0..400),
        (1..9_u32, 0..300_usize)
            .prop_map(|(n, length)| (0..length as u32).map(|i| i % n).collect()),
    ];
    let block = (0..3_u64, prop::option::of(0..1000_u64), 0..3_u64, events);
    prop::collection::vec(block, 0..8)
}

proptest! {
    #[test]
    fn what_is_written_is_read(blocks in blocks()) {
        let (again, ending) = read(&written(&blocks, 40));
        let expected: Vec<Written> = blocks.into_iter().filter(|b| b.2 > 0 || !b.3.is_empty()).collect();
        prop_assert_eq!(again, expected);
        prop_assert_eq!(ending, Ending::Whole(Some(99)));
    }

    #[test]
    fn no_bytes_make_the_reader_fail(bytes in prop::collection::vec(any::<u8>(), 0..300), blocks in blocks(), at in any::<prop::sample::Index>()) {
        let mut file = written(&blocks, 40);
        let at = at.index(file.len());
        let keep = file.len().min(at + bytes.len());
        file.splice(at..keep, bytes);
        let mut events = Vec::new();
        if let Ok(reader) = Reader::new(file.as_slice()) {
            for block in reader {
                let _ = block.decode(&mut events);
            }
        }
    }
}

/// Marks of calls with three events each, one behind the other.
fn marks(calls: std::ops::Range<u64>) -> Vec<Mark> {
    let mark = |call, edge, at| Mark {
        thread: ThreadId(1),
        call,
        edge,
        at,
    };
    calls
        .flat_map(|call| {
            let ends = if call % 1000 == 7 {
                Edge::GivenUp
            } else {
                Edge::Ends
            };
            [
                mark(call, Edge::Begins, 3 * call),
                mark(call, ends, 3 * call + 3),
            ]
        })
        .collect()
}

#[test]
fn marks_take_next_to_no_room_and_come_back() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    facts(&mut writer, 3);
    for batch in 0..100 {
        let place = Place {
            thread: ThreadId(1),
            ..Place::default()
        };
        writer
            .block(place, &symbols(&[0, 1, 2].repeat(2000)))
            .unwrap();
        assert_eq!(writer.next_event(ThreadId(1)), (batch + 1) * 6000);
        writer
            .marks(ThreadId(1), &marks(batch * 2000..(batch + 1) * 2000))
            .unwrap();
    }
    let bytes = writer.finish(None).unwrap();
    // 600,000 events in 200,000 calls.
    assert!(bytes.len() < 30_000, "{}", bytes.len());
    let mut reader = Reader::new(bytes.as_slice()).unwrap();
    assert_eq!(
        reader.by_ref().map(|b| u64::from(b.count)).sum::<u64>(),
        600_000
    );
    assert!(matches!(reader.ending(), Ending::Whole(_)));
    assert_eq!(reader.marks(), marks(0..200_000));
    // What a crash leaves: no call is whole without its events.
    for length in (20..bytes.len()).step_by(97) {
        let mut reader = Reader::new(&bytes[..length]).unwrap();
        let there: u64 = reader.by_ref().map(|b| u64::from(b.count)).sum();
        assert!(matches!(reader.ending(), Ending::Cut(_)));
        assert!(reader.marks().iter().all(|mark| mark.at <= there));
    }
}

/// The checksum of a frame, by its definition (ISO 3309).
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ (sum & 1).wrapping_neg() & 0xEDB8_8320;
        }
    }
    !sum
}

#[test]
fn marks_of_version_1_are_read_and_later_versions_are_refused() {
    let versioned = |version: u32| [&MAGIC[..], &version.to_le_bytes()].concat();
    let frame = |kind: u8, payload: &[u8]| {
        let sum = checksum(&[&[kind], payload].concat());
        let length = payload.len() as u32;
        [
            &[kind][..],
            &length.to_le_bytes(),
            &sum.to_le_bytes(),
            payload,
        ]
        .concat()
    };
    // Thread 9, call 300: it begins before event 5, and ends before event 7.
    let begins = frame(4, &[9, 0xac, 2, 0, 5]);
    let ends = frame(4, &[9, 0xac, 2, 1, 7]);
    let bytes = [versioned(1), begins, ends, frame(3, &[0])].concat();
    let mut reader = Reader::new(bytes.as_slice()).unwrap();
    assert_eq!(reader.by_ref().count(), 0);
    assert_eq!(*reader.ending(), Ending::Whole(None));
    let told: Vec<_> = reader
        .marks()
        .iter()
        .map(|m| (m.thread.0, m.call, m.edge, m.at))
        .collect();
    assert_eq!(told, [(9, 300, Edge::Begins, 5), (9, 300, Edge::Ends, 7)]);
    for unknown in [0, 3] {
        let Err(stop) = Reader::new(versioned(unknown).as_slice()) else {
            panic!("version {unknown} is read");
        };
        assert!(
            stop.to_string()
                .contains(&format!("version {unknown}, and 1 to 2 are known")),
            "{stop}"
        );
    }
}

#[test]
fn parts_are_read_as_blocks_and_gaps_take_next_to_no_room() {
    let part = |left_out, events| Part { left_out, events };
    let mut writer = Writer::new(Vec::new()).unwrap();
    facts(&mut writer, 3);
    let thread = ThreadId(1);
    let parts = [part(5, 2), part(1, 1), part(7, 3)];
    writer
        .parts(thread, Some(9), &parts, &symbols(&[0, 1, 2, 0, 0, 1]))
        .unwrap();
    assert_eq!(writer.next_event(thread), 5 + 2 + 1 + 1 + 7 + 3);
    writer
        .parts(thread, None, &[part(2, 1)], &symbols(&[2]))
        .unwrap();
    // Parts have to be those of the events.
    for wrong in [
        &[part(0, 1), part(0, 2)][..],
        &[part(0, 2), part(1, 0)],
        &[],
    ] {
        assert!(
            writer
                .parts(thread, None, wrong, &symbols(&[2, 2]))
                .is_err()
        );
    }
    assert!(
        writer
            .parts(thread, None, &[part(0, 1), part(1, 1)], &symbols(&[2, 3]))
            .is_err()
    );
    let bytes = writer.finish(None).unwrap();
    let (blocks, ending) = read(&bytes);
    assert_eq!(
        blocks,
        [
            (1, Some(9), 5, vec![0, 1]),
            (1, None, 1, vec![2]),
            (1, None, 7, vec![0, 0, 1]),
            (1, None, 2, vec![2]),
        ]
    );
    assert!(matches!(ending, Ending::Whole(_)));
    let firsts: Vec<u64> = Reader::new(bytes.as_slice())
        .unwrap()
        .map(|b| b.first)
        .collect();
    assert_eq!(firsts, [5, 8, 16, 21]);
    let (extent, _) = Extent::scan(bytes.as_slice()).unwrap();
    assert_eq!((extent.total(), extent.left_out()), (7, 15));
    for at in 20..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(matches!(read(&changed).1, Ending::Cut(_)), "byte {at}");
    }
    // 200,000 calls of three events, each with one left out before it.
    let mut writer = Writer::new(Vec::new()).unwrap();
    facts(&mut writer, 3);
    for _ in 0..100 {
        let events = symbols(&[0, 1, 2].repeat(2000));
        writer
            .parts(thread, None, &vec![part(1, 3); 2000], &events)
            .unwrap();
    }
    let bytes = writer.finish(None).unwrap();
    assert!(bytes.len() < 20_000, "{}", bytes.len());
}
