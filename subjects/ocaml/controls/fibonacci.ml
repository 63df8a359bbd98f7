(* what: Fibonacci numbers, exponentially
   family: arithmetic
   sizes: 6 8 10 11 12 13 14 15 16 17 18 *)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let input n = n
let run n = fib n
