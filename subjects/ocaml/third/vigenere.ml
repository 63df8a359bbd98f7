(* what: a text written in Vigenere's cipher, read back and compared
   family: text
   sizes: 1000..20000/12 *)
let shift c k =
  if c >= 'a' && c <= 'z' then Char.chr ((Char.code c - 97 + k + 26) mod 26 + 97)
  else if c >= 'A' && c <= 'Z' then Char.chr ((Char.code c - 65 + k + 26) mod 26 + 65)
  else c

let cipher sign key text =
  String.mapi (fun i c -> shift c (sign * (Char.code key.[i mod String.length key] - 97))) text

let encode = cipher 1
let decode = cipher (-1)
let input n = String.init n (fun i -> "The quick brown fox jumps over the lazy dog. ".[(i * i + i) mod 45])
let run text = decode "lemon" (encode "lemon" text) = text
