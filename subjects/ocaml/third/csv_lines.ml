(* what: rows of a table written as lines of comma-separated values
   family: text
   sizes: 50..2000/12 *)
type row = { id : int; name : string; city : string; amount : int }

let needs_quotes s = String.contains s ',' || String.contains s '"'

let add_field buffer s =
  if needs_quotes s then begin
    Buffer.add_char buffer '"';
    String.iter
      (fun c ->
        if c = '"' then Buffer.add_char buffer '"';
        Buffer.add_char buffer c)
      s;
    Buffer.add_char buffer '"'
  end
  else Buffer.add_string buffer s

let add_row buffer row =
  Buffer.add_string buffer (string_of_int row.id);
  Buffer.add_char buffer ',';
  add_field buffer row.name;
  Buffer.add_char buffer ',';
  add_field buffer row.city;
  Buffer.add_char buffer ',';
  Buffer.add_string buffer (string_of_int row.amount);
  Buffer.add_char buffer '\n'

let csv rows =
  let buffer = Buffer.create 256 in
  Buffer.add_string buffer "id,name,city,amount\n";
  Array.iter (add_row buffer) rows;
  Buffer.contents buffer

let names = [| "Ada"; "Grace \"Amazing\" Hopper"; "Turing, Alan"; "Edsger" |]
let cities = [| "London"; "Arlington, Virginia"; "Rotterdam" |]

let input n =
  Array.init n (fun i -> { id = i; name = names.(i mod 4); city = cities.(i mod 3); amount = i * 7919 mod 10000 })

let run rows = String.length (csv rows)
