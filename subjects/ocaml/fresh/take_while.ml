(* what: the first elements that pass a test
   family: higher order
   sizes: 1000..20000/12 *)
let rec count_up i n = if i > n then [] else i :: count_up (i + 1) n
let rec take_while p l = match l with
  | x :: rest when p x -> x :: take_while p rest
  | _ -> []
let input n = (2 * n / 3, count_up 1 n)
let run (k, l) = take_while (fun x -> x < k) l
