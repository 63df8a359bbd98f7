(* Lists. Each line below: function, metric, smallest degree, upper bound; `=` where the lower bound is the same. *)
(*! append time 1 = 0.446 + 11.277·n *)
(*! append bytes 1 = 24·n *)
(*! append_two time 1 *)
(*! reverse steps 1 = *)
(*! map_pair steps 1 = *)
(*! length_twice steps 1 = *)
(*! zip steps 1 *)
(*! unzip steps 1 = *)
(*! dup bytes 1 = 48·n *)
(*! pairs steps 2 = *)
(*! attach_all steps 2 = *)
(*! sub_lists_of_two steps 2 = *)
(*! append_all steps 2 *)
(*! append_all3 steps 3 *)
(*! flatten bytes 2 *)
(*! subsequence steps 2 *)
(*! triples steps 3 = *)
(*! filter_even steps 1 *)
(*! last steps 1 *)
(*! quiet calls:tick 1 = n *)
let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec append_two a b = match a with [] -> b | x :: t -> (match t with [] -> x :: b | y :: r -> x :: y :: append_two r b)
let rec rev_onto a b = match a with [] -> b | x :: r -> rev_onto r (x :: b)
let reverse l = rev_onto l []
let rec map f l = match l with [] -> [] | x :: r -> let y = f x in y :: map f r
let map_pair l = map (fun (a, b) -> a + b) l
let rec length l = match l with [] -> 0 | _ :: r -> 1 + length r
let length_twice l = length l + length l
let rec zip a b = match a, b with x :: r, y :: s -> (x, y) :: zip r s | _ -> []
let rec unzip l = match l with [] -> ([], []) | (a, b) :: r -> let (x, y) = unzip r in (a :: x, b :: y)
let rec dup l = match l with [] -> [] | x :: r -> x :: x :: dup r
let rec attach x l = match l with [] -> [] | y :: r -> (x, y) :: attach x r
let rec pairs l = match l with [] -> [] | x :: r -> append (attach x r) (pairs r)
let rec attach_all a b = match a with [] -> [] | x :: r -> append (attach x b) (attach_all r b)
let rec sub_lists_of_two l = match l with [] -> 0 | _ :: r -> length r + sub_lists_of_two r
let rec append_all l = match l with [] -> [] | x :: r -> append x (append_all r)
let rec append_all2 l = match l with [] -> [] | x :: r -> append (append_all x) (append_all2 r)
let append_all3 l = append_all2 l
let rec flatten l = match l with [] -> [] | x :: r -> append x (flatten r)
let rec triples l = match l with [] -> 0 | _ :: r -> length (pairs r) + triples r
let rec filter p l = match l with [] -> [] | x :: r -> if p x then x :: filter p r else filter p r
let filter_even l = filter (fun x -> x mod 2 = 0) l
let rec last l = match l with [] -> 0 | [x] -> x | _ :: r -> last r
let tick () = ()
let rec quiet l = match l with [] -> () | _ :: r -> tick (); quiet r
(* The longest common part of two lists, by trying both ways only where they differ in length: one list is consumed at each step. *)
let rec first_line (a : int) b = match b with [] -> [] | y :: r -> (if a = y then 1 else 0) :: first_line a r
let rec subsequence a b = match a with [] -> [] | x :: r -> append (first_line x b) (subsequence r b)
