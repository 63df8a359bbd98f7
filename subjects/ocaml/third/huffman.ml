(* what: Huffman's code for symbols of given weights, and the length of what it writes
   family: codes
   sizes: 10..340/12 *)
type tree = Leaf of int * int | Fork of int * tree * tree

let weight = function Leaf (w, _) -> w | Fork (w, _, _) -> w

let rec insert tree = function
  | first :: rest when weight first < weight tree -> first :: insert tree rest
  | trees -> tree :: trees

let rec build = function
  | [] -> invalid_arg "build"
  | [ tree ] -> tree
  | a :: b :: rest -> build (insert (Fork (weight a + weight b, a, b)) rest)

let codes tree =
  let rec walk bits tree found =
    match tree with
    | Leaf (w, symbol) -> (symbol, w, List.rev bits) :: found
    | Fork (_, a, b) -> walk (false :: bits) a (walk (true :: bits) b found)
  in
  walk [] tree []

let input n = List.init n (fun i -> (1 + (i * i * 7 mod 97), i))

let run weights =
  let leaves = List.map (fun (w, symbol) -> Leaf (w, symbol)) (List.sort compare weights) in
  List.fold_left (fun sum (_, w, bits) -> sum + (w * List.length bits)) 0 (codes (build leaves))
