(* what: sums and products with brackets, parsed by descent and evaluated
   family: parsers
   sizes: 100..8000/12 *)
type token = Number of int | Plus | Minus | Times | Open | Close

exception Syntax of string

let rec expression tokens =
  let value, rest = term tokens in
  more_terms value rest

and more_terms left = function
  | Plus :: rest ->
    let right, rest = term rest in
    more_terms (left + right) rest
  | Minus :: rest ->
    let right, rest = term rest in
    more_terms (left - right) rest
  | rest -> (left, rest)

and term tokens =
  let value, rest = factor tokens in
  more_factors value rest

and more_factors left = function
  | Times :: rest ->
    let right, rest = factor rest in
    more_factors (left * right mod 1009) rest
  | rest -> (left, rest)

and factor = function
  | Number k :: rest -> (k, rest)
  | Minus :: rest ->
    let value, rest = factor rest in
    (-value, rest)
  | Open :: rest -> (
    match expression rest with
    | value, Close :: rest -> (value, rest)
    | _ -> raise (Syntax "a bracket is not closed"))
  | _ -> raise (Syntax "a number was expected")

let value tokens = match expression tokens with v, [] -> v | _ -> raise (Syntax "something follows")

let rec write n rest =
  if n <= 2 then Number (n + 3) :: rest
  else
    let half = n / 2 in
    let sign = match n mod 5 with 0 | 3 -> Plus | 1 -> Minus | _ -> Times in
    if n mod 4 = 1 then Open :: write half (sign :: write (n - half - 2) (Close :: rest))
    else write half (sign :: write (n - half) rest)

let input n = write n []
let run tokens = value tokens
