(*** length ***)
let rec length = function [] -> 0 | _ :: rest -> 1 + length rest
let a = length [1; 2; 3] and b = length []
(*** last ***)
let rec last = function [] -> None | [x] -> Some x | _ :: rest -> last rest
let r = last ['a'; 'b'; 'c'], last ([] : int list)
(*** last two ***)
let rec last_two = function [] | [_] -> None | [x; y] -> Some (x, y) | _ :: t -> last_two t
let r = last_two [1; 2; 3; 4], last_two [1]
(*** nth ***)
let rec at k = function [] -> None | h :: t -> if k = 1 then Some h else at (k - 1) t
let r = List.map (fun k -> at k ["a"; "b"; "c"]) [0; 1; 3; 4]
(*** reverse ***)
let rev list = let rec go acc = function [] -> acc | h :: t -> go (h :: acc) t in go [] list
let r = rev [1; 2; 3]
(*** palindrome ***)
let is_palindrome l = l = List.rev l
let r = is_palindrome [1; 2; 1], is_palindrome ["a"; "b"], is_palindrome []
(*** flatten ***)
type 'a node = One of 'a | Many of 'a node list
let flatten l =
  let rec aux acc = function
    | [] -> acc
    | One x :: t -> aux (x :: acc) t
    | Many inner :: t -> aux (aux acc inner) t
  in List.rev (aux [] l)
let r = flatten [One 1; Many [One 2; Many [One 3; One 4]; One 5]]
(*** compress ***)
let rec compress = function a :: (b :: _ as t) -> if a = b then compress t else a :: compress t | small -> small
let r = compress ['a'; 'a'; 'b'; 'c'; 'c'; 'a']
(*** pack ***)
let pack list =
  let rec go current acc = function
    | [] -> []
    | [x] -> (x :: current) :: acc
    | a :: (b :: _ as t) -> if a = b then go (a :: current) acc t else go [] ((a :: current) :: acc) t
  in List.rev (go [] [] list)
let r = pack [1; 1; 2; 3; 3; 3]
(*** encode ***)
let encode list =
  let rec go n acc = function
    | [] -> []
    | [x] -> (n + 1, x) :: acc
    | a :: (b :: _ as t) -> if a = b then go (n + 1) acc t else go 0 ((n + 1, a) :: acc) t
  in List.rev (go 0 [] list)
let r = encode ["a"; "a"; "b"]
(*** decode ***)
type 'a rle = One of 'a | Many of int * 'a
let decode list =
  let rec many acc n x = if n = 0 then acc else many (x :: acc) (n - 1) x in
  let rec go acc = function [] -> acc | One x :: t -> go (x :: acc) t | Many (n, x) :: t -> go (many acc n x) t in
  go [] (List.rev list)
let r = decode [Many (3, 'x'); One 'y'; Many (2, 'z')]
(*** duplicate ***)
let rec duplicate = function [] -> [] | h :: t -> h :: h :: duplicate t
let r = duplicate [1; 2]
(*** replicate ***)
let replicate n l =
  let rec prepend n acc x = if n = 0 then acc else prepend (n - 1) (x :: acc) x in
  List.fold_left (fun acc x -> prepend n acc x) [] (List.rev l)
let r = replicate 3 ['a'; 'b']
(*** drop every ***)
let drop_every n l =
  let rec go i = function [] -> [] | h :: t -> if i = n then go 1 t else h :: go (i + 1) t in go 1 l
let r = drop_every 3 [1; 2; 3; 4; 5; 6; 7]
(*** split ***)
let split n l =
  let rec go i acc = function [] -> (List.rev acc, []) | h :: t as rest -> if i = 0 then (List.rev acc, rest) else go (i - 1) (h :: acc) t
  in go n [] l
let r = split 2 [1; 2; 3], split 9 [1]
(*** slice ***)
let slice l i k =
  let rec take n = function [] -> [] | h :: t -> if n = 0 then [] else h :: take (n - 1) t in
  let rec drop n = function [] -> [] | _ :: t as l -> if n = 0 then l else drop (n - 1) t in
  take (k - i + 1) (drop i l)
let r = slice [0; 1; 2; 3; 4; 5] 2 4
(*** rotate ***)
let rotate l n =
  let len = List.length l in
  let n = if len = 0 then 0 else (n mod len + len) mod len in
  let rec go n acc l = if n = 0 then l @ List.rev acc else match l with [] -> List.rev acc | h :: t -> go (n - 1) (h :: acc) t in
  go n [] l
let r = rotate [1; 2; 3; 4; 5] 2, rotate [1; 2; 3] (-1)
(*** remove at ***)
let rec remove_at n = function [] -> [] | h :: t -> if n = 0 then t else h :: remove_at (n - 1) t
let r = remove_at 1 ["a"; "b"; "c"]
(*** insert at ***)
let rec insert_at x n = function [] -> [x] | h :: t as l -> if n = 0 then x :: l else h :: insert_at x (n - 1) t
let r = insert_at 9 1 [1; 2]
(*** range ***)
let rec range a b = if a > b then List.rev (range b a) else if a = b then [a] else a :: range (a + 1) b
let r = range 4 9, range 9 4
(*** combinations ***)
let rec extract k l = if k <= 0 then [[]] else match l with
  | [] -> []
  | h :: t -> let with_h = List.map (fun l -> h :: l) (extract (k - 1) t) in with_h @ extract k t
let r = extract 2 ['a'; 'b'; 'c']
(*** group sort ***)
let sort_by_length l = List.sort (fun a b -> compare (List.length a) (List.length b)) l
let r = sort_by_length [[1; 2; 3]; [1]; [4; 5]; []; [6]]
(*** permutations ***)
let rec insert_everywhere x = function [] -> [[x]] | h :: t as l -> (x :: l) :: List.map (fun l -> h :: l) (insert_everywhere x t)
let rec permutations = function [] -> [[]] | h :: t -> List.concat (List.map (insert_everywhere h) (permutations t))
let r = permutations [1; 2; 3]
(*** power set ***)
let rec subsets = function [] -> [[]] | x :: rest -> let s = subsets rest in s @ List.map (fun l -> x :: l) s
let r = subsets [1; 2; 3]
(*** zip and unzip ***)
let rec zip a b = match a, b with x :: xs, y :: ys -> (x, y) :: zip xs ys | _ -> []
let rec unzip = function [] -> ([], []) | (a, b) :: t -> let (xs, ys) = unzip t in (a :: xs, b :: ys)
let r = unzip (zip [1; 2; 3] ["a"; "b"])
(*** transpose ***)
let rec transpose = function [] -> [] | [] :: _ -> [] | rows -> List.map List.hd rows :: transpose (List.map List.tl rows)
let r = transpose [[1; 2; 3]; [4; 5; 6]]
(*** interleave ***)
let rec interleave a b = match a with [] -> b | x :: xs -> x :: interleave b xs
let r = interleave [1; 3; 5] [2; 4]
(*** take while ***)
let rec take_while p = function x :: t when p x -> x :: take_while p t | _ -> []
let rec drop_while p = function x :: t when p x -> drop_while p t | l -> l
let small x = x < 3
let r = take_while small [1; 2; 3; 1], drop_while small [1; 2; 3; 1]
(*** group by ***)
let group_by key l =
  let rec add k v = function [] -> [(k, [v])] | (k', vs) :: t -> if k = k' then (k, v :: vs) :: t else (k', vs) :: add k v t in
  List.fold_left (fun groups v -> add (key v) v groups) [] l
let r = group_by (fun n -> n mod 3) [1; 2; 3; 4; 5; 6; 7]
(*** maximum ***)
let maximum = function [] -> failwith "empty" | h :: t -> List.fold_left max h t
let a = maximum [3; 1; 4; 1; 5]
let b = maximum ["x"; "abc"]
let c = maximum ([] : int list)
(*** append two at a time ***)
let rec append2 a b = match a with [] -> b | x :: [] -> x :: b | x :: y :: t -> x :: y :: append2 t b
let r = append2 [1; 2; 3; 4; 5] [6], append2 [] [1]
(*** library folds ***)
let a = List.fold_left (fun a b -> a - b) 0 [1; 2; 3] and b = List.fold_right (fun a b -> a - b) [1; 2; 3] 0
let c = List.fold_left2 (fun acc a b -> acc + a * b) 0 [1; 2; 3] [4; 5; 6]
(*** library maps ***)
let a = List.mapi (fun i x -> (i, x)) ['a'; 'b'] and b = List.rev_map succ [1; 2] and c = List.map2 (+) [1; 2] [3; 4]
(*** library searches ***)
let a = List.find (fun x -> x > 2) [1; 2; 3; 4], List.find_opt (fun x -> x > 9) [1], List.mem 3 [1; 2; 3], List.exists ((=) 2) [1]
let b = List.for_all (fun x -> x > 0) [1; 2], List.assoc 2 [1, "a"; 2, "b"], List.assoc_opt 3 [1, "a"], List.mem_assoc 1 [1, ()]
let c = List.find (fun x -> x > 9) [1]
(*** library filters ***)
let a = List.filter (fun x -> x mod 2 = 0) [1; 2; 3; 4], List.partition (fun x -> x < 3) [1; 2; 3; 4]
let b = List.filter_map (fun x -> if x > 1 then Some (x * x) else None) [1; 2; 3], List.concat_map (fun x -> [x; x]) [1; 2]
(*** library pieces ***)
let a = List.init 5 (fun i -> i * i), List.combine [1; 2] ["a"; "b"], List.split [1, 'a'; 2, 'b'], List.nth [1; 2; 3] 1
let b = List.hd [1], List.tl [1; 2], List.length [1; 2], List.rev_append [1; 2] [3], List.flatten [[1]; [2; 3]], List.cons 1 []
(*** library failures ***)
let a = try List.hd [] with Failure m -> String.length m
let b = try List.nth [1] 3 with Failure m -> m = "nth" | Invalid_argument _ -> false
let c = try List.nth [1] (-1); false with Invalid_argument _ -> true
let d = try List.combine [1] [] = [] with Invalid_argument _ -> true
let e = List.tl []
(*** iteration ***)
let () = List.iter print_int [1; 2; 3]
let () = List.iter (fun s -> print_string s; print_string ",") ["a"; "b"]
(*** merge sort ***)
let rec split = function [] -> ([], []) | [x] -> ([x], []) | x :: y :: t -> let a, b = split t in (x :: a, y :: b)
let rec merge a b = match a, b with [], l | l, [] -> l | x :: xs, y :: ys -> if x <= y then x :: merge xs b else y :: merge a ys
let rec sort = function ([] | [_]) as l -> l | l -> let a, b = split l in merge (sort a) (sort b)
let r = sort [5; 2; 8; 1; 9; 3], sort ["b"; "a"], sort [2.5; -1.; 0.]
(*** quicksort ***)
let rec quicksort = function [] -> [] | p :: t -> let small, large = List.partition (fun x -> x < p) t in quicksort small @ (p :: quicksort large)
let r = quicksort [3; 1; 4; 1; 5; 9; 2; 6]
(*** insertion sort ***)
let rec insert x = function [] -> [x] | h :: t as l -> if x <= h then x :: l else h :: insert x t
let sort l = List.fold_right insert l []
let r = sort [3; 1; 2]
(*** selection sort ***)
let rec remove x = function [] -> [] | h :: t -> if h = x then t else h :: remove x t
let rec least = function [] -> raise Not_found | [x] -> x | h :: t -> min h (least t)
let rec sort l = match l with [] -> [] | _ -> let m = least l in m :: sort (remove m l)
let r = sort ['d'; 'a'; 'c']
(*** bubble sort ***)
let rec pass = function a :: b :: t -> if a > b then b :: pass (a :: t) else a :: pass (b :: t) | l -> l
let rec sort l = let l' = pass l in if l = l' then l else sort l'
let r = sort [4; 3; 2; 1]
(*** stable sort keeps order ***)
let r = List.stable_sort (fun (a, _) (b, _) -> compare a b) [2, 'a'; 1, 'b'; 2, 'c'; 1, 'd'; 0, 'e'; 2, 'f']
(*** sort asks in this order ***)
let show a b = print_int a; print_string "<"; print_int b; print_string " "; compare a b
let a = List.sort show [5; 3; 9; 1; 7; 2; 8; 6; 4; 0; 11; 10]
let b = List.sort show [1; 2; 3; 4; 5; 6; 7]
let c = List.sort show [3; 2; 1]
let d = List.sort show [2; 1]
let e = List.stable_sort show [5; 4; 3; 2; 1; 1; 2; 3; 4; 5; 0; 9; 8; 7; 6; 3; 2; 1; 5; 6]
(*** association list update ***)
let rec update k f = function [] -> [(k, f None)] | (k', v) :: t -> if k = k' then (k, f (Some v)) :: t else (k', v) :: update k f t
let count l = List.fold_left (fun m x -> update x (function None -> 1 | Some n -> n + 1) m) [] l
let r = count ['a'; 'b'; 'a'; 'c'; 'a']
(*** sets as sorted lists ***)
let rec union a b = match a, b with
  | [], l | l, [] -> l
  | x :: xs, y :: ys -> if x = y then x :: union xs ys else if x < y then x :: union xs b else y :: union a ys
let rec inter a b = match a, b with
  | [], _ | _, [] -> []
  | x :: xs, y :: ys -> if x = y then x :: inter xs ys else if x < y then inter xs b else inter a ys
let r = union [1; 3; 5] [2; 3; 6], inter [1; 3; 5] [3; 5; 7]
(*** prefix sums ***)
let scan f init l = let rec go acc = function [] -> [acc] | h :: t -> acc :: go (f acc h) t in go init l
let r = scan (+) 0 [1; 2; 3; 4]
(*** sublist search ***)
let rec starts a b = match a, b with [], _ -> true | _, [] -> false | x :: xs, y :: ys -> x = y && starts xs ys
let rec contains a b = starts a b || match b with [] -> false | _ :: t -> contains a t
let r = contains [2; 3] [1; 2; 3], contains [3; 2] [1; 2; 3]
(*** queue of two lists ***)
type 'a queue = { front : 'a list; back : 'a list }
let empty = { front = []; back = [] }
let push x q = { q with back = x :: q.back }
let rec pop q = match q.front with x :: f -> Some (x, { q with front = f }) | [] -> (match q.back with [] -> None | b -> pop { front = List.rev b; back = [] })
let q = push 3 (push 2 (push 1 empty))
let r = match pop q with None -> None | Some (x, q) -> (match pop q with None -> None | Some (y, _) -> Some (x, y))
