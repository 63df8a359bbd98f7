(* what: three generations of Conway's Game of Life on a square board without edges
   family: boards
   sizes: 8..96/12 *)
let neighbours board i j =
  let n = Array.length board in
  let count = ref 0 in
  for di = -1 to 1 do
    for dj = -1 to 1 do
      if (di <> 0 || dj <> 0) && board.((i + di + n) mod n).((j + dj + n) mod n) then incr count
    done
  done;
  !count

let step board =
  let n = Array.length board in
  let next = Array.make_matrix n n false in
  for i = 0 to n - 1 do
    for j = 0 to n - 1 do
      let k = neighbours board i j in
      next.(i).(j) <- (k = 3 || (k = 2 && board.(i).(j)))
    done
  done;
  next

let alive board =
  Array.fold_left (fun total row -> Array.fold_left (fun sum cell -> if cell then sum + 1 else sum) total row) 0 board

let input n = Array.init n (fun i -> Array.init n (fun j -> ((i * 7) + (j * 13) + (i * j)) mod 5 < 2))
let run board = alive (step (step (step board)))
