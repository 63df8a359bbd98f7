let id x = x
let k x _ = x
let pair = (id 1, id "one")
let rec even n = n = 0 || odd (n - 1) and odd n = n <> 0 && even (n - 1)
let lower c = if c >= 'A' && c <= 'Z' then Char.chr (Char.code c + 32) else c
let polymorphic_equal a b = a = b
let flip f x y = f y x
let rec fix f x = f (fix f) x
let fact = fix (fun self n -> if n = 0 then 1 else n * self (n - 1))
let curry f a b = f (a, b)
let church n f x = let rec go i acc = if i = 0 then acc else go (i - 1) (f acc) in go n x
module Stack = struct
  let empty = []
  let push x s = x :: s
  let pop = function [] -> None | x :: rest -> Some (x, rest)
end
let top = Stack.pop (Stack.push 3 Stack.empty)
