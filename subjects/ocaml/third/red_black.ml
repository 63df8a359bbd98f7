(* what: Okasaki's red-black tree filled with random numbers, and its height
   family: balanced trees
   sizes: 100..8000/12 *)
type colour = Red | Black
type tree = Empty | Node of colour * tree * int * tree

let balance = function
  | Black, Node (Red, Node (Red, a, x, b), y, c), z, d
  | Black, Node (Red, a, x, Node (Red, b, y, c)), z, d
  | Black, a, x, Node (Red, Node (Red, b, y, c), z, d)
  | Black, a, x, Node (Red, b, y, Node (Red, c, z, d)) ->
    Node (Red, Node (Black, a, x, b), y, Node (Black, c, z, d))
  | colour, left, x, right -> Node (colour, left, x, right)

let insert x tree =
  let rec go = function
    | Empty -> Node (Red, Empty, x, Empty)
    | Node (colour, left, y, right) as here ->
      if x < y then balance (colour, go left, y, right)
      else if x > y then balance (colour, left, y, go right)
      else here
  in
  match go tree with
  | Node (_, left, y, right) -> Node (Black, left, y, right)
  | Empty -> Empty

let rec height = function
  | Empty -> 0
  | Node (_, left, _, right) -> 1 + max (height left) (height right)

let rec numbers n s = if n = 0 then [] else s :: numbers (n - 1) ((s * 4093 + 18257) mod 65536)
let input n = numbers n 3
let run l = height (List.fold_left (fun tree x -> insert x tree) Empty l)
