(* what: moves of the towers of Hanoi
   family: search
   sizes: 3 4 5 6 7 8 9 10 11 12 13 *)
let rec move n a b c acc = if n = 0 then acc else move (n - 1) c b a ((a, b) :: move (n - 1) a c b acc)
let input n = n
let run n = move n 1 2 3 []
