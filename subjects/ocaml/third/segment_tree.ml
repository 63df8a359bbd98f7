(* what: smallest numbers of ranges while single numbers change, by a segment tree
   family: trees in arrays
   sizes: 100..4000/12 *)
let rec build tree numbers node low high =
  if low = high then tree.(node) <- numbers.(low)
  else begin
    let middle = (low + high) / 2 in
    build tree numbers (2 * node) low middle;
    build tree numbers ((2 * node) + 1) (middle + 1) high;
    tree.(node) <- min tree.(2 * node) tree.((2 * node) + 1)
  end

let rec update tree node low high position (value : int) =
  if low = high then tree.(node) <- value
  else begin
    let middle = (low + high) / 2 in
    if position <= middle then update tree (2 * node) low middle position value
    else update tree ((2 * node) + 1) (middle + 1) high position value;
    tree.(node) <- min tree.(2 * node) tree.((2 * node) + 1)
  end

let rec least (tree : int array) node low high first last =
  if last < low || high < first then max_int
  else if first <= low && high <= last then tree.(node)
  else
    let middle = (low + high) / 2 in
    min (least tree (2 * node) low middle first last) (least tree ((2 * node) + 1) (middle + 1) high first last)

let input n = Array.init n (fun i -> i * 7919 mod 10007)

let run numbers =
  let n = Array.length numbers in
  let tree = Array.make (4 * n) max_int in
  build tree numbers 1 0 (n - 1);
  let sum = ref 0 in
  for k = 0 to (n / 4) - 1 do
    let first = k * 31 mod n in
    sum := !sum + least tree 1 0 (n - 1) first (min (n - 1) (first + (n / 3)));
    update tree 1 0 (n - 1) (k * 17 mod n) (k * 101 mod 10007)
  done;
  !sum
