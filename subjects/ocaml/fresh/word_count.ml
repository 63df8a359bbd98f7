(* what: words in a list of characters
   family: search
   sizes: 1000..20000/12 *)
let rec text n s = if n = 0 then [] else let t = (s * 1103 + 12345) mod 32768 in (if t / 64 mod 5 = 0 then ' ' else 'w') :: text (n - 1) t
let rec words l inside k = match l with
  | [] -> k
  | ' ' :: rest -> words rest false k
  | _ :: rest -> words rest true (if inside then k else k + 1)
let input n = text n 9
let run l = words l false 0
