let rec append xs ys = match xs with [] -> ys | x :: rest -> x :: append rest ys
let rec range a b = if a >= b then [] else a :: range (a + 1) b
let rec map f = function [] -> [] | x :: rest -> f x :: map f rest
let rec fold f acc = function [] -> acc | x :: rest -> fold f (f acc x) rest
let rec zip = function x :: xs, y :: ys -> (x, y) :: zip (xs, ys) | _ -> []
let total = fold (fun a b -> a + b) 0 (append (range 0 10) [100])
let pairs = zip (range 0 3, map float_of_int (range 0 3))
let rec partition p = function
  | [] -> [], []
  | x :: rest -> let yes, no = partition p rest in if p x then x :: yes, no else yes, x :: no
let compose f g x = f (g x)
let twice f = compose f f
let apply_all fs x = map (fun f -> f x) fs
