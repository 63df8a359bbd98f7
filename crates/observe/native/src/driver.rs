//! The executable that holds all programs and measures the one it is told to.
//!
//! Written in OCaml around the programs, with a clock in C (`clock_gettime`, `[@@noalloc]`): the clock of OCaml's library ticks in
//! microseconds. Before every sample the minor heap is emptied, and the major heap too where a run collects, so that samples begin
//! alike. The major heap is never compacted: emptied, it would be given back to the system, and samples would differ by what it takes to map
//! it again. How long a loop of a fixed length takes before each size says whether the processor was shared. Bytes and collections are read once per size, apart from the timing, since the reading allocates.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::assembly;
use crate::error::NativeError;
use crate::program::Program;
use crate::toolchain::{FLAGS, Ocaml};

const CLOCK: &str = r"#include <time.h>
#include <caml/mlvalues.h>

CAMLprim value pricetag_clock(value unit)
{
  struct timespec t;
  (void)unit;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Val_long((intnat)t.tv_sec * 1000000000 + t.tv_nsec);
}
";

const MEASURE: &str = r#"external clock : unit -> int = "pricetag_clock" [@@noalloc]

(* How long the same work takes now, independent operations: what else runs on the core takes their room. *)
let rec work n a b c d = if n = 0 then a + b + c + d else work (n - 1) (a + n) (b - n) (c lxor n) (d lor n)
let pace = ref []
let take_pace () =
  let begun = clock () in
  ignore (Sys.opaque_identity (work 20_000 1 2 3 4));
  pace := (clock () - begun) :: !pace

let seen = Array.make 8 0.

let[@inline never] note at =
  let s = Gc.quick_stat () in
  seen.(at) <- s.Gc.promoted_words;
  seen.(at + 1) <- float_of_int s.Gc.minor_collections;
  seen.(at + 2) <- float_of_int s.Gc.major_collections

let[@inline never] measure input run samples size =
  let x = Sys.opaque_identity (input size) in
  Gc.full_major ();
  note 0;
  Gc.minor ();
  seen.(6) <- Gc.minor_words ();
  ignore (Sys.opaque_identity (run x));
  seen.(7) <- Gc.minor_words ();
  note 3;
  let collections = seen.(4) -. seen.(1) -. 1. in
  Printf.printf "%d %.0f %.0f %.0f %.0f" size (8. *. (seen.(7) -. seen.(6)))
    collections (seen.(3) -. seen.(0)) (seen.(5) -. seen.(2));
  let times = Array.make samples 0 in
  for i = 0 to samples - 1 do
    if collections > 0. then Gc.full_major () else Gc.minor ();
    let begun = clock () in
    let r = run x in
    let ended = clock () in
    ignore (Sys.opaque_identity r);
    times.(i) <- ended - begun
  done;
  Array.iter (Printf.printf " %d") times;
  print_newline ()

let () =
  Gc.set { (Gc.get ()) with Gc.max_overhead = 1_000_000 };
  let samples = int_of_string Sys.argv.(2) in
  for i = 3 to Array.length Sys.argv - 1 do
    let size = int_of_string Sys.argv.(i) in
    take_pace ();
    match Sys.argv.(1) with
"#;

/// Programs compiled into one executable.
#[derive(Debug)]
pub(crate) struct Built {
    /// The executable.
    pub driver: PathBuf,
    /// Programs left out, with the reason, parallel to what was given.
    pub refused: Vec<Option<String>>,
}

fn unit(program: &Program) -> String {
    format!("p_{}", program.name)
}

/// Compiles the programs, checks their machine code, and links those that are in order.
pub(crate) fn build(
    ocaml: &Ocaml,
    programs: &[Program],
    folder: &Path,
) -> Result<Built, NativeError> {
    for program in programs {
        write(folder, &format!("{}.ml", unit(program)), &program.source)?;
    }
    let refused = compile(ocaml, programs, folder);
    if refused.iter().all(Option::is_some) {
        return Err(NativeError::NothingLeft {
            total: programs.len(),
            first: refused.into_iter().flatten().next().unwrap_or_default(),
        });
    }
    let kept: Vec<&Program> = programs
        .iter()
        .zip(&refused)
        .filter(|(_, r)| r.is_none())
        .map(|(p, _)| p)
        .collect();
    link(ocaml, &kept, folder)?;
    Ok(Built {
        driver: folder.join("driver.exe"),
        refused,
    })
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), NativeError> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(NativeError::io("write", &path))
}

fn options() -> Vec<String> {
    let mut options = vec!["-S".to_owned(), "-w".to_owned(), "-a".to_owned()];
    options.extend(FLAGS.map(str::to_owned));
    options.push("-c".to_owned());
    options
}

/// Reasons of refusal. All programs in one go; one by one if that fails, to know which it was.
fn compile(ocaml: &Ocaml, programs: &[Program], folder: &Path) -> Vec<Option<String>> {
    let mut all = options();
    all.extend(programs.iter().map(|p| unit(p) + ".ml"));
    let together = ocaml.run(folder, &all).is_ok();
    let check = |program: &Program| {
        if !together {
            let mut one = options();
            one.push(unit(program) + ".ml");
            ocaml.run(folder, &one).map_err(|e| e.to_string())?;
        }
        let listing = std::fs::read_to_string(folder.join(unit(program) + ".s"))
            .map_err(|e| format!("its machine code cannot be read: {e}"))?;
        assembly::check(&listing, &ocaml.architecture, &program.expectations)
    };
    programs.iter().map(|p| check(p).err()).collect()
}

fn link(ocaml: &Ocaml, kept: &[&Program], folder: &Path) -> Result<(), NativeError> {
    let mut driver = MEASURE.to_owned();
    for program in kept {
        let module = format!("P_{}", program.name);
        // Writing into a string cannot fail.
        writeln!(
            driver,
            "    | \"{}\" -> measure {module}.input {module}.run samples size",
            program.name
        )
        .ok();
    }
    driver.push_str("    | other -> failwith other\n  done;\n");
    driver.push_str("  take_pace ();\n  print_string \"pace\";\n");
    driver.push_str("  List.iter (Printf.printf \" %d\") !pace;\n  print_newline ()\n");
    write(folder, "driver.ml", &driver)?;
    write(folder, "clock.c", CLOCK)?;
    let mut arguments: Vec<String> = ["-w", "-a", "-ccopt", "-O2", "-o", "driver.exe", "clock.c"]
        .map(str::to_owned)
        .into();
    arguments.extend(kept.iter().map(|p| unit(p) + ".cmx"));
    arguments.push("driver.ml".to_owned());
    ocaml.run(folder, &arguments)
}
