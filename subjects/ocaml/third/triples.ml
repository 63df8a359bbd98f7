(* what: Pythagorean triples, from sequences that are made as they are read
   family: laziness
   sizes: 8..140/12 *)
let rec range low high () = if low > high then Seq.Nil else Seq.Cons (low, range (low + 1) high)

let whole_root n =
  let r = int_of_float (sqrt (float_of_int n)) in
  if r * r = n then Some r else None

let triples n =
  Seq.flat_map
    (fun a ->
      Seq.filter_map
        (fun b -> match whole_root ((a * a) + (b * b)) with Some c when c <= n -> Some (a, b, c) | _ -> None)
        (range (a + 1) n))
    (range 1 n)

let input n = n
let run n = List.of_seq (Seq.map (fun (a, b, c) -> a + b + c) (triples n))
