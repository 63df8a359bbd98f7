(* what: words set in lines of 48 letters, flush on both sides
   family: text
   sizes: 50..2000/12 *)
let width = 48

let set_line buffer words letters =
  let gaps = List.length words - 1 in
  let spaces = width - letters in
  List.iteri
    (fun i word ->
      if i > 0 then begin
        let wide = (spaces / gaps) + if i <= spaces mod gaps then 1 else 0 in
        Buffer.add_string buffer (String.make wide ' ')
      end;
      Buffer.add_string buffer word)
    words;
  Buffer.add_char buffer '\n'

let justify words =
  let buffer = Buffer.create 1024 in
  let line = ref [] and count = ref 0 and letters = ref 0 in
  let flush () =
    set_line buffer (List.rev !line) !letters;
    line := [];
    count := 0;
    letters := 0
  in
  List.iter
    (fun word ->
      if !letters + !count + String.length word > width then flush ();
      line := word :: !line;
      incr count;
      letters := !letters + String.length word)
    words;
  Buffer.add_string buffer (String.concat " " (List.rev !line));
  Buffer.contents buffer

let lorem = [| "lorem"; "ipsum"; "dolor"; "sit"; "amet"; "consectetur"; "adipiscing"; "elit"; "sed"; "do"; "eiusmod"; "tempor"; "ut" |]
let input n = List.init n (fun i -> lorem.(((i * i) + (3 * i)) mod 13))
let run words = justify words
