(* what: two lists combined by a function
   family: higher order
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec zip_with f xs ys = match xs, ys with
  | x :: xs', y :: ys' -> let z = f x y in z :: zip_with f xs' ys'
  | _, _ -> []
let input n = (count_up 1 n, count_up 5 (n + 4))
let run (xs, ys) = zip_with (fun a b -> a * b + 1) xs ys
