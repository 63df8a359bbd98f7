external ( ~- ) : int -> int = "IntNegate"
external ( ~-. ) : float -> float = "FloatNegate"
external ( + ) : int -> int -> int = "IntAdd"
external ( - ) : int -> int -> int = "IntSub"
external ( * ) : int -> int -> int = "IntMul"
external ( / ) : int -> int -> int = "IntDiv"
external ( mod ) : int -> int -> int = "IntMod"
external ( +. ) : float -> float -> float = "FloatAdd"
external ( -. ) : float -> float -> float = "FloatSub"
external ( *. ) : float -> float -> float = "FloatMul"
external ( /. ) : float -> float -> float = "FloatDiv"
external ( ** ) : float -> float -> float = "FloatPower"
external abs_float : float -> float = "FloatAbs"
external sqrt : float -> float = "FloatSqrt"
external exp : float -> float = "FloatExp"
external log : float -> float = "FloatLog"
external sin : float -> float = "FloatSin"
external cos : float -> float = "FloatCos"
external floor : float -> float = "FloatFloor"
external ceil : float -> float = "FloatCeil"
external ( = ) : 'a -> 'a -> bool = "Equal"
external ( <> ) : 'a -> 'a -> bool = "NotEqual"
external ( < ) : 'a -> 'a -> bool = "Less"
external ( <= ) : 'a -> 'a -> bool = "LessEqual"
external ( > ) : 'a -> 'a -> bool = "Greater"
external ( >= ) : 'a -> 'a -> bool = "GreaterEqual"
external compare : 'a -> 'a -> int = "Compare"
external not : bool -> bool = "BoolNot"
external float_of_int : int -> float = "FloatOfInt"
external float : int -> float = "FloatOfInt"
external int_of_float : float -> int = "IntOfFloat"
external truncate : float -> int = "IntOfFloat"
external int_of_char : char -> int = "CharCode"
external char_of_int : int -> char = "CharOfCode"
external ( ^ ) : string -> string -> string = "StringConcat"
external string_of_int : int -> string = "StringOfInt"
external string_of_float : float -> string = "StringOfFloat"
external int_of_string : string -> int = "IntOfString"
external print_string : string -> unit = "PrintString"
external raise : exn -> 'a = "Raise"

exception Not_found
exception Failure of string
exception Invalid_argument of string
exception Division_by_zero
exception Match_failure of (string * int * int)
exception Exit
type 'a option = None | Some of 'a
type ('a, 'b) result = Ok of 'a | Error of 'b

let max_int = 4611686018427387903
let min_int = -4611686018427387904
(* Computed: the compiler does not know these numbers. *)
let infinity = exp 1000.
let neg_infinity = -.(exp 1000.)
let nan = sqrt (-1.)
let max_float = 1.7976931348623157e308
let min_float = 2.2250738585072014e-308
let epsilon_float = 2.2204460492503131e-16
let failwith s = raise (Failure s)
let invalid_arg s = raise (Invalid_argument s)
let fst (a, _) = a
let snd (_, b) = b
let abs x = if x >= 0 then x else -x
let succ x = x + 1
let pred x = x - 1
let min a b = if a <= b then a else b
let max a b = if a >= b then a else b
let ignore _ = ()
let string_of_bool b = if b then "true" else "false"
let print_int n = print_string (string_of_int n)
let print_float x = print_string (string_of_float x)
let print_endline s = print_string s; print_string "\n"
let print_newline () = print_string "\n"
let rec ( @ ) l1 l2 = match l1 with [] -> l2 | x :: r -> x :: (r @ l2)

module String = struct
  external length : string -> int = "StringLength"
  external get : string -> int -> char = "StringGet"
  external make : int -> char -> string = "StringMake"
  external sub : string -> int -> int -> string = "StringSub"
  let rec concat sep l = match l with [] -> "" | [x] -> x | x :: r -> x ^ sep ^ concat sep r
end

module Char = struct
  external code : char -> int = "CharCode"
  external chr : int -> char = "CharOfCode"
end

module Option = struct
  let some x = Some x
  let get o = match o with Some v -> v | None -> invalid_arg "option is None"
  let bind o f = match o with None -> None | Some v -> f v
  let map f o = match o with None -> None | Some v -> Some (f v)
  let is_none o = match o with None -> true | Some _ -> false
  let is_some o = match o with None -> false | Some _ -> true
  let to_list o = match o with None -> [] | Some v -> [v]
end

module List = struct
  let rec length_from n l = match l with [] -> n | _ :: r -> length_from (n + 1) r
  let length l = length_from 0 l
  let cons a l = a :: l
  let hd l = match l with [] -> failwith "hd" | a :: _ -> a
  let tl l = match l with [] -> failwith "tl" | _ :: r -> r
  let rec nth_from l n = match l with
    | [] -> failwith "nth"
    | a :: r -> if n = 0 then a else nth_from r (n - 1)
  let nth l n = if n < 0 then invalid_arg "List.nth" else nth_from l n
  let append l1 l2 = l1 @ l2
  let rec rev_append l1 l2 = match l1 with [] -> l2 | a :: r -> rev_append r (a :: l2)
  let rev l = rev_append l []
  let rec init_from i n f = if i >= n then [] else let x = f i in x :: init_from (i + 1) n f
  let init n f = if n < 0 then invalid_arg "List.init" else init_from 0 n f
  let rec concat l = match l with [] -> [] | a :: r -> a @ concat r
  let flatten l = concat l
  let rec map f l = match l with [] -> [] | a :: r -> let b = f a in b :: map f r
  let rec mapi_from i f l = match l with
    | [] -> []
    | a :: r -> let b = f i a in b :: mapi_from (i + 1) f r
  let mapi f l = mapi_from 0 f l
  let rev_map f l =
    let rec go acc l = match l with [] -> acc | a :: r -> go (f a :: acc) r in
    go [] l
  let rec iter f l = match l with [] -> () | a :: r -> f a; iter f r
  let rec fold_left f acc l = match l with [] -> acc | a :: r -> fold_left f (f acc a) r
  let rec fold_right f l acc = match l with [] -> acc | a :: r -> f a (fold_right f r acc)
  let rec map2 f l1 l2 = match l1, l2 with
    | [], [] -> []
    | a :: r, b :: s -> let c = f a b in c :: map2 f r s
    | _, _ -> invalid_arg "List.map2"
  let rec fold_left2 f acc l1 l2 = match l1, l2 with
    | [], [] -> acc
    | a :: r, b :: s -> fold_left2 f (f acc a b) r s
    | _, _ -> invalid_arg "List.fold_left2"
  let rec for_all p l = match l with [] -> true | a :: r -> p a && for_all p r
  let rec exists p l = match l with [] -> false | a :: r -> p a || exists p r
  let rec mem x l = match l with [] -> false | a :: r -> compare a x = 0 || mem x r
  let rec assoc x l = match l with
    | [] -> raise Not_found
    | (a, b) :: r -> if compare a x = 0 then b else assoc x r
  let rec assoc_opt x l = match l with
    | [] -> None
    | (a, b) :: r -> if compare a x = 0 then Some b else assoc_opt x r
  let rec mem_assoc x l = match l with
    | [] -> false
    | (a, _) :: r -> compare a x = 0 || mem_assoc x r
  let rec find p l = match l with [] -> raise Not_found | a :: r -> if p a then a else find p r
  let rec find_opt p l = match l with [] -> None | a :: r -> if p a then Some a else find_opt p r
  let find_all p =
    let rec go acc l = match l with
      | [] -> rev acc
      | a :: r -> if p a then go (a :: acc) r else go acc r
    in
    go []
  let filter p l = find_all p l
  let filter_map f =
    let rec go acc l = match l with
      | [] -> rev acc
      | a :: r -> (match f a with None -> go acc r | Some b -> go (b :: acc) r)
    in
    go []
  let rec concat_map_onto f acc l = match l with
    | [] -> rev acc
    | a :: r -> let b = f a in concat_map_onto f (rev_append b acc) r
  let concat_map f l = concat_map_onto f [] l
  let partition p l =
    let rec go yes no l = match l with
      | [] -> (rev yes, rev no)
      | a :: r -> if p a then go (a :: yes) no r else go yes (a :: no) r
    in
    go [] [] l
  let rec split l = match l with
    | [] -> ([], [])
    | (a, b) :: r -> let (x, y) = split r in (a :: x, b :: y)
  let rec combine l1 l2 = match l1, l2 with
    | [], [] -> []
    | a :: r, b :: s -> (a, b) :: combine r s
    | _, _ -> invalid_arg "List.combine"
  let rec merge cmp l1 l2 = match l1, l2 with
    | [], l | l, [] -> l
    | a :: r, b :: s -> if cmp a b <= 0 then a :: merge cmp r l2 else b :: merge cmp l1 s
  (* The same comparisons in the same order as OCaml's: halves are sorted in opposite directions, so that merging builds backwards. *)
  let stable_sort cmp l =
    let rec merge_up l1 l2 acc = match l1, l2 with
      | [], l | l, [] -> rev_append l acc
      | a :: r, b :: s -> if cmp a b <= 0 then merge_up r l2 (a :: acc) else merge_up l1 s (b :: acc)
    in
    let rec merge_down l1 l2 acc = match l1, l2 with
      | [], l | l, [] -> rev_append l acc
      | a :: r, b :: s -> if cmp a b > 0 then merge_down r l2 (a :: acc) else merge_down l1 s (b :: acc)
    in
    let rec sort_up n l = match n, l with
      | 2, a :: b :: rest -> ((if cmp a b <= 0 then [a; b] else [b; a]), rest)
      | 3, a :: b :: c :: rest ->
        let three =
          if cmp a b <= 0 then
            if cmp b c <= 0 then [a; b; c] else if cmp a c <= 0 then [a; c; b] else [c; a; b]
          else if cmp a c <= 0 then [b; a; c]
          else if cmp b c <= 0 then [b; c; a] else [c; b; a]
        in
        (three, rest)
      | _ ->
        let half = n / 2 in
        let (s1, l2) = sort_down half l in
        let (s2, rest) = sort_down (n - half) l2 in
        (merge_down s1 s2 [], rest)
    and sort_down n l = match n, l with
      | 2, a :: b :: rest -> ((if cmp a b > 0 then [a; b] else [b; a]), rest)
      | 3, a :: b :: c :: rest ->
        let three =
          if cmp a b > 0 then
            if cmp b c > 0 then [a; b; c] else if cmp a c > 0 then [a; c; b] else [c; a; b]
          else if cmp a c > 0 then [b; a; c]
          else if cmp b c > 0 then [b; c; a] else [c; b; a]
        in
        (three, rest)
      | _ ->
        let half = n / 2 in
        let (s1, l2) = sort_up half l in
        let (s2, rest) = sort_up (n - half) l2 in
        (merge_up s1 s2 [], rest)
    in
    let n = length l in
    if n < 2 then l else fst (sort_up n l)
  let sort cmp l = stable_sort cmp l
  let fast_sort cmp l = stable_sort cmp l
  let rec iteri_from i f l = match l with [] -> () | a :: r -> f i a; iteri_from (i + 1) f r
  let iteri f l = iteri_from 0 f l
  let rec iter2 f l1 l2 = match l1, l2 with
    | [], [] -> ()
    | a :: r, b :: s -> f a b; iter2 f r s
    | _, _ -> invalid_arg "List.iter2"
  let rec for_all2 p l1 l2 = match l1, l2 with
    | [], [] -> true
    | a :: r, b :: s -> p a b && for_all2 p r s
    | _, _ -> invalid_arg "List.for_all2"
  let rec remove_assoc x l = match l with
    | [] -> []
    | (a, b as pair) :: r -> if compare a x = 0 then r else pair :: remove_assoc x r
end
