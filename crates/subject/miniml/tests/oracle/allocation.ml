(* Writes each program of FILE into DIR with its items timed by words: after every item the words allocated so far go into a table, which is
   printed at exit as `WORDS ITEM` lines. Items are counted over definitions of values and expressions alone. *)
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

let prelude = "module Oracle__ = struct
  external words : unit -> (float [@unboxed]) = \"caml_gc_minor_words\" \"caml_gc_minor_words_unboxed\"
  let table = Array.make 1000 0.
  let last = [| 0 |]
  let mark i = Array.unsafe_set table i (words ()); last.(0) <- i
  let () = at_exit (fun () -> for i = 0 to last.(0) / 2 - 1 do Printf.eprintf \"%.0f\\n\" (table.(2 * i + 2) -. table.(2 * i + 1)) done)
end
let () = Oracle__.mark 0
"

let () =
  let dir = Sys.argv.(2) in
  List.iteri (fun n (name, text) ->
    match Parse.implementation (Lexing.from_string text) with
    | exception _ -> ()
    | structure ->
      let path = Printf.sprintf "%s/p%04d.ml" dir (n + 1) in
      let out = open_out path in
      let formatter = Format.formatter_of_out_channel out in
      output_string out prelude;
      let count = ref 0 in
      List.iter (fun item ->
        let mark i = Format.fprintf formatter "let () = Oracle__.mark %d;;@." i in
        let print () = Format.fprintf formatter "%a@.;;@." Pprintast.structure [ item ] in
        match item.Parsetree.pstr_desc with
        | Pstr_value _ | Pstr_eval _ ->
          mark ((2 * !count) + 1);
          print ();
          incr count;
          mark (2 * !count)
        (* What a declaration allocates is no item's. *)
        | _ -> print ()) structure;
      close_out out;
      let out = open_out (path ^ ".name") in
      output_string out name;
      close_out out) (programs (read Sys.argv.(1)))
