(* What OCaml's own front end and toplevel say of programs (see make.sh).
   FILE holds programs, each after a line `(*** NAME ***)`. For each: its verdict and, when accepted, what the toplevel prints of every item
   and what the program itself prints. One process serves all; each program begins in the initial environment. *)

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

let words text = String.concat " " (List.filter (( <> ) "") (String.split_on_char ' ' (String.map (function '\n' | '\t' -> ' ' | c -> c) text)))

let run (name, text) =
  Toploop.initialize_toplevel_env ();
  print_string ("(*** " ^ name ^ " ***)\n");
  let shown = Buffer.create 1000 in
  let formatter = Format.formatter_of_buffer shown in
  Format.pp_set_margin formatter 10_000_000;
  Format.pp_set_max_indent formatter 9_000_000;
  let lexbuf = Lexing.from_string text in
  Location.input_name := "//toplevel//";
  Lexing.set_filename lexbuf "//toplevel//";
  let verdict =
    match Parse.implementation lexbuf with
    | exception _ -> "syntax"
    | structure ->
      match Typemod.type_structure !Toploop.toplevel_env structure with
      | exception _ -> "type"
      | _ ->
        let phrase item =
          let verbose = match item.Parsetree.pstr_desc with Pstr_value _ | Pstr_eval _ -> true | _ -> false in
          try Toploop.execute_phrase verbose formatter (Parsetree.Ptop_def [ item ])
          with error ->
            Format.fprintf formatter "Exception: %s.@." (Printexc.to_string error); false
        in
        let rec go = function [] -> () | item :: rest -> if phrase item then go rest in
        go structure;
        "ok"
  in
  Format.pp_print_flush formatter ();
  print_string ("\n== " ^ verdict ^ "\n");
  print_string (words (Buffer.contents shown));
  print_newline ()

let () =
  Warnings.parse_options false "-a";
  Toploop.max_printer_depth := 100_000;
  Toploop.max_printer_steps := 1_000_000;
  Toploop.set_paths ();
  List.iter run (programs (read Sys.argv.(1)))
