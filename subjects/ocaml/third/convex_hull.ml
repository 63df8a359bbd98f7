(* what: the convex hull of points, which are pairs of floats, by Andrew's chains
   family: geometry
   sizes: 20..1500/12 *)
let cross (ax, ay) (bx, by) (cx, cy) = ((bx -. ax) *. (cy -. ay)) -. ((by -. ay) *. (cx -. ax))

let rec add chain p =
  match chain with
  | b :: a :: _ when cross a b p <= 0.0 -> add (List.tl chain) p
  | _ -> p :: chain

let half points = List.tl (List.fold_left add [] points)

let hull points =
  let sorted = List.sort_uniq compare points in
  half sorted @ half (List.rev sorted)

let input n =
  List.init n (fun i ->
    let a = float_of_int (i * 7919 mod 1009) and r = float_of_int (1 + (i * 31 mod 64)) in
    (r *. cos a, r *. sin a))

let run points = hull points
