(* what: digits of a factorial, by numbers that are lists of four digits each
   family: big numbers
   sizes: 30..360/12 *)
let base = 10000

let rec times_small k carry = function
  | [] -> if carry = 0 then [] else (carry mod base) :: times_small k (carry / base) []
  | d :: rest ->
    let x = (d * k) + carry in
    (x mod base) :: times_small k (x / base) rest

let rec factorial n = if n = 0 then [ 1 ] else times_small n 0 (factorial (n - 1))
let rec digit_sum d = if d = 0 then 0 else (d mod 10) + digit_sum (d / 10)
let input n = n
let run n = List.fold_left (fun sum d -> sum + digit_sum d) 0 (factorial n)
