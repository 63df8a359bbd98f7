(* what: sum over a tree whose nodes have lists of children
   family: trees
   sizes: 1000..20000/12 *)
type rose = Rose of int * rose list
let rec make n = if n < 4 then Rose (n, []) else let k = (n - 1) / 3 in Rose (n, [make k; make k; make k])
let rec sum t = match t with Rose (x, children) -> x + sums children
and sums l = match l with [] -> 0 | t :: rest -> sum t + sums rest
let input n = make n
let run t = sum t
