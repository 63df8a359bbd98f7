(* what: Fibonacci numbers, linearly
   family: arithmetic
   sizes: 1000..20000/12 *)
let rec fib n a b = if n = 0 then a else fib (n - 1) b (a + b)
let input n = n
let run n = fib n 0 1
