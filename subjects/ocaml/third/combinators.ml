(* what: nested lists of numbers read by parser combinators
   family: parsers
   sizes: 20..1000/12 *)
type tree = Number of int | List of tree list

let return x _ i = Some (x, i)
let ( let* ) p f text i = match p text i with None -> None | Some (x, j) -> f x text j
let ( <|> ) p q text i = match p text i with None -> q text i | found -> found
let satisfying test text i = if i < String.length text && test text.[i] then Some (text.[i], i + 1) else None
let letter c = satisfying (fun d -> d = c)

let rec many p text i =
  match p text i with
  | None -> Some ([], i)
  | Some (x, j) -> (match many p text j with None -> None | Some (rest, k) -> Some (x :: rest, k))

let separated separator p =
  (let* first = p in
   let* others =
     many
       (let* _ = separator in
        p)
   in
   return (first :: others))
  <|> return []

let number =
  let digit = satisfying (fun c -> c >= '0' && c <= '9') in
  let* first = digit in
  let* others = many digit in
  return (List.fold_left (fun n c -> (10 * n) + Char.code c - 48) 0 (first :: others))

let rec tree text i =
  ((let* n = number in
    return (Number n))
  <|> let* _ = letter '[' in
      let* trees = separated (letter ',') tree in
      let* _ = letter ']' in
      return (List trees))
    text i

let rec sum = function Number n -> n | List l -> List.fold_left (fun total t -> total + sum t) 0 l

let rec write n =
  if n < 4 then string_of_int (n * 123) else "[" ^ write (n / 3) ^ "," ^ string_of_int n ^ "," ^ write (n - (n / 3) - 1) ^ "]"

let input n = write n
let run text = match tree text 0 with Some (t, i) when i = String.length text -> sum t | _ -> -1
