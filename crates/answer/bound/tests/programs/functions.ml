(* Functions that are passed on, and what is captured. *)
(*! fold_sum steps 1 = *)
(*! add_to_all steps 1 = *)
(*! apply_twice steps 1 = *)
(*! sort_by steps 2 *)
(*! exists_in steps 2 *)
(*! even steps 1 *)
(*! compose steps 1 = *)
(*! inner steps 1 = *)
(*! partial steps 1 = *)
(*! matrix_times steps 3 *)
(*! transpose steps 2 *)
(*! library steps 1 *)
(*! sorted_library steps 2 *)
let rec fold_left f acc l = match l with [] -> acc | x :: r -> fold_left f (f acc x) r
let rec map f l = match l with [] -> [] | x :: r -> let y = f x in y :: map f r
let fold_sum l = fold_left (fun a b -> a + b) 0 l
let add_to_all k l = map (fun x -> x + k) l
let apply_twice l = map (fun x -> x * 2) (map (fun x -> x + 1) l)
let rec insert less x l = match l with [] -> [x] | y :: r -> if less x y then x :: l else y :: insert less x r
let sort less l = fold_left (fun sorted x -> insert less x sorted) [] l
let sort_by l = sort (fun (a : int) b -> a <= b) l
let rec exists p l = match l with [] -> false | x :: r -> p x || exists p r
let exists_in a (b : int list) = exists (fun x -> exists (fun y -> x = y) b) a
let rec even l = match l with [] -> true | _ :: r -> odd r
and odd l = match l with [] -> false | _ :: r -> even r
let after f g x = f (g x)
let compose l = map (after (fun x -> x + 1) (fun x -> x * 3)) l
let inner l =
  let rec go acc l = match l with [] -> acc | x :: r -> go (x :: acc) r in
  go [] l
let add3 a b c = a + b + c
let partial l = map (add3 1 2) l
let rec dot a b = match a, b with x :: r, y :: s -> x * y + dot r s | _ -> 0
let rec column l = match l with [] -> ([], []) | row :: r ->
  (match row with [] -> ([], []) | x :: more -> let (a, b) = column r in (x :: a, more :: b))
let matrix_times a b = map (fun row -> map (fun col -> dot row col) b) a
let rec transpose first l = match first with [] -> [] | _ :: r -> let (a, b) = column l in a :: transpose r b
let library l = List.length (List.rev (List.map (fun x -> x + 1) (List.filter (fun x -> x > 3) l)))
let sorted_library l = List.fold_left (fun acc x -> acc @ [x]) [] l
