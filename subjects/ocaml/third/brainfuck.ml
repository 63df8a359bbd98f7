(* what: an interpreter of Brainfuck, with a program that adds up multiples of nine
   family: interpreters
   sizes: 5..60/12 *)
exception Unbalanced of int

let brackets text =
  let partner = Array.make (String.length text) 0 in
  let opened = Stack.create () in
  String.iteri
    (fun i c ->
      match c with
      | '[' -> Stack.push i opened
      | ']' ->
        if Stack.is_empty opened then raise (Unbalanced i);
        let j = Stack.pop opened in
        partner.(i) <- j;
        partner.(j) <- i
      | _ -> ())
    text;
  if not (Stack.is_empty opened) then raise (Unbalanced (Stack.top opened));
  partner

let execute text =
  let partner = brackets text in
  let tape = Array.make 64 0 in
  let output = Buffer.create 16 in
  let pointer = ref 0 and i = ref 0 in
  while !i < String.length text do
    (match text.[!i] with
     | '+' -> tape.(!pointer) <- tape.(!pointer) + 1
     | '-' -> tape.(!pointer) <- tape.(!pointer) - 1
     | '>' -> incr pointer
     | '<' -> decr pointer
     | '.' -> Buffer.add_char output (Char.chr (tape.(!pointer) land 127))
     | '[' -> if tape.(!pointer) = 0 then i := partner.(!i)
     | ']' -> if tape.(!pointer) <> 0 then i := partner.(!i)
     | _ -> ());
    incr i
  done;
  Buffer.contents output

let input n = String.make n '+' ^ "[->+++++++++[->+>+<<]>>[-<<+>>]<<<]>>."
let run text = execute text
