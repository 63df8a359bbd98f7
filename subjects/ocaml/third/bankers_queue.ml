(* what: a persistent queue of lazy streams, whose front turns to its back
   family: laziness
   sizes: 100..8000/12 *)
type 'a stream = Nil | Cons of 'a * 'a stream Lazy.t
type 'a queue = { front : 'a stream Lazy.t; front_length : int; back : 'a list; back_length : int }

let empty = { front = lazy Nil; front_length = 0; back = []; back_length = 0 }

let rec append a b =
  lazy (match Lazy.force a with Nil -> Lazy.force b | Cons (x, rest) -> Cons (x, append rest b))

let reverse l =
  let rec onto l stream = match l with [] -> stream | x :: rest -> onto rest (Cons (x, Lazy.from_val stream)) in
  lazy (onto l Nil)

let check q =
  if q.back_length <= q.front_length then q
  else
    {
      front = append q.front (reverse q.back);
      front_length = q.front_length + q.back_length;
      back = [];
      back_length = 0;
    }

let push x q = check { q with back = x :: q.back; back_length = q.back_length + 1 }

let pop q =
  match Lazy.force q.front with
  | Nil -> None
  | Cons (x, rest) -> Some (x, check { q with front = rest; front_length = q.front_length - 1 })

let rec fill n q = if n = 0 then q else fill (n - 1) (push n q)

let rec rounds k q sum =
  if k = 0 then sum
  else match pop q with None -> sum | Some (x, q) -> rounds (k - 1) (push (x + k) q) (sum + x)

let input n = n
let run n = rounds n (fill (n / 4) empty) 0
