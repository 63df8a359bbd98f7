(* what: numbers of a list below a pivot first, by List.filter and append
   family: lists
   sizes: 1000..20000/12 *)
let rec noise n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in t :: noise (n - 1) t
let input n = noise n 3
let run l = List.filter (fun x -> x < 8192) l @ List.filter (fun x -> x >= 8192) l
