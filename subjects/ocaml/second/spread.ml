(* what: mean and spread of floats by List.fold_left
   family: numeric
   sizes: 1000..20000/12 *)
let rec data n = if n = 0 then [] else (float_of_int (n mod 17) /. 3.0) :: data (n - 1)
let input n = (float_of_int n, data n)
let run (n, l) =
  let mean = List.fold_left (fun s x -> s +. x) 0.0 l /. n in
  List.fold_left (fun s x -> s +. (x -. mean) *. (x -. mean)) 0.0 l /. n
