//! The control programs that come with Pricetag: written for it, none of them used in training.
//!
//! They stand in `subjects/ocaml/controls`: list functions, problems of the kind of "99 problems", sorting, trees, arithmetic, matrices, functions
//! of functions, search, and programs that make the collector run.

use crate::program::Program;

macro_rules! controls {
    ($($name:ident)*) => {
        /// Name and file of each.
        const FILES: &[(&str, &str)] = &[$((
            stringify!($name),
            include_str!(concat!("../../../../subjects/ocaml/controls/", stringify!($name), ".ml")),
        ),)*];
    };
}

controls! {
    ackermann append append_reversed append_two assoc balanced bubble_sort collatz compose_all
    compress derivative digits drop_every duplicate encode exists_all factorial factorial_halves
    factorial_tail fibonacci fibonacci_loop filter_even flatten fold_right_copy fold_sum
    gc_append gc_closures gc_init gc_map_chain gc_pairs gc_queue gc_sort gc_trees gcd_all hanoi
    horner insertion_sort integral is_prime kth last length length_tail map_add map_sign
    matrix_add matrix_times mean_variance member member_any merge_sort newton pack perfect
    power_fast power_linear queens quick_sort reverse reverse_append rotate selection_sort
    sieve_mod sieve_root sieve_trial split_at subsets sum_direct transpose tree_depth tree_insert
    tree_list tree_mirror tree_sum unzip zip
}

/// All control programs, by name.
///
/// # Panics
/// If one of them is malformed, which a test rules out.
pub fn programs() -> Vec<Program> {
    FILES
        .iter()
        .map(|(name, text)| {
            Program::parse(name, text).unwrap_or_else(|e| panic!("a control program: {e}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Programs that no price was chosen by until the model of decision 008 was settled; they were looked at when that of decision 016 was made.
    const FRESH: &str = "binomial binomial_rows bit_count coins escape evaluate first_negative gc_continuations gc_filter gc_grow gc_points \
        gc_tables gray greatest heap_sort intersperse iterate_pairs look_up machine many_children matrix_vector merge_up palindrome points \
        power_modulo quotients running_sums same_lists scale_rows slice spring square_roots take_while totient tree_sort union_sorted \
        with_continuation word_count zip_with";

    /// Programs that no price was chosen by: whoever looks at their errors while the model changes makes them ordinary controls. No test can see that.
    const SECOND: &str = "binary_counter catalan decode edit_distance fib_matrix gc_numerals gc_options gc_zigzag hamming josephus knapsack \
        level_order logistic newton_int poly_times simplify spread stable_partition sum_left sum_right";

    /// Forty programs of other kinds, written before any error of theirs was known: modules, mutable data, texts, tables, interpreters.
    const THIRD: &str = "arithmetic_parser bankers_queue big_factorial bookings brainfuck combinators convex_hull crc csv_lines \
        determinant dijkstra fenwick fft floyd_warshall functor_sets heat huffman jumps justify knapsack_array kruskal \
        lambda life lru_cache maze numbered_leaves queens_bits red_black regex_derivatives rover segment_tree shapes \
        sudoku_check tokens topological trie triples unify vigenere word_table";

    #[test]
    fn fresh_sets_are_complete_and_countable_and_no_text_of_them_is_a_known_programs() {
        let mut known: Vec<String> = training::programs().into_iter().map(|p| p.source).collect();
        known.extend(programs().into_iter().map(|p| p.source));
        for (set, listed) in [("fresh", FRESH), ("second", SECOND), ("third", THIRD)] {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../subjects/ocaml");
            let mut found = BTreeSet::new();
            for file in std::fs::read_dir(Path::new(folder).join(set)).unwrap() {
                let path = file.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&path).unwrap();
                let program = Program::parse(&name, &text).unwrap();
                assert!(!known.contains(&program.source), "{name} is known");
                assert!(program.sizes.len() >= 10 && !program.family.is_empty());
                crate::counting::trial(&program).unwrap_or_else(|e| panic!("{name}: {e}"));
                known.push(program.source);
                found.insert(name);
            }
            let listed = listed.split_whitespace().map(str::to_owned);
            assert_eq!(found, listed.collect::<BTreeSet<_>>());
        }
    }

    #[test]
    fn every_file_is_in_the_list_and_no_text_of_it_is_trained_with() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../subjects/ocaml/controls"
        );
        let files = std::fs::read_dir(folder).unwrap().count();
        let programs = programs();
        assert_eq!(files, programs.len());
        assert_eq!(programs.len(), 76);
        let trained: Vec<String> = training::programs().into_iter().map(|p| p.source).collect();
        for p in &programs {
            assert!(!trained.contains(&p.source), "{} is trained with", p.name);
            assert!(
                p.sizes.len() >= 10 && !p.family.is_empty() && !p.what.is_empty(),
                "{}",
                p.name
            );
        }
    }
}
