(* what: two terms made equal by unification, with a map from variables to terms
   family: symbolic
   sizes: 4..180/12 *)
module Bound = Map.Make (String)

type term = Variable of string | Term of string * term list

let rec resolve bound = function
  | Variable x as t -> (match Bound.find_opt x bound with Some t' -> resolve bound t' | None -> t)
  | t -> t

let rec occurs bound x t =
  match resolve bound t with
  | Variable y -> x = y
  | Term (_, l) -> List.exists (occurs bound x) l

let rec unify bound a b =
  match (resolve bound a, resolve bound b) with
  | Variable x, Variable y when x = y -> Some bound
  | Variable x, t | t, Variable x -> if occurs bound x t then None else Some (Bound.add x t bound)
  | Term (f, l), Term (g, m) -> if f = g && List.length l = List.length m then unify_all bound l m else None

and unify_all bound l m =
  match (l, m) with
  | a :: rest, b :: others -> (
    match unify bound a b with None -> None | Some bound -> unify_all bound rest others)
  | _, _ -> Some bound

let rec pattern n =
  if n = 0 then Term ("nil", []) else Term ("cons", [ Variable ("x" ^ string_of_int n); pattern (n - 1) ])

let rec instance n =
  if n = 0 then Variable "end"
  else
    let head =
      if n mod 3 = 0 then Variable ("x" ^ string_of_int (n - 1))
      else Term ("pair", [ Term ("a", []); Variable ("y" ^ string_of_int (n mod 5)) ])
    in
    Term ("cons", [ head; instance (n - 1) ])

let input n = (pattern n, instance n)
let run (a, b) = match unify Bound.empty a b with Some bound -> Bound.cardinal bound | None -> -1
