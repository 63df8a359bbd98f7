(* what: a text matched by a regular expression, with Brzozowski's derivatives
   family: text
   sizes: 50..2000/12 *)
type regex = Nothing | Empty | Letter of char | Or of regex * regex | Then of regex * regex | Star of regex

let either a b = match (a, b) with Nothing, r | r, Nothing -> r | _ -> if a = b then a else Or (a, b)
let followed a b = match (a, b) with Nothing, _ | _, Nothing -> Nothing | Empty, r | r, Empty -> r | _ -> Then (a, b)

let rec may_be_empty = function
  | Empty | Star _ -> true
  | Nothing | Letter _ -> false
  | Or (a, b) -> may_be_empty a || may_be_empty b
  | Then (a, b) -> may_be_empty a && may_be_empty b

let rec derive c = function
  | Nothing | Empty -> Nothing
  | Letter d -> if c = d then Empty else Nothing
  | Or (a, b) -> either (derive c a) (derive c b)
  | Then (a, b) ->
    let first = followed (derive c a) b in
    if may_be_empty a then either first (derive c b) else first
  | Star a as r -> followed (derive c a) r

let matches regex letters = may_be_empty (List.fold_left (fun r c -> derive c r) regex letters)
let word s = List.fold_right (fun c r -> followed (Letter c) r) (List.of_seq (String.to_seq s)) Empty

(* (abc|ab|ca|b)* *)
let words = Star (Or (word "abc", Or (word "ab", Or (word "ca", word "b"))))
let input n = List.concat (List.init n (fun i -> match i mod 4 with 0 -> [ 'a'; 'b' ] | 1 -> [ 'c'; 'a' ] | 2 -> [ 'b' ] | _ -> [ 'a'; 'b'; 'c' ]))
let run letters = matches words letters
