(* Counts the paper's constructs while it interprets a program, on OCaml's own parse and type trees: an oracle that shares nothing with the
   machine. For each program of FILE it prints `(*** NAME ***)` and, for every definition of values or expression at top level, one line of
   `construct=count` pairs. Built with compiler-libs (see count.sh). Programs that use the standard library beyond arithmetic, comparison
   and `raise` are left out: what the library costs is the library's matter. *)
open Typedtree

type v =
  | Int of int | Float of float | Str of string
  | Block of string * v list               (* tuple "", constructor or record *)
  | Fun of int * (v list -> v)
  | Part of v * v list

exception Raised of v
exception Unsupported of string

let counts : (string, int) Hashtbl.t = Hashtbl.create 50
let charge name n = if n > 0 then Hashtbl.replace counts name (n + Option.value ~default:0 (Hashtbl.find_opt counts name))

module Scope = Map.Make (struct type t = Ident.t let compare = Ident.compare end)

let fuel = ref 0
let tick () = decr fuel; if !fuel < 0 then raise (Unsupported "too long")

let rec apply f args = match f with
  | Fun (n, code) ->
    let given = List.length args in
    if given < n then Part (f, args)
    else
      let rec cut k l = if k = 0 then [], l else match l with x :: r -> let a, b = cut (k - 1) r in x :: a, b | [] -> [], [] in
      let now, later = cut n args in
      let result = code now in
      if later = [] then result else apply result later
  | Part (g, held) -> apply g (held @ args)
  | _ -> raise (Unsupported "application")

let rec order a b = match a, b with
  | Int x, Int y -> compare x y
  | Float x, Float y -> if x < y then -1 else if x > y then 1 else 0
  | Str x, Str y -> compare x y
  | Block (c, x), Block (d, y) when c = d -> List.fold_left2 (fun o p q -> if o <> 0 then o else order p q) 0 x y
  | _ -> raise (Unsupported "comparison")

let base env ty = match (Ctype.repr (try Ctype.expand_head env ty with _ -> ty)).desc with
  | Types.Tconstr (p, _, _) -> Path.name p
  | _ -> "?"

(* Elements of the tuples and records of a pattern. *)
let rec elements : type k. k general_pattern -> int = fun p -> match p.pat_desc with
  | Tpat_tuple l -> List.length l + List.fold_left (fun n p -> n + elements p) 0 l
  | Tpat_record (l, _) -> List.length l + List.fold_left (fun n (_, _, p) -> n + elements p) 0 l
  | Tpat_construct (_, _, l, _) -> List.fold_left (fun n p -> n + elements p) 0 l
  | Tpat_alias (p, _, _) -> elements p
  | Tpat_or (p, _, _) -> elements p
  | Tpat_value p -> elements (p :> value general_pattern)
  | _ -> 0

let rec bind : type k. k general_pattern -> v -> v Scope.t -> v Scope.t option = fun p v env ->
  match p.pat_desc, v with
  | Tpat_any, _ -> Some env
  | Tpat_var (id, _), _ -> Some (Scope.add id v env)
  | Tpat_alias (p, id, _), _ -> Option.map (Scope.add id v) (bind p v env)
  | Tpat_constant (Const_int n), Int m -> if n = m then Some env else None
  | Tpat_constant (Const_char c), Int m -> if Char.code c = m then Some env else None
  | Tpat_constant (Const_string (s, _, _)), Str t -> if s = t then Some env else None
  | Tpat_constant (Const_float s), Float f -> if float_of_string s = f then Some env else None
  | Tpat_tuple l, Block (_, vs) -> all l vs env
  | Tpat_construct (_, d, l, _), Block (name, vs) -> if d.cstr_name = name then all l vs env else None
  | Tpat_record (l, _), Block (_, vs) ->
    List.fold_left (fun env (_, (d : Types.label_description), p) -> Option.bind env (bind p (List.nth vs d.lbl_pos))) (Some env) l
  | Tpat_or (a, b, _), _ -> (match bind a v env with None -> bind b v env | r -> r)
  | Tpat_value p, _ -> bind (p :> value general_pattern) v env
  | _ -> raise (Unsupported "pattern")
and all : type k. k general_pattern list -> v list -> v Scope.t -> v Scope.t option = fun l vs env ->
  List.fold_left2 (fun env p v -> Option.bind env (bind p v)) (Some env) l vs

let exn name args = Block (name, args)
let truth b = Block ((if b then "true" else "false"), [])
let is_true = function Block ("true", _) -> true | _ -> false

(* Identifiers defined at top level: functions do not capture them. *)
let globals : (Ident.t, unit) Hashtbl.t = Hashtbl.create 50

let free_variables (e : expression) bound =
  let found = ref [] and local = ref bound in
  let open Tast_iterator in
  let pat : type k. iterator -> k general_pattern -> unit = fun it p ->
    (match p.pat_desc with Tpat_var (id, _) | Tpat_alias (_, id, _) -> local := id :: !local | _ -> ());
    default_iterator.pat it p in
  let expr it e =
    (match e.exp_desc with Texp_ident (Path.Pident id, _, _) -> found := id :: !found | _ -> ());
    default_iterator.expr it e in
  let it = { default_iterator with pat; expr } in
  it.expr it e;
  List.sort_uniq Ident.compare (List.filter (fun id -> not (List.exists (Ident.same id) !local) && not (Hashtbl.mem globals id)) !found)

let int_op = [ "+", ("IntAdd", ( + )); "-", ("IntSub", ( - )); "*", ("IntMult", ( * )) ]
let float_op = [ "+.", ("FloatAdd", ( +. )); "-.", ("FloatSub", ( -. )); "*.", ("FloatMult", ( *. )); "/.", ("FloatDiv", ( /. )) ]
let comparisons = [ "=", "Eq"; "<>", "Eq"; "<", "LT"; "<=", "LE"; ">", "GT"; ">=", "GE" ]

let holds op o = match op with "=" -> o = 0 | "<>" -> o <> 0 | "<" -> o < 0 | "<=" -> o <= 0 | ">" -> o > 0 | _ -> o >= 0

(* Constructors without arguments compare as words. *)
let is_constant e = match e.exp_desc with Texp_construct (_, { cstr_tag = Cstr_constant _; _ }, []) | Texp_constant (Const_int _) -> true | _ -> false

let immediate env ty = match base env ty with
  | "int" | "char" | "bool" | "unit" -> true
  | _ -> (try Ctype.immediacy env ty = Type_immediacy.Always with _ -> false)

let source = ref ""

(* Values of the library, by path. *)
let library : (string, v) Hashtbl.t = Hashtbl.create 200

let short p =
  let n = Path.name p in
  let n = if String.length n > 7 && String.sub n 0 7 = "Stdlib." then String.sub n 7 (String.length n - 7) else n in
  match String.index_opt n '_' with
  | Some i when String.length n > 9 && String.sub n 0 8 = "Stdlib__" -> ignore i; String.sub n 8 (String.length n - 8)
  | _ -> n

let rec eval env tail e = tick (); match e.exp_desc with
  | Texp_constant (Const_int n) -> Int n
  | Texp_constant (Const_char c) -> Int (Char.code c)
  | Texp_constant (Const_float s) -> Float (float_of_string s)
  | Texp_constant (Const_string (s, _, _)) -> Str s
  | Texp_ident (Path.Pident id, _, _) -> (match Scope.find_opt id env with Some v -> v | None -> raise (Unsupported (Ident.name id)))
  | Texp_ident (p, _, _) ->
    (match Hashtbl.find_opt library (short p) with
     | Some v -> v
     | None ->
       let n = short p in
       if List.mem_assoc n int_op || List.mem_assoc n float_op || List.mem_assoc n comparisons then primitive n e else raise (Unsupported n))
  | Texp_construct (_, d, []) -> Block (d.cstr_name, [])
  | Texp_construct (_, d, args) ->
    let vs = values env args in
    if base e.exp_env e.exp_type <> "exn" then (charge "tupleHead" 1; charge "tupleElem" (List.length vs));
    Block (d.cstr_name, vs)
  | Texp_tuple l -> let vs = values env l in charge "tupleHead" 1; charge "tupleElem" (List.length vs); Block ("", vs)
  | Texp_record { fields; extended_expression = None; _ } ->
    let es = Array.to_list (Array.map (function (_, Overridden (_, e)) -> e | _ -> raise (Unsupported "record")) fields) in
    let vs = values env es in
    charge "tupleHead" 1; charge "tupleElem" (List.length vs); Block ("{}", vs)
  | Texp_field (e, _, d) ->
    (match eval env false e with Block (_, vs) -> charge "tupleMatch" 1; List.nth vs d.lbl_pos | _ -> raise (Unsupported "field"))
  | Texp_ifthenelse (c, a, b) ->
    if is_true (eval env false c) then eval env tail a
    else (match b with Some b -> eval env tail b | None -> Block ("()", []))
  | Texp_sequence (a, b) -> ignore (eval env false a); eval env tail b
  | Texp_match (v, cases, _) ->
    (* A tuple taken apart at once is evaluated from the left. *)
    let v = match v.exp_desc with
      | Texp_tuple l ->
        let vs = List.map (eval env false) l in
        charge "tupleHead" 1; charge "tupleElem" (List.length vs); Block ("", vs)
      | _ -> eval env false v in
    (* The type checker makes a match of a `let` with a constructor. *)
    let from = e.exp_loc.loc_start.pos_cnum in
    let is_let = from + 4 <= String.length !source && String.sub !source from 4 = "let " in
    if is_let then charge "letdata" 1 else charge "patternMatch" (List.length cases);
    clauses env tail cases v (fun () -> raise (Raised (exn "Match_failure" [])))
  | Texp_try (body, cases) ->
    charge "try" 1;
    (match eval env false body with
     | v -> v
     | exception Raised v -> charge "patternMatch" (List.length cases); clauses env tail cases v (fun () -> raise (Raised v)))
  | Texp_let (Nonrecursive, bindings, body) ->
    (* Bindings do not see each other. *)
    let env' = List.fold_left (fun acc b -> binding env acc b) env bindings in
    eval env' tail body
  | Texp_let (Recursive, bindings, body) -> eval (recursive env bindings) tail body
  | Texp_function _ ->
    charge "FunDef" 1;
    charge "closure" (List.length (List.filter (fun id -> Scope.mem id env) (free_variables e [])));
    closure env e
  | Texp_apply (f, args) ->
    let args = List.map (function (_, Some a) -> a | _ -> raise (Unsupported "label")) args in
    application env tail f args
  | _ -> raise (Unsupported "expression")

and values env l = List.rev (List.map (eval env false) (List.rev l))

and clauses : type k. v Scope.t -> bool -> k case list -> v -> (unit -> v) -> v = fun env tail cases v otherwise ->
  match cases with
  | [] -> otherwise ()
  | c :: rest ->
    match bind c.c_lhs v env with
    | Some env' when (match c.c_guard with None -> true | Some g -> is_true (eval env' false g)) ->
      charge "tupleMatch" (elements c.c_lhs);
      eval env' tail c.c_rhs
    | _ -> clauses env tail rest v otherwise

and binding env acc b =
  let v = eval env false b.vb_expr in
  (match b.vb_expr.exp_desc, b.vb_pat.pat_desc with
   | Texp_function _, _ -> charge "letlambda" 1
   | _, Tpat_tuple _ -> ()
   | _ -> charge "letdata" 1);
  charge "tupleMatch" (elements b.vb_pat);
  match bind b.vb_pat v acc with Some env -> env | None -> raise (Raised (exn "Match_failure" []))

and recursive env bindings =
  let ids = List.map (fun b -> match b.vb_pat.pat_desc with Tpat_var (id, _) -> id | _ -> raise (Unsupported "rec")) bindings in
  let env' = ref env in
  List.iter2 (fun id b ->
    charge "letrec" 1;
    charge "FunDef" 1;
    charge "closure" (List.length (List.filter (fun id -> Scope.mem id env) (free_variables b.vb_expr ids)));
    let made = lazy (closure !env' b.vb_expr) in
    let arity = arity b.vb_expr in
    env' := Scope.add id (Fun (arity, fun args -> apply (Lazy.force made) args)) !env') ids bindings;
  !env'

(* `fun p -> fun q -> …` is one function; a function by cases ends it. *)
and parameters e = match e.exp_desc with
  | Texp_function { cases = [ { c_lhs; c_guard = None; c_rhs } ]; partial = Total; _ } when not (by_cases e) ->
    let more, body = parameters c_rhs in
    `Pattern c_lhs :: more, body
  | Texp_function { cases; _ } when not (List.length cases = 1 && not (by_cases e)) -> [ `Cases cases ], None
  | _ -> [], Some e

(* `function` is a match, even of one clause; `fun` is none. The parser leaves no other trace than the place of the pattern. *)
and by_cases e = match e.exp_desc with
  | Texp_function { cases = [ _ ]; _ } ->
    (* The library is a text of its own, of which no function by cases has one clause. *)
    let text = if e.exp_loc.loc_start.pos_fname = "library" then "" else !source in
    let from = e.exp_loc.loc_start.pos_cnum in
    from + 8 <= String.length text && String.sub text from 8 = "function"
  | Texp_function _ -> true
  | _ -> false

and arity e = List.length (fst (parameters e))

(* An operator as a value is a function that applies it. *)
and primitive name e =
  charge "FunDef" 1;
  let ty = match (Ctype.repr e.exp_type).desc with Types.Tarrow (_, a, _, _) -> a | _ -> e.exp_type in
  Fun (2, function
    | [ Int x; Int y ] when List.mem_assoc name int_op -> let c, op = List.assoc name int_op in charge c 1; Int (op x y)
    | [ Float x; Float y ] when List.mem_assoc name float_op -> let c, op = List.assoc name float_op in charge c 1; Float (op x y)
    | [ x; y ] ->
      let s = List.assoc name comparisons in
      charge (if immediate e.exp_env ty then "IntCond" ^ s else match base e.exp_env ty with "float" -> "FloatCond" ^ s | "string" -> "StringCond" | _ -> "PolyCond") 1;
      truth (holds name (order x y))
    | _ -> raise (Unsupported name))

and closure env e =
  let ps, body = parameters e in
  Fun (List.length ps, fun args ->
    tick ();
    let rec go env ps args = match ps, args with
      | [], [] -> (match body with Some b -> eval env true b | None -> assert false)
      | `Pattern p :: ps, v :: args ->
        charge "tupleMatch" (elements p);
        (match bind p v env with Some env -> go env ps args | None -> raise (Raised (exn "Match_failure" [])))
      | [ `Cases cases ], [ v ] ->
        charge "patternMatch" (List.length cases);
        clauses env true cases v (fun () -> raise (Raised (exn "Match_failure" [])))
      | _ -> assert false
    in
    go env ps args)

and application env tail f args =
  let name = match f.exp_desc with
    | Texp_ident (Path.Pdot _ as p, _, _) -> short p
    | _ -> "" in
  match name, args with
  | ("&&" | "||"), [ a; b ] ->
    let x = eval env false a in
    charge (if name = "&&" then "BoolAnd" else "BoolOr") 1;
    if is_true x = (name = "&&") then eval env tail b else x
  | "not", [ a ] -> let x = eval env false a in charge "BoolNot" 1; truth (not (is_true x))
  | "~-", [ a ] -> (match eval env false a with Int n -> charge "IntUMinus" 1; Int (-n) | _ -> assert false)
  | "~-.", [ a ] -> (match eval env false a with Float n -> charge "FloatUMinus" 1; Float (-.n) | _ -> assert false)
  | "compare", [ _; _ ] ->
    (match values env args with [ x; y ] -> charge "PolyCond" 1; Int (order x y) | _ -> assert false)
  | "^", [ _; _ ] ->
    (match values env args with [ Str x; Str y ] -> charge "primitive" 1; Str (x ^ y) | _ -> assert false)
  | "string_of_int", [ a ] -> (match eval env false a with Int n -> charge "primitive" 1; Str (string_of_int n) | _ -> assert false)
  | "raise", [ a ] -> let v = eval env false a in charge "raise" 1; raise (Raised v)
  | ("/" | "mod"), [ a; b ] ->
    (match values env args with
     | [ Int x; Int y ] ->
       charge (if name = "/" then "IntDiv" else "IntMod") 1;
       if y = 0 then raise (Raised (exn "Division_by_zero" [])) else Int (if name = "/" then x / y else x mod y)
     | _ -> ignore (a, b); assert false)
  | _, [ a; b ] when List.mem_assoc name comparisons ->
    let vs = values env args in
    let short = List.assoc name comparisons in
    let ty = a.exp_type in
    let equality = name = "=" || name = "<>" in
    charge
      (if (equality && (is_constant a || is_constant b)) || immediate a.exp_env ty then "IntCond" ^ short
       else match base a.exp_env ty with "float" -> "FloatCond" ^ short | "string" -> "StringCond" | _ -> "PolyCond") 1;
    (match vs with
     | [ Block (c, _); Block (d, _) ] when c <> d && equality -> truth (name = "<>")
     | [ x; y ] -> truth (holds name (order x y))
     | _ -> assert false)
  | _, [ _; _ ] when List.mem_assoc name int_op ->
    let construct, op = List.assoc name int_op in
    (match values env args with [ Int x; Int y ] -> charge construct 1; Int (op x y) | _ -> assert false)
  | _, [ _; _ ] when List.mem_assoc name float_op ->
    let construct, op = List.assoc name float_op in
    (match values env args with [ Float x; Float y ] -> charge construct 1; Float (op x y) | _ -> assert false)
  | _, _ when name = "" || Hashtbl.mem library name ->
    let vs = values env args in
    let g = eval env false f in
    charge (if tail then "TailApp" else "FunApp") 1;
    apply g vs
  | _ -> raise (Unsupported name)

let read file =
  let channel = open_in_bin file in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  text

let programs text =
  let is_head line = String.length line > 9 && String.sub line 0 5 = "(*** " in
  let name line = String.trim (String.sub line 5 (String.length line - 10)) in
  let add programs line =
    if is_head line then (name line, Buffer.create 100) :: programs
    else match programs with
      | [] -> []
      | (_, text) :: _ -> Buffer.add_string text line; Buffer.add_char text '\n'; programs
  in
  List.rev_map (fun (n, b) -> n, Buffer.contents b) (List.fold_left add [] (String.split_on_char '\n' text))

let line () =
  let pairs = Hashtbl.fold (fun k n l -> Printf.sprintf "%s=%d" k n :: l) counts [] in
  Hashtbl.reset counts;
  String.concat " " (List.sort compare pairs)

let rec names : type k. k general_pattern -> Ident.t list = fun p -> List.map (fun (id, _, _) -> id) (pat_bound_idents_full' p)
and pat_bound_idents_full' : type k. k general_pattern -> (Ident.t * unit * unit) list = fun p ->
  let found = ref [] in
  let open Tast_iterator in
  let pat : type k. iterator -> k general_pattern -> unit = fun it p ->
    (match p.pat_desc with Tpat_var (id, _) | Tpat_alias (_, id, _) -> found := (id, (), ()) :: !found | _ -> ());
    default_iterator.pat it p in
  let it = { default_iterator with pat } in
  it.pat it p; !found

let rec item out env it = match it.str_desc with
  | Tstr_value (Nonrecursive, bindings) ->
    let env' = List.fold_left (fun acc b -> binding env acc b) env bindings in
    List.iter (fun b -> List.iter (fun id -> Hashtbl.replace globals id ()) (names b.vb_pat)) bindings;
    out (line ()); env'
  | Tstr_value (Recursive, bindings) ->
    List.iter (fun b -> List.iter (fun id -> Hashtbl.replace globals id ()) (names b.vb_pat)) bindings;
    let env' = recursive env bindings in
    out (line ()); env'
  | Tstr_eval (e, _) -> ignore (eval env false e); out (line ()); env
  | Tstr_type _ | Tstr_exception _ -> env
  | Tstr_module { mb_expr = { mod_desc = Tmod_structure str; _ }; mb_name = { txt = Some name }; _ } ->
    let inner = List.fold_left (item out) env str.str_items in
    Scope.iter (fun id v -> if not (Scope.mem id env) then Hashtbl.replace library (name ^ "." ^ Ident.name id) v) inner;
    env
  | _ -> raise (Unsupported "item")

(* The library in the subset, without what it takes from the machine. *)
let load file =
  let keep line =
    let starts p l = String.length l >= String.length p && String.sub l 0 (String.length p) = p in
    not (starts "external" (String.trim line) || starts "exception" line || starts "type" line || starts "let print" line) in
  let text = String.concat "\n" (List.filter keep (String.split_on_char '\n' (read file))) in
  fuel := 1_000_000;
  let lexbuf = Lexing.from_string text in
  Lexing.set_filename lexbuf "library";
  let structure, _, _, _ = Typemod.type_structure (Compmisc.initial_env ()) (Parse.implementation lexbuf) in
  let step env i = try item ignore env i with Unsupported _ -> env in
  let env = List.fold_left step Scope.empty structure.str_items in
  Scope.iter (fun id v -> Hashtbl.replace library (Ident.name id) v) env

let () =
  Warnings.parse_options false "-a" |> ignore;
  Compmisc.init_path ();
  load Sys.argv.(2);
  let own = Hashtbl.copy globals in
  let initial = Hashtbl.copy library in
  List.iter (fun (name, text) ->
    Hashtbl.reset globals; Hashtbl.iter (Hashtbl.replace globals) own;
    Hashtbl.reset library; Hashtbl.iter (Hashtbl.replace library) initial; Hashtbl.reset counts;
    source := text; fuel := 5_000_000;
    let env = Compmisc.initial_env () in
    match Typemod.type_structure env (Parse.implementation (Lexing.from_string text)) with
    | exception _ -> ()
    | structure, _, _, _ ->
      let lines = ref [] in
      let out l = lines := l :: !lines in
      let print () = Printf.printf "(*** %s ***)\n" name; List.iter print_endline (List.rev !lines) in
      match List.fold_left (item out) Scope.empty structure.str_items with
      | _ -> print ()
      | exception Raised _ -> out (line ()); print ()
      | exception Unsupported what -> prerr_endline (name ^ ": " ^ what)
      | exception error -> prerr_endline (name ^ ": " ^ Printexc.to_string error)) (programs (read Sys.argv.(1)))
