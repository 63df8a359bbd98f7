(* Functions as values, and calls 600,000 deep. *)
let rec upto n made = if n = 0 then made else upto (n - 1) (n :: made)
let rec map f list = match list with [] -> [] | x :: rest -> let y = f x in y :: map f rest

let rec filter keep list =
  match list with
  | [] -> []
  | x :: rest -> if keep x then x :: filter keep rest else filter keep rest

let rec fold f sum list = match list with [] -> sum | x :: rest -> fold f (f sum x) rest

let result =
  fold (fun a b -> a + b) 0
    (filter (fun x -> x mod 2 = 0) (map (fun x -> x + 1) (upto 600000 [])))
