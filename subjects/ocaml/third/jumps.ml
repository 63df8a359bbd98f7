(* what: a stack machine with variables and jumps, which sums squares in a loop
   family: interpreters
   sizes: 100..8000/12 *)
type instruction =
  | Push of int
  | Load of int
  | Store of int
  | Add
  | Subtract
  | Multiply
  | Jump of int
  | Jump_if_zero of int
  | Halt

type machine = { mutable counter : int; mutable top : int; stack : int array; variables : int array }

let push m x =
  m.stack.(m.top) <- x;
  m.top <- m.top + 1

let pop m =
  m.top <- m.top - 1;
  m.stack.(m.top)

let execute code start =
  let m = { counter = 0; top = 0; stack = Array.make 16 0; variables = Array.make 4 0 } in
  m.variables.(0) <- start;
  let running = ref true in
  while !running do
    let instruction = code.(m.counter) in
    m.counter <- m.counter + 1;
    match instruction with
    | Push k -> push m k
    | Load v -> push m m.variables.(v)
    | Store v -> m.variables.(v) <- pop m
    | Add ->
      let b = pop m in
      push m (pop m + b)
    | Subtract ->
      let b = pop m in
      push m (pop m - b)
    | Multiply ->
      let b = pop m in
      push m (pop m * b)
    | Jump place -> m.counter <- place
    | Jump_if_zero place -> if pop m = 0 then m.counter <- place
    | Halt -> running := false
  done;
  m.variables.(1)

let squares =
  [| Load 0; Jump_if_zero 13; Load 1; Load 0; Load 0; Multiply; Add; Store 1; Load 0; Push 1; Subtract; Store 0; Jump 0; Halt |]

let input n = n
let run n = execute squares n
