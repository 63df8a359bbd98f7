(* what: how often each word occurs, in a hash table, and the most frequent one
   family: tables
   sizes: 100..4000/12 *)
let count words =
  let table = Hashtbl.create 64 in
  List.iter
    (fun word ->
      match Hashtbl.find_opt table word with
      | Some k -> Hashtbl.replace table word (k + 1)
      | None -> Hashtbl.add table word 1)
    words;
  table

let most_frequent table =
  Hashtbl.fold
    (fun word k (best, most) -> if k > most || (k = most && word < best) then (word, k) else (best, most))
    table ("", 0)

let syllables = [| "ka"; "lo"; "mi"; "ne"; "tur"; "sen"; "ba" |]
let word s = syllables.(s mod 7) ^ syllables.(s / 7 mod 7) ^ (if s mod 3 = 0 then "" else syllables.(s / 49 mod 7))

let rec words n s =
  if n = 0 then [] else word (s / 64) :: words (n - 1) ((s * 1103 + 12345) mod 32768)

let input n = words n 17
let run l = most_frequent (count l)
