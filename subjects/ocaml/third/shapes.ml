(* what: areas and outlines of shapes, polymorphic variants, the large ones enlarged twice
   family: polymorphic variants
   sizes: 100..8000/12 *)
let area = function
  | `Circle r -> 3.14159 *. r *. r
  | `Square a -> a *. a
  | `Rectangle (a, b) -> a *. b
  | `Triangle (a, b, c) ->
    let s = (a +. b +. c) /. 2.0 in
    sqrt (s *. (s -. a) *. (s -. b) *. (s -. c))

let outline = function
  | `Circle r -> 2.0 *. 3.14159 *. r
  | `Square a -> 4.0 *. a
  | `Rectangle (a, b) -> 2.0 *. (a +. b)
  | `Triangle (a, b, c) -> a +. b +. c

let enlarge k = function
  | `Circle r -> `Circle (k *. r)
  | `Square a -> `Square (k *. a)
  | `Rectangle (a, b) -> `Rectangle (k *. a, k *. b)
  | `Triangle (a, b, c) -> `Triangle (k *. a, k *. b, k *. c)

let shape i =
  let x = float_of_int (1 + (i mod 9)) in
  match i * i mod 11 with
  | 0 | 1 -> `Circle x
  | 3 -> `Square x
  | 4 | 5 -> `Rectangle (x, x +. 2.0)
  | _ -> `Triangle (x +. 1.0, x +. 2.0, x +. 3.0)

let input n = List.init n shape

let run shapes =
  let large, small = List.partition (fun s -> area s > 20.0) shapes in
  let all = List.rev_append (List.map (enlarge 2.0) large) small in
  List.fold_left (fun sum s -> sum +. (area s /. outline s)) 0.0 all
