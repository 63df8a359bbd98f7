(* what: how many filled sudokus are right, an exception telling of the first number that stands twice
   family: boards
   sizes: 5..120/12 *)
exception Twice of int

let check_nine numbers =
  ignore (List.fold_left (fun seen k -> if List.mem k seen then raise (Twice k) else k :: seen) [] numbers)

let nine = [ 0; 1; 2; 3; 4; 5; 6; 7; 8 ]
let rows board = board
let columns board = List.map (fun j -> List.map (fun row -> List.nth row j) board) nine

let boxes board =
  let cell i j = List.nth (List.nth board i) j in
  List.map (fun k -> List.map (fun l -> cell ((k / 3 * 3) + (l / 3)) ((k mod 3 * 3) + (l mod 3))) nine) nine

let right board =
  try
    List.iter check_nine (rows board);
    List.iter check_nine (columns board);
    List.iter check_nine (boxes board);
    true
  with Twice _ -> false

let board wrong =
  List.map (fun i -> List.map (fun j -> if wrong = (9 * i) + j then 5 else 1 + (((i * 3) + (i / 3) + j) mod 9)) nine) nine

let input n = List.init n (fun k -> board (if k mod 3 = 0 then k * 17 mod 81 else -1))
let run boards = List.length (List.filter right boards)
