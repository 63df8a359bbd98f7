(* what: a robot that follows commands, a record that is made anew at each
   family: simulation
   sizes: 100..8000/12 *)
type direction = North | East | South | West
type command = Left | Right | Forward of int | Mark | Home
type rover = { x : int; y : int; facing : direction; marks : (int * int) list; moved : int }

let left = function North -> West | West -> South | South -> East | East -> North
let right = function North -> East | East -> South | South -> West | West -> North

let move ~dx ~dy rover =
  { rover with x = rover.x + dx; y = rover.y + dy; moved = rover.moved + abs dx + abs dy }

let follow rover = function
  | Left -> { rover with facing = left rover.facing }
  | Right -> { rover with facing = right rover.facing }
  | Forward k -> (
    match rover.facing with
    | North -> move ~dx:0 ~dy:k rover
    | East -> move ~dx:k ~dy:0 rover
    | South -> move ~dx:0 ~dy:(-k) rover
    | West -> move ~dx:(-k) ~dy:0 rover)
  | Mark -> { rover with marks = (rover.x, rover.y) :: rover.marks }
  | Home -> move ~dx:(-rover.x) ~dy:(-rover.y) rover

let command i =
  match i * i mod 13 with
  | 0 -> Home
  | 1 | 3 -> Left
  | 4 | 9 -> Forward (i mod 5)
  | 10 -> Mark
  | 12 -> Right
  | _ -> Forward 1

let input n = List.init n command

let run commands =
  let rover = List.fold_left follow { x = 0; y = 0; facing = North; marks = []; moved = 0 } commands in
  (rover.moved, List.length rover.marks)
