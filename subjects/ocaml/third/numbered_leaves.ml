(* what: leaves of a tree numbered from the left, the number passed on by a state monad
   family: monads
   sizes: 50..8000/12 *)
module State = struct
  let return x state = (x, state)

  let ( let* ) action f state =
    let x, state = action state in
    f x state

  let get state = (state, state)
  let put state _ = ((), state)
  let run action state = fst (action state)
end

type 'a tree = Leaf of 'a | Fork of 'a tree * 'a tree

open State

let fresh =
  let* n = get in
  let* () = put (n + 1) in
  return n

let rec number = function
  | Leaf x ->
    let* n = fresh in
    return (Leaf (n, x))
  | Fork (a, b) ->
    let* a = number a in
    let* b = number b in
    return (Fork (a, b))

let rec make n =
  if n <= 1 then Leaf (n mod 2 = 0)
  else
    let third = (n + 2) / 3 in
    Fork (make third, make (n - third))

let input n = make n
let run tree = State.run (number tree) 0
