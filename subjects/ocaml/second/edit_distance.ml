(* what: distance of two words, row by row
   family: search
   sizes: 8..96/12 *)
let rec word n s = if n = 0 then [] else s mod 4 :: word (n - 1) ((s * 75 + 74) mod 65537)
let least (a : int) b = if a < b then a else b
let rec numbers i l = match l with [] -> [i] | _ :: rest -> i :: numbers (i + 1) rest
let rec next (c : int) b row left diagonal = match b, row with
  | y :: bs, up :: rest ->
    let d = if c = y then diagonal else 1 + least diagonal (least up left) in
    d :: next c bs rest d up
  | _, _ -> []
let rec rows a b row = match a, row with
  | c :: rest, first :: others -> rows rest b ((first + 1) :: next c b others (first + 1) first)
  | _, _ -> row
let rec last l = match l with [] -> 0 | [x] -> x | _ :: rest -> last rest
let input n = (word n 5, word n 77)
let run (a, b) = last (rows a b (numbers 0 b))
