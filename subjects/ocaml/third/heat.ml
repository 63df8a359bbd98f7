(* what: how warm a rod gets, in twenty steps with two arrays of floats
   family: simulation
   sizes: 20..4000/12 *)
let step now next =
  let n = Array.length now in
  next.(0) <- now.(0);
  next.(n - 1) <- now.(n - 1);
  for i = 1 to n - 2 do
    next.(i) <- now.(i) +. (0.25 *. (now.(i - 1) -. (2.0 *. now.(i)) +. now.(i + 1)))
  done

let warmth rod steps =
  let now = ref (Array.copy rod) in
  let next = ref (Array.make (Array.length rod) 0.0) in
  for _ = 1 to steps do
    step !now !next;
    let other = !now in
    now := !next;
    next := other
  done;
  Array.fold_left ( +. ) 0.0 !now

let input n = Array.init n (fun i -> if i = 0 then 100.0 else if i = n / 2 then 60.0 else float_of_int (i mod 5))
let run rod = warmth rod 20
