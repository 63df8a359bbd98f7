(* what: the best value within a weight of 150, by a table of all weights
   family: dynamic programming
   sizes: 10..240/12 *)
let best_value weights values room =
  let best = Array.make (room + 1) 0 in
  for i = 0 to Array.length weights - 1 do
    for w = room downto weights.(i) do
      best.(w) <- max best.(w) (best.(w - weights.(i)) + values.(i))
    done
  done;
  best.(room)

let input n = (Array.init n (fun i -> 3 + (i * 7 mod 23)), Array.init n (fun i -> 1 + (i * 11 mod 37)))
let run (weights, values) = best_value weights values 150
