(* what: inversions of a permutation, counted with a Fenwick tree
   family: trees in arrays
   sizes: 100..8000/12 *)
let add tree position amount =
  let i = ref position in
  while !i < Array.length tree do
    tree.(!i) <- tree.(!i) + amount;
    i := !i + (!i land - !i)
  done

let prefix_sum tree position =
  let sum = ref 0 in
  let i = ref position in
  while !i > 0 do
    sum := !sum + tree.(!i);
    i := !i - (!i land - !i)
  done;
  !sum

let inversions numbers =
  let n = Array.length numbers in
  let tree = Array.make (n + 1) 0 in
  let total = ref 0 in
  for k = n - 1 downto 0 do
    total := !total + prefix_sum tree (numbers.(k) - 1);
    add tree numbers.(k) 1
  done;
  !total

let input n =
  let numbers = Array.init n (fun i -> i + 1) in
  let seed = ref 7 in
  for i = n - 1 downto 1 do
    seed := (!seed * 1103 + 12345) mod 32768;
    let j = !seed mod (i + 1) in
    let x = numbers.(i) in
    numbers.(i) <- numbers.(j);
    numbers.(j) <- x
  done;
  numbers

let run numbers = inversions numbers
