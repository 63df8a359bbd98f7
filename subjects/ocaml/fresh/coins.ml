(* what: ways to pay a sum with some coins
   family: search
   sizes: 10..120/12 *)
let rec ways sum coins =
  if sum = 0 then 1 else if sum < 0 then 0 else
  match coins with [] -> 0 | c :: rest -> ways (sum - c) coins + ways sum rest
let input n = n
let run n = ways n [20; 10; 5; 2; 1]
