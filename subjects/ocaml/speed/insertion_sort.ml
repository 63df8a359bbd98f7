(* Comparisons, and lists that soon die. *)
let rec insert x sorted =
  match sorted with
  | [] -> [ x ]
  | y :: rest -> if x <= y then x :: sorted else y :: insert x rest

let rec sort numbers =
  match numbers with [] -> [] | x :: rest -> insert x (sort rest)

let rec numbers n seed made =
  if n = 0 then made
  else numbers (n - 1) (((seed * 75) + 74) mod 65537) (seed :: made)

let result = sort (numbers 3000 17 [])
