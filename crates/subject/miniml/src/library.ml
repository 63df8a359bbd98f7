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
external ( == ) : 'a -> 'a -> bool = "Same"
external ( != ) : 'a -> 'a -> bool = "NotSame"
external ( land ) : int -> int -> int = "IntAnd"
external ( lor ) : int -> int -> int = "IntOr"
external ( lxor ) : int -> int -> int = "IntXor"
external ( lsl ) : int -> int -> int = "IntShiftLeft"
external ( lsr ) : int -> int -> int = "IntShiftRight"
external ( asr ) : int -> int -> int = "IntShiftArithmetic"
external ( ~+ ) : int -> int = "Identity"
external ( ~+. ) : float -> float = "Identity"
external tan : float -> float = "FloatTan"
external asin : float -> float = "FloatAsin"
external acos : float -> float = "FloatAcos"
external atan : float -> float = "FloatAtan"
external atan2 : float -> float -> float = "FloatAtanTwo"
external sinh : float -> float = "FloatSinh"
external cosh : float -> float = "FloatCosh"
external tanh : float -> float = "FloatTanh"
external log10 : float -> float = "FloatLogTen"
external expm1 : float -> float = "FloatExpMinus"
external log1p : float -> float = "FloatLogPlus"
external hypot : float -> float -> float = "FloatHypot"
external mod_float : float -> float -> float = "FloatRemainder"
external float_of_string : string -> float = "FloatOfString"
external prerr_string : string -> unit = "PrintError"
external exit : int -> 'a = "Exit"
type 'a ref = { mutable contents : 'a }
external ref : 'a -> 'a ref = "RefMake"
external ( ! ) : 'a ref -> 'a = "RefGet"
external ( := ) : 'a ref -> 'a -> unit = "RefSet"
external incr : int ref -> unit = "RefIncrement"
external decr : int ref -> unit = "RefDecrement"
type ('a, 'b, 'c, 'd) format4 = ('a, 'b, 'c, 'c, 'c, 'd) format6
type ('a, 'b, 'c) format = ('a, 'b, 'c, 'c) format4
external apply_format : ('a, 'b, 'c, 'd, 'e, 'f) format6 -> (string -> 'f) -> 'a = "FormatOf"
external raise_notrace : exn -> 'a = "Raise"
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
exception End_of_file
exception Assert_failure of (string * int * int)
exception Sys_error of string
exception Stack_overflow
exception Out_of_memory
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
let ( && ) a b = a && b
let ( || ) a b = a || b
let ( |> ) x f = f x
let ( @@ ) f x = f x
let lnot x = x lxor -1
let bool_of_string s = match s with "true" -> true | "false" -> false | _ -> invalid_arg "bool_of_string"
let bool_of_string_opt s = match s with "true" -> Some true | "false" -> Some false | _ -> None
let int_of_string_opt s = try Some (int_of_string s) with Failure _ -> None
let float_of_string_opt s = try Some (float_of_string s) with Failure _ -> None
let prerr_endline s = prerr_string s
let prerr_newline () = ()
let prerr_int _ = ()
type out_channel = Standard_output | Standard_error
type in_channel = Standard_input
let stdout = Standard_output
let stderr = Standard_error
let stdin = Standard_input
let flush _ = ()
let flush_all () = ()
let output_string channel s = match channel with Standard_output -> print_string s | Standard_error -> prerr_string s
let read_line () : string = raise End_of_file
let read_int () : int = raise End_of_file
let read_int_opt () : int option = raise End_of_file
let read_float () : float = raise End_of_file
let input_line (_ : in_channel) : string = raise End_of_file
let at_exit (_ : unit -> unit) = ()
let rec ( @ ) l1 l2 = match l1 with [] -> l2 | x :: r -> x :: (r @ l2)

module Fun = struct
  external id : 'a -> 'a = "Identity"
  let const c _ = c
  let flip f x y = f y x
  let negate p v = not (p v)
  let protect ~finally work =
    match work () with
    | result -> finally (); result
    | exception e -> finally (); raise e
end

module Char = struct
  type t = char
  external code : char -> int = "CharCode"
  external unsafe_chr : int -> char = "CharOfCode"
  let chr n = if n < 0 || n > 255 then invalid_arg "Char.chr" else unsafe_chr n
  let lowercase_ascii c = match c with 'A' .. 'Z' -> unsafe_chr (code c + 32) | _ -> c
  let uppercase_ascii c = match c with 'a' .. 'z' -> unsafe_chr (code c - 32) | _ -> c
  let compare c1 c2 = code c1 - code c2
  let equal (c1 : char) c2 = c1 = c2
end

module Bytes = struct
  type t = bytes
  external length : bytes -> int = "StringLength"
  external get : bytes -> int -> char = "StringGet"
  external set : bytes -> int -> char -> unit = "BytesSet"
  external unsafe_get : bytes -> int -> char = "BytesUnsafeGet"
  external unsafe_set : bytes -> int -> char -> unit = "BytesUnsafeSet"
  external create : int -> bytes = "BytesCreate"
  external make : int -> char -> bytes = "StringMake"
  external copy : bytes -> bytes = "BytesCopy"
  external of_string : string -> bytes = "BytesCopy"
  external to_string : bytes -> string = "BytesCopy"
  external unsafe_to_string : bytes -> string = "Identity"
  external unsafe_of_string : string -> bytes = "Identity"
  external sub : bytes -> int -> int -> bytes = "StringSub"
  external sub_string : bytes -> int -> int -> string = "StringSub"
  external blit : bytes -> int -> bytes -> int -> int -> unit = "BytesBlit"
  external blit_string : string -> int -> bytes -> int -> int -> unit = "BytesBlit"
  external fill : bytes -> int -> int -> char -> unit = "BytesFill"
  let empty = create 0
  let init n f =
    let s = create n in
    for i = 0 to n - 1 do unsafe_set s i (f i) done;
    s
  let map f s = let n = length s in init n (fun i -> f (unsafe_get s i))
  let iter (f : char -> unit) s = for i = 0 to length s - 1 do f (unsafe_get s i) done
  let equal (a : bytes) b = a = b
  let compare (a : bytes) b = compare a b
end

module Seq = struct
  type 'a node = Nil | Cons of 'a * (unit -> 'a node)
  type 'a t = unit -> 'a node
  let empty () = Nil
  let return x () = Cons (x, empty)
  let cons x next () = Cons (x, next)
  let rec map f seq () = match seq () with Nil -> Nil | Cons (x, next) -> Cons (f x, map f next)
  let rec filter f seq () = match seq () with
    | Nil -> Nil
    | Cons (x, next) -> if f x then Cons (x, filter f next) else filter f next ()
  let rec filter_map f seq () = match seq () with
    | Nil -> Nil
    | Cons (x, next) -> (match f x with None -> filter_map f next () | Some y -> Cons (y, filter_map f next))
  let rec append a b () = match a () with Nil -> b () | Cons (x, next) -> Cons (x, append next b)
  let rec flat_map f seq () = match seq () with
    | Nil -> Nil
    | Cons (x, next) -> append (f x) (flat_map f next) ()
  let rec fold_left f acc seq = match seq () with Nil -> acc | Cons (x, next) -> fold_left f (f acc x) next
  let rec iter (f : 'a -> unit) seq = match seq () with Nil -> () | Cons (x, next) -> f x; iter f next
  let rec unfold f u () = match f u with None -> Nil | Some (x, v) -> Cons (x, unfold f v)
end

module String = struct
  type t = string
  external length : string -> int = "StringLength"
  external get : string -> int -> char = "StringGet"
  external unsafe_get : string -> int -> char = "BytesUnsafeGet"
  external make : int -> char -> string = "StringMake"
  external sub : string -> int -> int -> string = "StringSub"
  external blit : string -> int -> bytes -> int -> int -> unit = "BytesBlit"
  let empty = ""
  let concat sep l =
    let gap = length sep in
    let rec size sum l = match l with [] -> sum | [x] -> sum + length x | x :: r -> size (sum + length x + gap) r in
    let all = Bytes.create (size 0 l) in
    let rec fill at l = match l with
      | [] -> ()
      | [x] -> blit x 0 all at (length x)
      | x :: r ->
        blit x 0 all at (length x);
        blit sep 0 all (at + length x) gap;
        fill (at + length x + gap) r in
    fill 0 l;
    Bytes.unsafe_to_string all
  let init n f = Bytes.unsafe_to_string (Bytes.init n f)
  let map f s = Bytes.unsafe_to_string (Bytes.map f (Bytes.unsafe_of_string s))
  let mapi f s = init (length s) (fun i -> f i (unsafe_get s i))
  let iter (f : char -> unit) s = for i = 0 to length s - 1 do f (unsafe_get s i) done
  let iteri (f : int -> char -> unit) s = for i = 0 to length s - 1 do f i (unsafe_get s i) done
  let fold_left f acc s =
    let r = ref acc in
    for i = 0 to length s - 1 do r := f !r (unsafe_get s i) done;
    !r
  let fold_right f s acc =
    let r = ref acc in
    for i = length s - 1 downto 0 do r := f (unsafe_get s i) !r done;
    !r
  let exists p s = let n = length s in let rec go i = i < n && (p (unsafe_get s i) || go (i + 1)) in go 0
  let for_all p s = let n = length s in let rec go i = i >= n || (p (unsafe_get s i) && go (i + 1)) in go 0
  let uppercase_ascii s = map Char.uppercase_ascii s
  let lowercase_ascii s = map Char.lowercase_ascii s
  let first f s = if s = "" then s else mapi (fun i c -> if i = 0 then f c else c) s
  let capitalize_ascii s = first Char.uppercase_ascii s
  let uncapitalize_ascii s = first Char.lowercase_ascii s
  let rec index_rec s lim i c =
    if i >= lim then raise Not_found else if unsafe_get s i = c then i else index_rec s lim (i + 1) c
  let index s c = index_rec s (length s) 0 c
  let index_from s i c =
    if i < 0 || i > length s then invalid_arg "String.index_from / Bytes.index_from" else index_rec s (length s) i c
  let index_opt s c = try Some (index s c) with Not_found -> None
  let index_from_opt s i c = try Some (index_from s i c) with Not_found -> None
  let rec rindex_rec s i c = if i < 0 then raise Not_found else if unsafe_get s i = c then i else rindex_rec s (i - 1) c
  let rindex s c = rindex_rec s (length s - 1) c
  let rindex_opt s c = try Some (rindex s c) with Not_found -> None
  let contains s c = try ignore (index s c); true with Not_found -> false
  let contains_from s i c = try ignore (index_from s i c); true with Not_found -> false
  let is_space c = match c with ' ' | '\012' | '\n' | '\r' | '\t' -> true | _ -> false
  let trim s =
    let n = length s in
    let i = ref 0 in
    while !i < n && is_space (unsafe_get s !i) do incr i done;
    let j = ref (n - 1) in
    while !j >= !i && is_space (unsafe_get s !j) do decr j done;
    if !j - !i + 1 = n then s else sub s !i (!j - !i + 1)
  let split_on_char sep s =
    let r = ref [] and j = ref (length s) in
    for i = length s - 1 downto 0 do
      if unsafe_get s i = sep then begin
        r := sub s (i + 1) (!j - i - 1) :: !r;
        j := i
      end
    done;
    sub s 0 !j :: !r
  let equal (a : string) b = a = b
  let compare (a : string) b = compare a b
  let starts_with ~prefix s =
    let n = length prefix in
    length s >= n && sub s 0 n = prefix
  let ends_with ~suffix s =
    let n = length suffix in
    length s >= n && sub s (length s - n) n = suffix
  let to_bytes s = Bytes.of_string s
  let of_bytes b = Bytes.to_string b
  let to_seq s = let rec go i () = if i = length s then Seq.Nil else Seq.Cons (unsafe_get s i, go (i + 1)) in go 0
  let of_seq seq =
    let rec go acc seq = match seq () with Seq.Nil -> acc | Seq.Cons (c, next) -> go (acc ^ make 1 c) next in
    go "" seq
  external formatted : string -> string -> string = "Format"
  external formatted_char : string -> char -> string = "Format"
  let escaped s = let t = formatted "%S" s in sub t 1 (length t - 2)
end
module Char = struct
  include Char
  let escaped c = let t = String.formatted_char "%C" c in String.sub t 1 (String.length t - 2)
end
let print_char c = print_string (String.make 1 c)
let prerr_char _ = ()
let print_bytes b = print_string (Bytes.to_string b)
let output_char channel c = output_string channel (String.make 1 c)

module Int = struct
  type t = int
  let zero = 0
  let one = 1
  let minus_one = -1
  let max_int = max_int
  let min_int = min_int
  let neg x = -x
  let add a b = a + b
  let sub a b = a - b
  let mul a b = a * b
  let div a b = a / b
  let rem a b = a mod b
  let succ x = x + 1
  let pred x = x - 1
  let abs x = abs x
  let logand a b = a land b
  let logor a b = a lor b
  let logxor a b = a lxor b
  let lognot a = lnot a
  let shift_left a b = a lsl b
  let shift_right a b = a asr b
  let shift_right_logical a b = a lsr b
  let equal (a : int) b = a = b
  let compare (a : int) b = compare a b
  let min (a : int) b = if a <= b then a else b
  let max (a : int) b = if a >= b then a else b
  let to_float x = float_of_int x
  let of_float x = int_of_float x
  let to_string x = string_of_int x
end

module Bool = struct
  type t = bool
  let not b = not b
  let equal (a : bool) b = a = b
  let compare (a : bool) b = compare a b
  let to_string b = string_of_bool b
  let to_int b = if b then 1 else 0
end

module Float = struct
  type t = float
  external of_int : int -> float = "FloatOfInt"
  external to_int : float -> int = "IntOfFloat"
  external abs : float -> float = "FloatAbs"
  external sqrt : float -> float = "FloatSqrt"
  external exp : float -> float = "FloatExp"
  external log : float -> float = "FloatLog"
  external log10 : float -> float = "FloatLogTen"
  external sin : float -> float = "FloatSin"
  external cos : float -> float = "FloatCos"
  external tan : float -> float = "FloatTan"
  external floor : float -> float = "FloatFloor"
  external ceil : float -> float = "FloatCeil"
  external trunc : float -> float = "FloatTruncate"
  external round : float -> float = "FloatRound"
  external pow : float -> float -> float = "FloatPower"
  external rem : float -> float -> float = "FloatRemainder"
  external neg : float -> float = "FloatNegate"
  external add : float -> float -> float = "FloatAdd"
  external sub : float -> float -> float = "FloatSub"
  external mul : float -> float -> float = "FloatMul"
  external div : float -> float -> float = "FloatDiv"
  external of_string : string -> float = "FloatOfString"
  let of_string_opt s = float_of_string_opt s
  let to_string x = string_of_float x
  let zero = 0.
  let one = 1.
  let pi = 3.1415926535897931
  let infinity = infinity
  let neg_infinity = neg_infinity
  let nan = nan
  let max_float = max_float
  let min_float = min_float
  let epsilon = epsilon_float
  let is_nan (x : float) = x <> x
  let is_integer x = x = trunc x && x -. x = 0.
  let equal (a : float) b = compare a b = 0
  let compare (a : float) b = compare a b
  let min (a : float) b = if is_nan a || is_nan b then nan else if a <= b then a else b
  let max (a : float) b = if is_nan a || is_nan b then nan else if a >= b then a else b
end

module Option = struct
  type 'a t = 'a option
  let none = None
  let some x = Some x
  let value o ~default = match o with Some v -> v | None -> default
  let get o = match o with Some v -> v | None -> invalid_arg "option is None"
  let bind o f = match o with None -> None | Some v -> f v
  let join o = match o with Some o -> o | None -> None
  let map f o = match o with None -> None | Some v -> Some (f v)
  let fold ~none ~some o = match o with Some v -> some v | None -> none
  let iter f o = match o with Some v -> f v | None -> ()
  let is_none o = match o with None -> true | Some _ -> false
  let is_some o = match o with None -> false | Some _ -> true
  let equal eq a b = match a, b with Some x, Some y -> eq x y | None, None -> true | _ -> false
  let compare cmp a b = match a, b with
    | Some x, Some y -> cmp x y
    | None, None -> 0
    | None, Some _ -> -1
    | Some _, None -> 1
  let to_result ~none o = match o with None -> Error none | Some v -> Ok v
  let to_list o = match o with None -> [] | Some v -> [v]
end

module Result = struct
  type ('a, 'e) t = ('a, 'e) result
  let ok v = Ok v
  let error e = Error e
  let value r ~default = match r with Ok v -> v | Error _ -> default
  let get_ok r = match r with Ok v -> v | Error _ -> invalid_arg "result is Error _"
  let get_error r = match r with Error e -> e | Ok _ -> invalid_arg "result is Ok _"
  let bind r f = match r with Ok v -> f v | Error e -> Error e
  let join r = match r with Ok r -> r | Error e -> Error e
  let map f r = match r with Ok v -> Ok (f v) | Error e -> Error e
  let map_error f r = match r with Ok v -> Ok v | Error e -> Error (f e)
  let fold ~ok ~error r = match r with Ok v -> ok v | Error e -> error e
  let iter f r = match r with Ok v -> f v | Error _ -> ()
  let iter_error f r = match r with Error e -> f e | Ok _ -> ()
  let is_ok r = match r with Ok _ -> true | Error _ -> false
  let is_error r = match r with Ok _ -> false | Error _ -> true
  let to_option r = match r with Ok v -> Some v | Error _ -> None
  let to_list r = match r with Ok v -> [v] | Error _ -> []
end

module Either = struct
  type ('a, 'b) t = Left of 'a | Right of 'b
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
  let rec remove_assq x l = match l with
    | [] -> []
    | (a, _ as pair) :: r -> if a == x then r else pair :: remove_assq x r
  type 'a t = 'a list
  let rec nth_opt_from l n = match l with [] -> None | a :: r -> if n = 0 then Some a else nth_opt_from r (n - 1)
  let nth_opt l n = if n < 0 then invalid_arg "List.nth" else nth_opt_from l n
  let rec compare_lengths a b = match a, b with
    | [], [] -> 0
    | [], _ -> -1
    | _, [] -> 1
    | _ :: r, _ :: s -> compare_lengths r s
  let rec compare_length_with l n = match l with
    | [] -> if n = 0 then 0 else if n > 0 then -1 else 1
    | _ :: r -> if n <= 0 then 1 else compare_length_with r (n - 1)
  let rec exists2 p l1 l2 = match l1, l2 with
    | [], [] -> false
    | a :: r, b :: s -> p a b || exists2 p r s
    | _, _ -> invalid_arg "List.exists2"
  let rec rev_map2_onto f acc l1 l2 = match l1, l2 with
    | [], [] -> acc
    | a :: r, b :: s -> rev_map2_onto f (f a b :: acc) r s
    | _, _ -> invalid_arg "List.rev_map2"
  let rev_map2 f l1 l2 = rev_map2_onto f [] l1 l2
  let rec fold_right2 f l1 l2 acc = match l1, l2 with
    | [], [] -> acc
    | a :: r, b :: s -> f a b (fold_right2 f r s acc)
    | _, _ -> invalid_arg "List.fold_right2"
  let rec memq x l = match l with [] -> false | a :: r -> a == x || memq x r
  let rec assq x l = match l with [] -> raise Not_found | (a, b) :: r -> if a == x then b else assq x r
  let rec assq_opt x l = match l with [] -> None | (a, b) :: r -> if a == x then Some b else assq_opt x r
  let rec mem_assq x l = match l with [] -> false | (a, _) :: r -> a == x || mem_assq x r
  let rec find_map f l = match l with
    | [] -> None
    | a :: r -> (match f a with None -> find_map f r | Some _ as found -> found)
  let filteri p l =
    let rec go i acc l = match l with
      | [] -> rev acc
      | a :: r -> if p i a then go (i + 1) (a :: acc) r else go (i + 1) acc r
    in
    go 0 [] l
  let partition_map p l =
    let rec go left right l = match l with
      | [] -> (rev left, rev right)
      | a :: r -> (match p a with Either.Left v -> go (v :: left) right r | Either.Right v -> go left (v :: right) r)
    in
    go [] [] l
  let fold_left_map f acc l =
    let rec go acc out l = match l with
      | [] -> (acc, rev out)
      | a :: r -> let acc, b = f acc a in go acc (b :: out) r
    in
    go acc [] l
  let rec without_repeats cmp l = match l with
    | a :: (b :: _ as r) -> if cmp a b = 0 then without_repeats cmp (a :: tl r) else a :: without_repeats cmp r
    | _ -> l
  let sort_uniq cmp l = without_repeats cmp (stable_sort cmp l)
  let rec equal eq a b = match a, b with
    | [], [] -> true
    | x :: r, y :: s -> eq x y && equal eq r s
    | _, _ -> false
  let rec compare cmp a b = match a, b with
    | [], [] -> 0
    | [], _ -> -1
    | _, [] -> 1
    | x :: r, y :: s -> let c = cmp x y in if c <> 0 then c else compare cmp r s
  let rec to_seq l () = match l with [] -> Seq.Nil | a :: r -> Seq.Cons (a, to_seq r)
  let of_seq seq = rev (Seq.fold_left (fun acc x -> x :: acc) [] seq)
end

module Array = struct
  type 'a t = 'a array
  external length : 'a array -> int = "ArrayLength"
  external get : 'a array -> int -> 'a = "ArrayGet"
  external set : 'a array -> int -> 'a -> unit = "ArraySet"
  external unsafe_get : 'a array -> int -> 'a = "ArrayUnsafeGet"
  external unsafe_set : 'a array -> int -> 'a -> unit = "ArrayUnsafeSet"
  external make : int -> 'a -> 'a array = "ArrayMake"
  external create : int -> 'a -> 'a array = "ArrayMake"
  external sub : 'a array -> int -> int -> 'a array = "ArraySub"
  external append : 'a array -> 'a array -> 'a array = "ArrayAppend"
  external concat : 'a array list -> 'a array = "ArrayConcat"
  external blit : 'a array -> int -> 'a array -> int -> int -> unit = "ArrayBlit"
  external fill : 'a array -> int -> int -> 'a -> unit = "ArrayFill"
  let create_float n = make n 0.
  let copy a = if length a = 0 then [||] else sub a 0 (length a)
  let init n f =
    if n = 0 then [||]
    else if n < 0 then invalid_arg "Array.init"
    else begin
      let a = make n (f 0) in
      for i = 1 to n - 1 do unsafe_set a i (f i) done;
      a
    end
  let make_matrix m n x =
    let a = make m [||] in
    for i = 0 to m - 1 do unsafe_set a i (make n x) done;
    a
  let iter (f : 'a -> unit) a = for i = 0 to length a - 1 do f (unsafe_get a i) done
  let iteri (f : int -> 'a -> unit) a = for i = 0 to length a - 1 do f i (unsafe_get a i) done
  let iter2 f a b =
    if length a <> length b then invalid_arg "Array.iter2: arrays must have the same length"
    else for i = 0 to length a - 1 do f (unsafe_get a i) (unsafe_get b i) done
  let map f a =
    let n = length a in
    if n = 0 then [||]
    else begin
      let r = make n (f (unsafe_get a 0)) in
      for i = 1 to n - 1 do unsafe_set r i (f (unsafe_get a i)) done;
      r
    end
  let mapi f a =
    let n = length a in
    if n = 0 then [||]
    else begin
      let r = make n (f 0 (unsafe_get a 0)) in
      for i = 1 to n - 1 do unsafe_set r i (f i (unsafe_get a i)) done;
      r
    end
  let map2 f a b =
    let n = length a in
    if n <> length b then invalid_arg "Array.map2: arrays must have the same length"
    else if n = 0 then [||]
    else begin
      let r = make n (f (unsafe_get a 0) (unsafe_get b 0)) in
      for i = 1 to n - 1 do unsafe_set r i (f (unsafe_get a i) (unsafe_get b i)) done;
      r
    end
  let to_list a =
    let rec go i acc = if i < 0 then acc else go (i - 1) (unsafe_get a i :: acc) in
    go (length a - 1) []
  let of_list l = match l with
    | [] -> [||]
    | x :: rest ->
      let a = make (List.length l) x in
      let rec fill i l = match l with [] -> a | y :: r -> unsafe_set a i y; fill (i + 1) r in
      fill 1 rest
  let fold_left f acc a =
    let r = ref acc in
    for i = 0 to length a - 1 do r := f !r (unsafe_get a i) done;
    !r
  let fold_right f a acc =
    let r = ref acc in
    for i = length a - 1 downto 0 do r := f (unsafe_get a i) !r done;
    !r
  let exists p a = let n = length a in let rec go i = i < n && (p (unsafe_get a i) || go (i + 1)) in go 0
  let for_all p a = let n = length a in let rec go i = i >= n || (p (unsafe_get a i) && go (i + 1)) in go 0
  let for_all2 p a b =
    let n = length a in
    if n <> length b then invalid_arg "Array.for_all2"
    else let rec go i = i >= n || (p (unsafe_get a i) (unsafe_get b i) && go (i + 1)) in go 0
  let mem x a = exists (fun y -> compare y x = 0) a
  let memq x a = exists (fun y -> y == x) a
  let find_opt p a =
    let n = length a in
    let rec go i = if i >= n then None else let x = unsafe_get a i in if p x then Some x else go (i + 1) in
    go 0
  let split a = (map fst a, map snd a)
  let combine a b =
    if length a <> length b then invalid_arg "Array.combine" else map2 (fun x y -> (x, y)) a b
  let stable_sort cmp a = List.iteri (fun i x -> unsafe_set a i x) (List.stable_sort cmp (to_list a))
  let sort cmp a = stable_sort cmp a
  let fast_sort cmp a = stable_sort cmp a
  let to_seq a = let rec go i () = if i < length a then Seq.Cons (unsafe_get a i, go (i + 1)) else Seq.Nil in go 0
  let of_seq seq = of_list (List.of_seq seq)
end

module Lazy = struct
  type 'a t = 'a lazy_t
  exception Undefined
  (* How a suspension looks inside: 0 and a function, 1 and a value, 2 and a function that raises, 3 while it is computed. *)
  type 'a inside = { mutable state : int; mutable held : 'a }
  external look : 'a lazy_t -> (unit -> 'a) inside = "Identity"
  external done_ : 'a lazy_t -> 'a inside = "Identity"
  let force l =
    let inside = look l in
    match inside.state with
    | 1 -> (done_ l).held
    | 0 ->
      let f = inside.held in
      inside.state <- 3;
      (match f () with
       | v -> (done_ l).held <- v; inside.state <- 1; v
       | exception e -> inside.held <- (fun () -> raise e); inside.state <- 2; raise e)
    | 2 -> inside.held ()
    | _ -> raise Undefined
  let from_val v = lazy v
  let from_fun f = lazy (f ())
  let is_val l = (look l).state = 1
  let map f l = lazy (f (force l))
end

module Stack = struct
  type 'a t = { mutable c : 'a list; mutable len : int }
  exception Empty
  let create () = { c = []; len = 0 }
  let clear s = s.c <- []; s.len <- 0
  let copy s = { c = s.c; len = s.len }
  let push x s = s.c <- x :: s.c; s.len <- s.len + 1
  let pop s = match s.c with x :: r -> s.c <- r; s.len <- s.len - 1; x | [] -> raise Empty
  let pop_opt s = match s.c with x :: r -> s.c <- r; s.len <- s.len - 1; Some x | [] -> None
  let top s = match s.c with x :: _ -> x | [] -> raise Empty
  let top_opt s = match s.c with x :: _ -> Some x | [] -> None
  let is_empty s = s.c = []
  let length s = s.len
  let iter f s = List.iter f s.c
  let fold f acc s = List.fold_left f acc s.c
  let to_seq s = List.to_seq s.c
end

module Queue = struct
  type 'a cell = Nil | Cons of 'a content
  and 'a content = { value : 'a; mutable next : 'a cell }
  type 'a t = { mutable length : int; mutable first : 'a cell; mutable last : 'a cell }
  exception Empty
  let create () = { length = 0; first = Nil; last = Nil }
  let clear q = q.length <- 0; q.first <- Nil; q.last <- Nil
  let add x q =
    let cell = Cons { value = x; next = Nil } in
    match q.last with
    | Nil -> q.length <- 1; q.first <- cell; q.last <- cell
    | Cons last -> q.length <- q.length + 1; last.next <- cell; q.last <- cell
  let push x q = add x q
  let peek q = match q.first with Nil -> raise Empty | Cons c -> c.value
  let peek_opt q = match q.first with Nil -> None | Cons c -> Some c.value
  let top q = peek q
  let take q = match q.first with
    | Nil -> raise Empty
    | Cons { value; next = Nil } -> clear q; value
    | Cons c -> q.length <- q.length - 1; q.first <- c.next; c.value
  let pop q = take q
  let take_opt q = match q.first with Nil -> None | _ -> Some (take q)
  let is_empty q = q.length = 0
  let length q = q.length
  let rec iter_from f cell = match cell with Nil -> () | Cons c -> f c.value; iter_from f c.next
  let iter f q = iter_from f q.first
  let rec fold_from f acc cell = match cell with Nil -> acc | Cons c -> fold_from f (f acc c.value) c.next
  let fold f acc q = fold_from f acc q.first
  let copy q = let r = create () in iter (fun x -> add x r) q; r
  let transfer a b = iter (fun x -> add x b) a; clear a
  let to_seq q = let rec go cell () = match cell with Nil -> Seq.Nil | Cons c -> Seq.Cons (c.value, go c.next) in go q.first
end

module Buffer = struct
  type t = { mutable text : bytes; mutable used : int; first : int }
  let create n = let n = if n < 1 then 1 else n in { text = Bytes.create n; used = 0; first = n }
  let contents b = Bytes.sub_string b.text 0 b.used
  let to_bytes b = Bytes.sub b.text 0 b.used
  let sub b from n = if from < 0 || n < 0 || from > b.used - n then invalid_arg "Buffer.sub" else Bytes.sub_string b.text from n
  let nth b i = if i < 0 || i >= b.used then invalid_arg "Buffer.nth" else Bytes.unsafe_get b.text i
  let length b = b.used
  let clear b = b.used <- 0
  let reset b = b.used <- 0; b.text <- Bytes.create b.first
  let resize b more =
    let n = ref (Bytes.length b.text) in
    while b.used + more > !n do n := 2 * !n done;
    let text = Bytes.create !n in
    Bytes.blit b.text 0 text 0 b.used;
    b.text <- text
  let add_char b c =
    if b.used >= Bytes.length b.text then resize b 1;
    Bytes.unsafe_set b.text b.used c;
    b.used <- b.used + 1
  let add_string b s =
    let n = String.length s in
    if b.used + n > Bytes.length b.text then resize b n;
    Bytes.blit_string s 0 b.text b.used n;
    b.used <- b.used + n
  let add_bytes b s = add_string b (Bytes.to_string s)
  let add_substring b s from n = add_string b (String.sub s from n)
  let add_buffer b other = add_string b (contents other)
  let truncate b n = if n < 0 || n > b.used then invalid_arg "Buffer.truncate" else b.used <- n
  let blit b from target at n = Bytes.blit b.text from target at n
  let output_buffer channel b = output_string channel (contents b)
end

module Printf = struct
  let sprintf (f : ('a, unit, string) format) = apply_format f (fun s -> s)
  let printf (f : ('a, out_channel, unit) format) = apply_format f print_string
  let eprintf (f : ('a, out_channel, unit) format) = apply_format f prerr_string
  let fprintf channel (f : ('a, out_channel, unit) format) = apply_format f (fun s -> output_string channel s)
  let bprintf buffer (f : ('a, Buffer.t, unit) format) = apply_format f (fun s -> Buffer.add_string buffer s)
  let ksprintf k (f : ('a, unit, string, 'd) format4) = apply_format f k
  let kprintf k (f : ('a, unit, string, 'd) format4) = apply_format f k
end

module Digest = struct
  type t = string
  external string : string -> string = "Digest"
  let compare (a : string) b = compare a b
end

module Random = struct
  (* A lagged Fibonacci generator of 55 numbers of 30 bits, seeded by digests, as OCaml 4 has it. *)
  module State = struct
    type t = { numbers : int array; mutable at : int }
    let number_of d i = Char.code d.[i]
    let full_init s seed =
      let seed = if Array.length seed = 0 then [| 0 |] else seed in
      let l = Array.length seed in
      for i = 0 to 54 do s.numbers.(i) <- i done;
      let text = ref "x" in
      for i = 0 to 54 + max 55 l do
        text := Digest.string (!text ^ string_of_int seed.(i mod l));
        let d = !text in
        let n = number_of d 0 + (number_of d 1 lsl 8) + (number_of d 2 lsl 16) + (number_of d 3 lsl 24) in
        s.numbers.(i mod 55) <- (s.numbers.(i mod 55) lxor n) land 0x3FFFFFFF
      done;
      s.at <- 0
    let make seed = let s = { numbers = Array.make 55 0; at = 0 } in full_init s seed; s
    let copy s = { numbers = Array.copy s.numbers; at = s.at }
    let bits s =
      (* The state that nobody seeded is made when it is first asked. *)
      if s.at < 0 then full_init s [| 27182818 |];
      s.at <- (s.at + 1) mod 55;
      let old = s.numbers.(s.at) in
      let next = (s.numbers.((s.at + 24) mod 55) + (old lxor ((old lsr 25) land 0x1F))) land 0x3FFFFFFF in
      s.numbers.(s.at) <- next;
      next
    let rec below s n =
      let r = bits s in
      let v = r mod n in
      if r - v > 0x3FFFFFFF - n + 1 then below s n else v
    let int s n = if n > 0x3FFFFFFF || n <= 0 then invalid_arg "Random.int" else below s n
    let float s bound =
      let scale = 1073741824. in
      let a = float_of_int (bits s) in
      let b = float_of_int (bits s) in
      (a /. scale +. b) /. scale *. bound
    let bool s = bits s land 1 = 0
  end
  let default = { State.numbers = Array.make 55 0; at = -1 }
  let init n = State.full_init default [| n |]
  let full_init seed = State.full_init default seed
  let self_init () = init 1
  let bits () = State.bits default
  let int n = State.int default n
  let float x = State.float default x
  let bool () = State.bool default
  let get_state () = State.copy default
end

module Hashtbl = struct
  type ('a, 'b) bucket = Empty | Entry of 'a * 'b * ('a, 'b) bucket
  type ('a, 'b) t = { mutable size : int; mutable data : ('a, 'b) bucket array; first : int }
  external hash : 'a -> int = "Hash"
  let rec power_above x n = if x >= n then x else power_above (2 * x) n
  let create ?random n =
    ignore random;
    let n = power_above 16 n in
    { size = 0; data = Array.make n Empty; first = n }
  let clear h = if h.size > 0 then begin h.size <- 0; Array.fill h.data 0 (Array.length h.data) Empty end
  let reset h = h.size <- 0; h.data <- Array.make h.first Empty
  let copy h = { size = h.size; data = Array.copy h.data; first = h.first }
  let length h = h.size
  let rec put_last key data bucket = match bucket with
    | Empty -> Entry (key, data, Empty)
    | Entry (k, d, next) -> Entry (k, d, put_last key data next)
  let resize place h =
    let old = h.data in
    let n = 2 * Array.length old in
    h.data <- Array.make n Empty;
    let rec move bucket = match bucket with
      | Empty -> ()
      | Entry (key, data, next) ->
        let i = place h key in
        h.data.(i) <- put_last key data h.data.(i);
        move next
    in
    Array.iter move old
  let grow place h = if h.size > 2 * Array.length h.data then resize place h
  let place h key = hash key land (Array.length h.data - 1)
  let add h key data =
    let i = place h key in
    h.data.(i) <- Entry (key, data, h.data.(i));
    h.size <- h.size + 1;
    grow place h
  let rec removed equal key h bucket = match bucket with
    | Empty -> Empty
    | Entry (k, d, next) ->
      if equal k key then begin h.size <- h.size - 1; next end else Entry (k, d, removed equal key h next)
  let rec look_up equal key bucket = match bucket with
    | Empty -> raise Not_found
    | Entry (k, d, next) -> if equal k key then d else look_up equal key next
  let rec look_up_opt equal key bucket = match bucket with
    | Empty -> None
    | Entry (k, d, next) -> if equal k key then Some d else look_up_opt equal key next
  let rec all equal key bucket = match bucket with
    | Empty -> []
    | Entry (k, d, next) -> if equal k key then d :: all equal key next else all equal key next
  let rec is_in equal key bucket = match bucket with
    | Empty -> false
    | Entry (k, _, next) -> equal k key || is_in equal key next
  let rec replaced equal key data bucket = match bucket with
    | Empty -> Empty
    | Entry (k, d, next) ->
      if equal k key then Entry (key, data, next) else Entry (k, d, replaced equal key data next)
  let same a b = compare a b = 0
  let remove h key = let i = place h key in h.data.(i) <- removed same key h h.data.(i)
  let find h key = look_up same key h.data.(place h key)
  let find_opt h key = look_up_opt same key h.data.(place h key)
  let find_all h key = all same key h.data.(place h key)
  let mem h key = is_in same key h.data.(place h key)
  let replace h key data =
    let i = place h key in
    let bucket = h.data.(i) in
    if is_in same key bucket then h.data.(i) <- replaced same key data bucket
    else begin
      h.data.(i) <- Entry (key, data, bucket);
      h.size <- h.size + 1;
      grow place h
    end
  let rec iter_bucket (f : 'a -> 'b -> unit) bucket = match bucket with Empty -> () | Entry (k, d, next) -> f k d; iter_bucket f next
  let iter f h = Array.iter (fun bucket -> iter_bucket f bucket) h.data
  let rec fold_bucket f bucket acc = match bucket with
    | Empty -> acc
    | Entry (k, d, next) -> fold_bucket f next (f k d acc)
  let fold f h acc =
    let r = ref acc in
    for i = 0 to Array.length h.data - 1 do r := fold_bucket f h.data.(i) !r done;
    !r
  let rec kept f h bucket = match bucket with
    | Empty -> Empty
    | Entry (k, d, next) ->
      (match f k d with
       | None -> h.size <- h.size - 1; kept f h next
       | Some d -> let next = kept f h next in Entry (k, d, next))
  let filter_map_inplace f h =
    for i = 0 to Array.length h.data - 1 do h.data.(i) <- kept f h h.data.(i) done
  let to_seq h = List.to_seq (List.rev (fold (fun k d acc -> (k, d) :: acc) h []))
  let to_seq_keys h = Seq.map fst (to_seq h)
  let to_seq_values h = Seq.map snd (to_seq h)
  let add_seq h seq = Seq.iter (fun (k, d) -> add h k d) seq
  let replace_seq h seq = Seq.iter (fun (k, d) -> replace h k d) seq
  let of_seq seq = let h = create 16 in replace_seq h seq; h
  module type HashedType = sig type t val equal : t -> t -> bool val hash : t -> int end
  module Make (H : HashedType) = struct
    type key = H.t
    type 'a table = (key, 'a) t
    type 'a t = 'a table
    let create n : 'a t = create n
    let clear (h : 'a t) = clear h
    let reset (h : 'a t) = reset h
    let copy (h : 'a t) : 'a t = copy h
    let length (h : 'a t) = length h
    let place (h : 'a t) key = H.hash key land max_int land (Array.length h.data - 1)
    let add (h : 'a t) key data =
      let i = place h key in
      h.data.(i) <- Entry (key, data, h.data.(i));
      h.size <- h.size + 1;
      grow place h
    let remove (h : 'a t) key = let i = place h key in h.data.(i) <- removed H.equal key h h.data.(i)
    let find (h : 'a t) key = look_up H.equal key h.data.(place h key)
    let find_opt (h : 'a t) key = look_up_opt H.equal key h.data.(place h key)
    let find_all (h : 'a t) key = all H.equal key h.data.(place h key)
    let mem (h : 'a t) key = is_in H.equal key h.data.(place h key)
    let replace (h : 'a t) key data =
      let i = place h key in
      let bucket = h.data.(i) in
      if is_in H.equal key bucket then h.data.(i) <- replaced H.equal key data bucket
      else begin
        h.data.(i) <- Entry (key, data, bucket);
        h.size <- h.size + 1;
        grow place h
      end
    let iter f (h : 'a t) = iter f h
    let fold f (h : 'a t) acc = fold f h acc
  end
end

module Map = struct
  module type OrderedType = sig type t val compare : t -> t -> int end
  module Make (Ord : OrderedType) = struct
    type key = Ord.t
    type 'a t = Empty | Node of 'a t * key * 'a * 'a t * int
    let height m = match m with Empty -> 0 | Node (_, _, _, _, h) -> h
    let create l k d r =
      let hl = height l and hr = height r in
      Node (l, k, d, r, if hl >= hr then hl + 1 else hr + 1)
    let singleton k d = Node (Empty, k, d, Empty, 1)
    let bal l k d r =
      let hl = height l and hr = height r in
      if hl > hr + 2 then
        match l with
        | Empty -> invalid_arg "Map.bal"
        | Node (ll, lk, ld, lr, _) ->
          if height ll >= height lr then create ll lk ld (create lr k d r)
          else
            (match lr with
             | Empty -> invalid_arg "Map.bal"
             | Node (lrl, lrk, lrd, lrr, _) -> create (create ll lk ld lrl) lrk lrd (create lrr k d r))
      else if hr > hl + 2 then
        match r with
        | Empty -> invalid_arg "Map.bal"
        | Node (rl, rk, rd, rr, _) ->
          if height rr >= height rl then create (create l k d rl) rk rd rr
          else
            (match rl with
             | Empty -> invalid_arg "Map.bal"
             | Node (rll, rlk, rld, rlr, _) -> create (create l k d rll) rlk rld (create rlr rk rd rr))
      else Node (l, k, d, r, if hl >= hr then hl + 1 else hr + 1)
    let empty = Empty
    let is_empty m = match m with Empty -> true | _ -> false
    let rec add k d m = match m with
      | Empty -> Node (Empty, k, d, Empty, 1)
      | Node (l, v, e, r, h) ->
        let c = Ord.compare k v in
        if c = 0 then Node (l, k, d, r, h)
        else if c < 0 then bal (add k d l) v e r
        else bal l v e (add k d r)
    let rec find k m = match m with
      | Empty -> raise Not_found
      | Node (l, v, d, r, _) ->
        let c = Ord.compare k v in
        if c = 0 then d else find k (if c < 0 then l else r)
    let rec find_opt k m = match m with
      | Empty -> None
      | Node (l, v, d, r, _) ->
        let c = Ord.compare k v in
        if c = 0 then Some d else find_opt k (if c < 0 then l else r)
    let rec mem k m = match m with
      | Empty -> false
      | Node (l, v, _, r, _) ->
        let c = Ord.compare k v in
        c = 0 || mem k (if c < 0 then l else r)
    let rec min_binding m = match m with
      | Empty -> raise Not_found
      | Node (Empty, k, d, _, _) -> (k, d)
      | Node (l, _, _, _, _) -> min_binding l
    let min_binding_opt m = match m with Empty -> None | _ -> Some (min_binding m)
    let rec max_binding m = match m with
      | Empty -> raise Not_found
      | Node (_, k, d, Empty, _) -> (k, d)
      | Node (_, _, _, r, _) -> max_binding r
    let max_binding_opt m = match m with Empty -> None | _ -> Some (max_binding m)
    let choose m = min_binding m
    let choose_opt m = min_binding_opt m
    let rec remove_min_binding m = match m with
      | Empty -> invalid_arg "Map.remove_min_elt"
      | Node (Empty, _, _, r, _) -> r
      | Node (l, k, d, r, _) -> bal (remove_min_binding l) k d r
    let merge_both a b = match a, b with
      | Empty, t | t, Empty -> t
      | _ -> let k, d = min_binding b in bal a k d (remove_min_binding b)
    let rec remove k m = match m with
      | Empty -> Empty
      | Node (l, v, d, r, _) ->
        let c = Ord.compare k v in
        if c = 0 then merge_both l r else if c < 0 then bal (remove k l) v d r else bal l v d (remove k r)
    let update k f m =
      match f (find_opt k m) with None -> remove k m | Some d -> add k d m
    let rec iter (f : key -> 'a -> unit) m = match m with Empty -> () | Node (l, k, d, r, _) -> iter f l; f k d; iter f r
    let rec map f m = match m with
      | Empty -> Empty
      | Node (l, k, d, r, h) ->
        let l = map f l in
        let d = f d in
        let r = map f r in
        Node (l, k, d, r, h)
    let rec mapi f m = match m with
      | Empty -> Empty
      | Node (l, k, d, r, h) ->
        let l = mapi f l in
        let d = f k d in
        let r = mapi f r in
        Node (l, k, d, r, h)
    let rec fold f m acc = match m with Empty -> acc | Node (l, k, d, r, _) -> fold f r (f k d (fold f l acc))
    let rec for_all p m = match m with Empty -> true | Node (l, k, d, r, _) -> p k d && for_all p l && for_all p r
    let rec exists p m = match m with Empty -> false | Node (l, k, d, r, _) -> p k d || exists p l || exists p r
    let filter p m = fold (fun k d acc -> if p k d then add k d acc else acc) m empty
    let filter_map f m = fold (fun k d acc -> match f k d with None -> acc | Some e -> add k e acc) m empty
    let partition p m = (filter p m, filter (fun k d -> not (p k d)) m)
    let rec cardinal m = match m with Empty -> 0 | Node (l, _, _, r, _) -> cardinal l + 1 + cardinal r
    let rec bindings_onto acc m = match m with
      | Empty -> acc
      | Node (l, k, d, r, _) -> bindings_onto ((k, d) :: bindings_onto acc r) l
    let bindings m = bindings_onto [] m
    let union f a b =
      fold (fun k d acc -> match find_opt k acc with
        | None -> add k d acc
        | Some e -> (match f k e d with None -> remove k acc | Some v -> add k v acc)) b a
    let merge f a b =
      let keys = List.sort_uniq Ord.compare (List.map fst (bindings a) @ List.map fst (bindings b)) in
      List.fold_left (fun acc k -> match f k (find_opt k a) (find_opt k b) with
        | None -> acc
        | Some v -> add k v acc) empty keys
    let equal eq a b =
      List.equal (fun (k, d) (l, e) -> Ord.compare k l = 0 && eq d e) (bindings a) (bindings b)
    let compare cmp a b =
      List.compare (fun (k, d) (l, e) -> let c = Ord.compare k l in if c <> 0 then c else cmp d e) (bindings a) (bindings b)
    let split k m =
      let low = filter (fun l _ -> Ord.compare l k < 0) m and high = filter (fun l _ -> Ord.compare l k > 0) m in
      (low, find_opt k m, high)
    let find_first_opt p m = List.find_opt (fun (k, _) -> p k) (bindings m)
    let to_seq m = List.to_seq (bindings m)
    let add_seq seq m = Seq.fold_left (fun m (k, d) -> add k d m) m seq
    let of_seq seq = add_seq seq empty
  end
end

module Set = struct
  module type OrderedType = sig type t val compare : t -> t -> int end
  module Make (Ord : OrderedType) = struct
    type elt = Ord.t
    type t = Empty | Node of t * elt * t * int
    let height s = match s with Empty -> 0 | Node (_, _, _, h) -> h
    let create l v r =
      let hl = height l and hr = height r in
      Node (l, v, r, if hl >= hr then hl + 1 else hr + 1)
    let bal l v r =
      let hl = height l and hr = height r in
      if hl > hr + 2 then
        match l with
        | Empty -> invalid_arg "Set.bal"
        | Node (ll, lv, lr, _) ->
          if height ll >= height lr then create ll lv (create lr v r)
          else
            (match lr with
             | Empty -> invalid_arg "Set.bal"
             | Node (lrl, lrv, lrr, _) -> create (create ll lv lrl) lrv (create lrr v r))
      else if hr > hl + 2 then
        match r with
        | Empty -> invalid_arg "Set.bal"
        | Node (rl, rv, rr, _) ->
          if height rr >= height rl then create (create l v rl) rv rr
          else
            (match rl with
             | Empty -> invalid_arg "Set.bal"
             | Node (rll, rlv, rlr, _) -> create (create l v rll) rlv (create rlr rv rr))
      else Node (l, v, r, if hl >= hr then hl + 1 else hr + 1)
    let empty = Empty
    let is_empty s = match s with Empty -> true | _ -> false
    let singleton x = Node (Empty, x, Empty, 1)
    let rec mem x s = match s with
      | Empty -> false
      | Node (l, v, r, _) ->
        let c = Ord.compare x v in
        c = 0 || mem x (if c < 0 then l else r)
    let rec add x s = match s with
      | Empty -> Node (Empty, x, Empty, 1)
      | Node (l, v, r, _) ->
        let c = Ord.compare x v in
        if c = 0 then s else if c < 0 then bal (add x l) v r else bal l v (add x r)
    let rec min_elt s = match s with
      | Empty -> raise Not_found
      | Node (Empty, v, _, _) -> v
      | Node (l, _, _, _) -> min_elt l
    let min_elt_opt s = match s with Empty -> None | _ -> Some (min_elt s)
    let rec max_elt s = match s with
      | Empty -> raise Not_found
      | Node (_, v, Empty, _) -> v
      | Node (_, _, r, _) -> max_elt r
    let max_elt_opt s = match s with Empty -> None | _ -> Some (max_elt s)
    let choose s = min_elt s
    let choose_opt s = min_elt_opt s
    let rec remove_min_elt s = match s with
      | Empty -> invalid_arg "Set.remove_min_elt"
      | Node (Empty, _, r, _) -> r
      | Node (l, v, r, _) -> bal (remove_min_elt l) v r
    let merge a b = match a, b with
      | Empty, t | t, Empty -> t
      | _ -> bal a (min_elt b) (remove_min_elt b)
    let rec remove x s = match s with
      | Empty -> Empty
      | Node (l, v, r, _) ->
        let c = Ord.compare x v in
        if c = 0 then merge l r else if c < 0 then bal (remove x l) v r else bal l v (remove x r)
    let rec iter (f : elt -> unit) s = match s with Empty -> () | Node (l, v, r, _) -> iter f l; f v; iter f r
    let rec fold f s acc = match s with Empty -> acc | Node (l, v, r, _) -> fold f r (f v (fold f l acc))
    let rec elements_onto acc s = match s with
      | Empty -> acc
      | Node (l, v, r, _) -> elements_onto (v :: elements_onto acc r) l
    let elements s = elements_onto [] s
    let to_list s = elements s
    let rec cardinal s = match s with Empty -> 0 | Node (l, _, r, _) -> cardinal l + 1 + cardinal r
    let union a b = fold add b a
    let filter p s = fold (fun x acc -> if p x then add x acc else acc) s empty
    let inter a b = filter (fun x -> mem x b) a
    let diff a b = filter (fun x -> not (mem x b)) a
    let partition p s = (filter p s, filter (fun x -> not (p x)) s)
    let rec for_all p s = match s with Empty -> true | Node (l, v, r, _) -> p v && for_all p l && for_all p r
    let rec exists p s = match s with Empty -> false | Node (l, v, r, _) -> p v || exists p l || exists p r
    let subset a b = for_all (fun x -> mem x b) a
    let disjoint a b = not (exists (fun x -> mem x b) a)
    let compare a b = List.compare Ord.compare (elements a) (elements b)
    let equal a b = compare a b = 0
    let of_list l = List.fold_left (fun s x -> add x s) empty l
    let map f s = of_list (List.map f (elements s))
    let filter_map f s = of_list (List.filter_map f (elements s))
    let find x s = if mem x s then List.find (fun y -> Ord.compare x y = 0) (elements s) else raise Not_found
    let find_opt x s = List.find_opt (fun y -> Ord.compare x y = 0) (elements s)
    let find_first p s = List.find p (elements s)
    let split x s = (filter (fun y -> Ord.compare y x < 0) s, mem x s, filter (fun y -> Ord.compare y x > 0) s)
    let to_seq s = List.to_seq (elements s)
    let of_seq seq = of_list (List.of_seq seq)
    let add_seq seq s = Seq.fold_left (fun s x -> add x s) s seq
  end
end

