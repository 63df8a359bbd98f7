(* what: labels of a tree level by level, by a queue of two lists
   family: trees
   sizes: 1000..20000/12 *)
type tree = Leaf | Node of tree * int * tree
let rec full a b = if a > b then Leaf else let m = (a + b) / 2 in Node (full a (m - 1), m, full (m + 1) b)
let rec turn l acc = match l with [] -> acc | x :: rest -> turn rest (x :: acc)
let rec walk front back acc = match front with
  | [] -> (match back with [] -> acc | _ -> walk (turn back []) [] acc)
  | Leaf :: rest -> walk rest back acc
  | Node (l, x, r) :: rest -> walk rest (r :: l :: back) (x :: acc)
let input n = full 1 n
let run t = walk [t] [] []
