(* what: a text cut into numbers, names and symbols
   family: text
   sizes: 100..2000/12 *)
type token = Number of int | Name of string | Symbol of char

let is_digit c = c >= '0' && c <= '9'
let is_letter c = (c >= 'a' && c <= 'z') || c = '_'

let tokens text =
  let length = String.length text in
  let found = ref [] in
  let i = ref 0 in
  while !i < length do
    let c = text.[!i] in
    if c = ' ' || c = '\n' then incr i
    else if is_digit c then begin
      let value = ref 0 in
      while !i < length && is_digit text.[!i] do
        value := (10 * !value) + Char.code text.[!i] - Char.code '0';
        incr i
      done;
      found := Number !value :: !found
    end
    else if is_letter c then begin
      let start = !i in
      while !i < length && (is_letter text.[!i] || is_digit text.[!i]) do
        incr i
      done;
      found := Name (String.sub text start (!i - start)) :: !found
    end
    else begin
      found := Symbol c :: !found;
      incr i
    end
  done;
  List.rev !found

let piece i =
  match i mod 6 with
  | 0 -> "let "
  | 1 -> "total_" ^ string_of_int (i mod 17)
  | 2 -> " = "
  | 3 -> string_of_int (i * 37)
  | 4 -> " + (price*"
  | _ -> "2);\n"

let input n = String.concat "" (List.init n piece)
let run text = tokens text
